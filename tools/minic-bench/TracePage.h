// SPDX-License-Identifier: Apache-2.0
//
// TracePage: a traced run put into the page that `minic --trace` wrote.

#ifndef MINIC_TOOLS_MINIC_BENCH_TRACEPAGE_H
#define MINIC_TOOLS_MINIC_BENCH_TRACEPAGE_H

#include "absl/status/statusor.h"

#include <string>

namespace minic::tools {

/// The page at `path` with `trace`, the text of chromeTrace, in the place of
/// the run that it has, if any.
absl::StatusOr<std::string> putIntoPage(const std::string &path,
                                        const std::string &trace);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_TRACEPAGE_H
