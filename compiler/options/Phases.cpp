// SPDX-License-Identifier: Apache-2.0
//
// Names of the phases.

#include "compiler/options/Phases.h"

#include "llvm/ADT/STLExtras.h"

namespace minic {

static constexpr Phase phases[] = {
    Phase::Import,  Phase::Simplify,       Phase::Fuse, Phase::SelectAlgorithm,
    Phase::Realize, Phase::PrepareWeights, Phase::Plan, Phase::Codegen,
    Phase::Emit};

llvm::ArrayRef<Phase> allPhases() { return phases; }

llvm::StringRef toString(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return "import";
  case Phase::Simplify:
    return "simplify";
  case Phase::Fuse:
    return "fuse";
  case Phase::SelectAlgorithm:
    return "select-algorithm";
  case Phase::Realize:
    return "realize";
  case Phase::PrepareWeights:
    return "prepare-weights";
  case Phase::Plan:
    return "plan";
  case Phase::Codegen:
    return "codegen";
  case Phase::Emit:
    return "emit";
  }
}

std::optional<Phase> parsePhase(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      phases, [&](Phase phase) { return toString(phase) == name; });
  return found == std::end(phases) ? std::nullopt : std::optional(*found);
}

} // namespace minic
