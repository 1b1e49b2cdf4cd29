// SPDX-License-Identifier: Apache-2.0
//
// The named phases of a compilation. Each has the same name in code, in
// `--compile-to=`, in dumps and in the docs.

#ifndef MINIC_COMPILER_OPTIONS_PHASES_H
#define MINIC_COMPILER_OPTIONS_PHASES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace minic {

enum class Phase {
  Import,          // model text and weights -> graph
  Simplify,        // graph: fold, canonicalize, push transposes
  Fuse,            // graph -> kernel.fusion
  SelectAlgorithm, // each fusion gets a #kernel.choice
  Realize,         // the choice applied: one implementation per fusion
  PrepareWeights,  // relayouts of constants folded into their types
  Plan,            // kernel -> plan: launches, calls, arena offsets
  Codegen,         // plan.kernel -> plan.binary
  Emit,            // plan -> the artifact file
};

/// All phases in the order they run.
llvm::ArrayRef<Phase> allPhases();
/// "import", "select-algorithm", ...
llvm::StringRef toString(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_PHASES_H
