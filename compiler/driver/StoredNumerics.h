// SPDX-License-Identifier: Apache-2.0
//
// StoredNumerics: what an artifact says of how its model was changed.

#ifndef MINIC_COMPILER_DRIVER_STOREDNUMERICS_H
#define MINIC_COMPILER_DRIVER_STOREDNUMERICS_H

#include "runtime/format/ArtifactReader.h"

#include <string>

namespace minic {

/// What --cast-weights was when it was compiled; empty for nothing, or where
/// the artifact carries no model.
std::string storedCastWeights(const format::ArtifactReader &artifact);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_STOREDNUMERICS_H
