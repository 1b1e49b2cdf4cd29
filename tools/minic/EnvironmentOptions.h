// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentOptions: MINIC_OPTIONS, options that stand before those of the
// command line.

#ifndef MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H
#define MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace minic {

/// The words of the environment variable MINIC_OPTIONS, quotes resolved; none
/// where it is not set. InvalidArgument, naming the variable, for what is no
/// option of a compilation, or has a value that it rejects.
absl::StatusOr<std::vector<std::string>> environmentOptions();

} // namespace minic

#endif // MINIC_TOOLS_MINIC_ENVIRONMENTOPTIONS_H
