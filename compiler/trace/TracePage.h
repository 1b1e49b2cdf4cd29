// SPDX-License-Identifier: Apache-2.0
//
// TracePage: a trace as one HTML file that needs no network.

#ifndef MINIC_COMPILER_TRACE_TRACEPAGE_H
#define MINIC_COMPILER_TRACE_TRACEPAGE_H

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace minic::trace {

/// `data`: an object of the format minic-trace or minic-against (docs/json.md)
/// that this program made. Whatever text it has is shown as text.
std::string renderPage(const nlohmann::ordered_json &data);

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_TRACEPAGE_H
