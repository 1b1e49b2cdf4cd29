// SPDX-License-Identifier: Apache-2.0
//
// The first candidate of each fusion.

#include "compiler/EstimateSelector.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

bool hasContraction(kernel::FusionOp fusion) {
  return llvm::any_of(fusion.getBodyOps(), [](Operation *op) {
    return isa<graph::LinearOp, graph::MatmulOp>(op);
  });
}

EstimateSelector::EstimateSelector(const Target &target,
                                   std::vector<BackendLabel> gemmBackends)
    : target(target), gemmBackends(std::move(gemmBackends)) {}

FailureOr<std::vector<kernel::SelectedChoice>>
EstimateSelector::select(ArrayRef<kernel::FusionOp> fusions) {
  std::vector<kernel::SelectedChoice> result;
  for (kernel::FusionOp fusion : fusions) {
    std::vector<std::string> why;
    ArrayRef<BackendLabel> backends;
    if (hasContraction(fusion)) {
      backends = gemmBackends;
    }
    std::vector<Candidate> candidates =
        enumerateCandidates(fusion, target, backends, why);
    if (candidates.empty()) {
      return fusion.emitError("unsupported: nothing implements this fusion: ")
             << (why.empty() ? "no candidate" : llvm::join(why, "; "));
    }
    const Candidate &best = candidates.front();
    result.push_back({best.choice, "heuristic", 0,
                      llvm::formatv("{0}, best estimate of {1} candidates, "
                                    "not measured",
                                    best.name, candidates.size())});
  }
  return result;
}

} // namespace minic
