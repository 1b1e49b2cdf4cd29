// SPDX-License-Identifier: Apache-2.0
//
// The first candidate of each fusion that the options allow.

#include "compiler/pipeline/EstimateSelector.h"

#include "compiler/pipeline/ResolveTarget.h"
#include "dialects/kernel/ExpandOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

bool hasAnchor(kernel::FusionOp fusion) {
  return llvm::any_of(fusion.getBodyOps(), graph::isAnchor);
}

bool hasConvolution(kernel::FusionOp fusion) {
  return llvm::any_of(fusion.getBodyOps(), graph::isConvolution);
}

std::vector<BackendLabel> allowedBackends(kernel::FusionOp fusion,
                                          const CompileOptions &options) {
  SmallVector<int64_t> named;
  for (auto [index, op] : llvm::enumerate(fusion.getBodyOps())) {
    if (kernel::canExpand(op)) {
      named.push_back(int64_t(index));
    }
  }
  // Attention has contractions among its stages.
  kernel::ExpandedFusion expanded(fusion, named);
  for (Operation *op : expanded.get().getBodyOps()) {
    if (graph::isContraction(op)) {
      return labelsOf(options.gemmBackends);
    }
    if (graph::isConvolution(op)) {
      return labelsOf(options.convBackends);
    }
  }
  return {};
}

/// "--conv-backends=generated leaves out all of it: aten, cudnn".
static std::string describeLeftOut(kernel::FusionOp fusion,
                                   const Target &target,
                                   const CompileOptions &options,
                                   NanPolicy nan) {
  std::vector<std::string> why;
  llvm::SetVector<StringRef> labels;
  for (const Candidate &candidate :
       enumerateCandidates(fusion, target, /*backends=*/{}, why, nan)) {
    labels.insert(toString(candidate.label));
  }
  if (labels.empty()) {
    return llvm::join(why, "; ");
  }
  bool isConvolution = hasConvolution(fusion);
  return llvm::formatv(
             "--{0}-backends={1} leaves out all that {2} has for it: {3}",
             isConvolution ? "conv" : "gemm",
             llvm::join(isConvolution ? options.convBackends
                                      : options.gemmBackends,
                        ","),
             target.profile().target, llvm::join(labels, ", "))
      .str();
}

FailureOr<std::vector<Candidate>>
allowedCandidates(kernel::FusionOp fusion, const Target &target,
                  const CompileOptions &options, bool measuresNan) {
  NanPolicy nan = !options.propagateNan ? NanPolicy::Mark
                  : measuresNan         ? NanPolicy::Measure
                                        : NanPolicy::Reject;
  std::vector<std::string> why;
  std::vector<Candidate> candidates =
      enumerateCandidates(fusion, target, allowedBackends(fusion, options), why,
                          nan, options.deterministic);
  if (candidates.empty()) {
    return fusion.emitError("unsupported: nothing implements this fusion: ")
           << (why.empty() ? describeLeftOut(fusion, target, options, nan)
                           : llvm::join(why, "; "));
  }
  return candidates;
}

EstimateSelector::EstimateSelector(const Target &target,
                                   const CompileOptions &options)
    : target(target), options(options) {}

FailureOr<std::vector<kernel::SelectedChoice>>
EstimateSelector::select(ArrayRef<kernel::FusionOp> fusions) {
  std::vector<kernel::SelectedChoice> result;
  for (kernel::FusionOp fusion : fusions) {
    FailureOr<std::vector<Candidate>> candidates =
        allowedCandidates(fusion, target, options);
    if (failed(candidates)) {
      return failure();
    }
    auto best = llvm::find_if(*candidates, [&](const Candidate &candidate) {
      return !options.deterministic || !candidate.needsLibrary;
    });
    if (best == candidates->end()) {
      return fusion.emitError("unsupported: --deterministic: no candidate is "
                              "deterministic by construction");
    }
    kernel::SelectedChoice &choice = result.emplace_back();
    choice.choice = best->choice;
    choice.origin = "heuristic";
    choice.candidate = best->name;
    choice.reason = llvm::formatv("{0}, best estimate of {1} candidates, not "
                                  "measured",
                                  best->name, candidates->size())
                        .str();
  }
  return result;
}

} // namespace minic
