// SPDX-License-Identifier: Apache-2.0
//
// OutputFile: results that are there whole or not at all.

#ifndef MINIC_RUNTIME_MEASURE_OUTPUTFILE_H
#define MINIC_RUNTIME_MEASURE_OUTPUTFILE_H

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <string>
#include <string_view>

namespace minic::runtime {

/// Writes the pieces one after the other to a temporary file beside `path` and
/// renames it. What exists at `path` but is no regular file (a pipe, /dev/null)
/// is written in place. The system's error with the path; then `path` is as it
/// was.
absl::Status writeOutputFile(const std::string &path,
                             absl::Span<const std::string_view> pieces);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_OUTPUTFILE_H
