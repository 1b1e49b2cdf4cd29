// SPDX-License-Identifier: Apache-2.0
//
// The files of page/, embedded by EmbedText.cmake.

#ifndef MINIC_COMPILER_TRACE_PAGEPARTS_H
#define MINIC_COMPILER_TRACE_PAGEPARTS_H

#include <string_view>

namespace minic::trace {

extern const std::string_view pageHtml, pageCss, pageJs;

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_PAGEPARTS_H
