// SPDX-License-Identifier: Apache-2.0
//
// The first candidate of each fusion that the options allow.

#include "compiler/pipeline/EstimateSelector.h"

#include "compiler/pipeline/ResolveTarget.h"
#include "dialects/graph/KernelOp.h"
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

/// Whether `names` has this label, or has none at all.
static bool isNamed(BackendLabel label, const std::vector<std::string> &names) {
  std::vector<BackendLabel> asked = labelsOf(names);
  return asked.empty() || llvm::is_contained(asked, label);
}

/// Everything, without plug-ins where `names` leaves them out.
static std::vector<BackendLabel>
everything(const std::vector<std::string> &names) {
  std::vector<BackendLabel> labels;
  if (!isNamed(BackendLabel::Plugin, names)) {
    labels.assign(std::begin(allBackendLabels), std::end(allBackendLabels));
    llvm::erase_if(labels, isForeign);
  }
  return labels;
}

/// What `names` allow a fusion without a kernel of the user's: what it alone
/// would leave is everything.
static std::vector<BackendLabel>
withoutUser(const std::vector<std::string> &names) {
  std::vector<BackendLabel> labels = labelsOf(names);
  llvm::erase(labels, BackendLabel::User);
  return labels.empty() ? everything(names) : labels;
}

/// The same for one that has one: it may be left out whatever the reference is.
static std::vector<BackendLabel>
withUser(std::vector<BackendLabel> labels,
         const std::vector<std::string> &names) {
  bool isAllowed = isNamed(BackendLabel::User, names);
  if (isAllowed && labelsOf(names).size() == 1) {
    return {BackendLabel::User};
  }
  if (labels.empty()) {
    labels.assign(std::begin(allBackendLabels), std::end(allBackendLabels));
  }
  llvm::erase(labels, BackendLabel::User);
  if (isAllowed) {
    labels.push_back(BackendLabel::User);
  }
  return labels;
}

static std::vector<BackendLabel>
allowedByAnchor(kernel::FusionOp fusion, const CompileOptions &options) {
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
      return withoutUser(options.gemmBackends);
    }
    if (graph::isConvolution(op)) {
      return withoutUser(options.convBackends);
    }
  }
  return everything(options.gemmBackends);
}

std::vector<BackendLabel> allowedBackends(kernel::FusionOp fusion,
                                          const CompileOptions &options) {
  std::vector<BackendLabel> labels = allowedByAnchor(fusion, options);
  return graph::findKernel(fusion.getBodyOps())
             ? withUser(std::move(labels), options.gemmBackends)
             : labels;
}

/// Whether a plug-in that takes `fusion` is wanted for it and nothing else, as
/// a kernel of the user's is: around a contraction or convolution the labels
/// say so already.
static bool asksForPlugin(ArrayRef<BackendLabel> labels,
                          const CompileOptions &options) {
  return labels.empty() && labelsOf(options.gemmBackends) ==
                               std::vector<BackendLabel>{BackendLabel::Plugin};
}

std::vector<BackendLabel> backendsOf(kernel::FusionOp fusion,
                                     const CompileOptions &options,
                                     ArrayRef<Candidate> candidates) {
  std::vector<BackendLabel> labels = allowedBackends(fusion, options);
  if (asksForPlugin(labels, options) &&
      llvm::all_of(candidates, [](const Candidate &candidate) {
        return candidate.label == BackendLabel::Plugin;
      })) {
    return {BackendLabel::Plugin};
  }
  return labels;
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
  std::vector<BackendLabel> labels = allowedBackends(fusion, options);
  std::vector<Candidate> candidates;
  if (asksForPlugin(labels, options)) {
    candidates = enumerateCandidates(fusion, target, BackendLabel::Plugin, why,
                                     nan, options.deterministic);
    why.clear();
  }
  if (candidates.empty()) {
    candidates = enumerateCandidates(fusion, target, labels, why, nan,
                                     options.deterministic);
  }
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
      return !options.deterministic || candidate.isDeterministic();
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
