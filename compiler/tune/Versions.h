// SPDX-License-Identifier: Apache-2.0
//
// Versions: what of this minic makes tuning records stale when it changes.

#ifndef MINIC_COMPILER_TUNE_VERSIONS_H
#define MINIC_COMPILER_TUNE_VERSIONS_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/tune/Record.h"

#include <string>

namespace minic::tune {

/// Raise it whenever the same choice generates other code.
inline constexpr const char *codegenVersion = "7";

/// Raise it whenever a family, a library or a schedule is added or removed, or
/// the rule changes by which a search looks at some of them only.
inline constexpr const char *candidateSetVersion = "12";

/// Raise it whenever a whole-model verdict is reached in another way.
inline constexpr const char *verdictVersion = "7";

/// CPU: with the version of oneDNN that plans are made for. Records that a
/// search makes have the version that the worker opened; where that is another
/// one, they are found again once a worker has been asked. GPU: with what the
/// profile says.
Versions currentVersions(const DeviceProfile &profile);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_VERSIONS_H
