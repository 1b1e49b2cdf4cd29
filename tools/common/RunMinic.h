// SPDX-License-Identifier: Apache-2.0
//
// RunMinic: tools without a compiler ask the `minic` beside them.

#ifndef MINIC_TOOLS_COMMON_RUNMINIC_H
#define MINIC_TOOLS_COMMON_RUNMINIC_H

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace minic::tools {

/// Runs the `minic` in this program's folder with `arguments` and waits; drops
/// what it prints, except warnings. Meanwhile only the child answers
/// interrupts. If it fails, the status has its exit code by the table of
/// docs/exit-codes.md and its error line after `what`: "--check: no tensor
/// ...". Unimplemented "`what` is not built in" where there is no such program.
absl::Status runMinic(const std::string &what,
                      const std::vector<std::string> &arguments);

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_RUNMINIC_H
