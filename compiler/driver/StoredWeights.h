// SPDX-License-Identifier: Apache-2.0
//
// StoredWeights: how an artifact names the weights that it was compiled with,
// and where they are looked for when the model inside it is evaluated.

#ifndef MINIC_COMPILER_DRIVER_STOREDWEIGHTS_H
#define MINIC_COMPILER_DRIVER_STOREDWEIGHTS_H

#include "runtime/format/ArtifactReader.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace minic {

/// The name of `file` that artifacts store: its path from the current folder,
/// wherever the artifact is written and however `file` is spelled.
std::string storedWeightsName(llvm::StringRef file);

/// The weights of an artifact at `path`, "" where it has none: the file of that
/// name beside the artifact; else what the stored path leads to from the
/// artifact's folder, from one above it, or from the current folder, so that
/// folders may be moved together. Takes the first that exists and has the
/// stored hash; if none has it, the first that exists; otherwise the stored
/// path.
std::string findStoredWeights(const format::Artifact &metadata,
                              llvm::StringRef path);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_STOREDWEIGHTS_H
