// SPDX-License-Identifier: Apache-2.0
//
// Versions: what makes tuning records stale if it changes in minic.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_VERSIONS_H
#define MINIC_COMPILER_TUNE_BRIDGE_VERSIONS_H

#include "compiler/target/Target.h"
#include "compiler/tune/database/Record.h"

#include <string>

namespace minic::tune {

/// Raising it makes all records stale. Raise it if
/// ImplementationSource::version() of some sources is not enough: if code
/// changes that all generated kernels have, or the way parts are put together,
/// or the rule by which a search skips candidates.
inline constexpr const char *commonVersion = "2";

/// Raise it whenever whole-model verdicts are reached in another way.
inline constexpr const char *verdictVersion = "8";

/// Of all sources of `target`. CPU: with the version of oneDNN that plans are
/// made for. Records that a search makes have the version that the worker
/// opened; where that is another one, they are found again once a worker has
/// been asked. GPU: with what the profile says.
Versions currentVersions(const Target &target);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_VERSIONS_H
