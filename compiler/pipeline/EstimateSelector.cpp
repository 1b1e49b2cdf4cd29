// SPDX-License-Identifier: Apache-2.0
//
// The first candidate of each fusion that the options allow.

#include "compiler/pipeline/EstimateSelector.h"

#include "compiler/options/BackendNames.h"
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

BackendOption backendOptionOf(kernel::FusionOp fusion) {
  SmallVector<int64_t> named;
  for (auto [index, op] : llvm::enumerate(fusion.getBodyOps())) {
    if (kernel::canExpand(op)) {
      named.push_back(int64_t(index));
    }
  }
  // Attention has contractions among its stages.
  kernel::ExpandedFusion expanded(fusion, named);
  bool hasRows = false;
  for (Operation *op : expanded.get().getBodyOps()) {
    if (graph::isContraction(op)) {
      return BackendOption::Gemm;
    }
    if (graph::isConvolution(op)) {
      return BackendOption::Conv;
    }
    hasRows |= graph::isAnchor(op);
  }
  return hasRows ? BackendOption::Row : BackendOption::None;
}

static std::vector<std::string> namesOf(BackendOption option,
                                        const CompileOptions &options) {
  switch (option) {
  case BackendOption::Gemm:
    return options.gemmBackends;
  case BackendOption::Conv:
    return options.convBackends;
  case BackendOption::Row:
    return options.rowBackends;
  case BackendOption::None:
    return {};
  }
}

StringRef toString(BackendOption option) {
  switch (option) {
  case BackendOption::Conv:
    return "--conv-backends";
  case BackendOption::Row:
    return "--row-backends";
  case BackendOption::Gemm:
  case BackendOption::None:
    return "--gemm-backends";
  }
}

/// Whether this option says all of a fusion, `names` being what it names.
static bool saysAll(BackendOption option,
                    const std::vector<std::string> &names) {
  return option == BackendOption::Gemm || option == BackendOption::Conv ||
         !names.empty();
}

std::vector<BackendLabel> allowedBackends(kernel::FusionOp fusion,
                                          const CompileOptions &options) {
  BackendOption option = backendOptionOf(fusion);
  std::vector<std::string> names = namesOf(option, options);
  // --gemm-backends says of any fusion whether plug-ins are left out.
  std::vector<BackendLabel> labels = saysAll(option, names)
                                         ? withoutUser(names)
                                         : everything(options.gemmBackends);
  return graph::findKernel(fusion.getBodyOps())
             ? withUser(std::move(labels), options.gemmBackends)
             : labels;
}

std::vector<std::string> allowedPlugins(kernel::FusionOp fusion,
                                        const CompileOptions &options) {
  BackendOption option = backendOptionOf(fusion);
  std::vector<std::string> names = namesOf(option, options);
  return pluginsNamed(saysAll(option, names) ? names : options.gemmBackends);
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

OperandLayouts allowedLayouts(const CompileOptions &options) {
  return !options.packOperands  ? OperandLayouts::Dense
         : !options.padOperands ? OperandLayouts::Unpadded
                                : OperandLayouts::Any;
}

std::vector<Candidate>
enumerateAllowed(kernel::FusionOp fusion, const Target &target,
                 const CompileOptions &options, NanPolicy nan,
                 std::vector<std::string> &why, Breadth breadth) {
  return enumerateCandidates(fusion, target, allowedBackends(fusion, options),
                             why, nan, options.deterministic,
                             allowedLayouts(options), breadth,
                             allowedPlugins(fusion, options));
}

/// "--conv-backends=generated leaves out all of it: aten, cudnn".
static std::string describeLeftOut(kernel::FusionOp fusion,
                                   const Target &target,
                                   const CompileOptions &options,
                                   NanPolicy nan) {
  std::vector<std::string> why;
  llvm::SetVector<StringRef> labels;
  for (const Candidate &candidate :
       enumerateCandidates(fusion, target, /*backends=*/{}, why, nan,
                           options.deterministic, allowedLayouts(options))) {
    labels.insert(toString(candidate.label));
  }
  if (labels.empty()) {
    return llvm::join(why, "; ");
  }
  BackendOption option = backendOptionOf(fusion);
  return llvm::formatv("{0}={1} leaves out all that {2} has for it: {3}",
                       toString(option),
                       llvm::join(namesOf(option, options), ","),
                       target.profile().target, llvm::join(labels, ", "))
      .str();
}

FailureOr<std::vector<Candidate>>
allowedCandidates(kernel::FusionOp fusion, const Target &target,
                  const CompileOptions &options, bool measuresNan,
                  Breadth breadth) {
  NanPolicy nan = !options.propagateNan ? NanPolicy::Mark
                  : measuresNan         ? NanPolicy::Measure
                                        : NanPolicy::Reject;
  std::vector<std::string> why;
  std::vector<Candidate> candidates;
  if (asksForPlugin(allowedBackends(fusion, options), options)) {
    candidates = enumerateCandidates(
        fusion, target, BackendLabel::Plugin, why, nan, options.deterministic,
        allowedLayouts(options), breadth, allowedPlugins(fusion, options));
    why.clear();
  }
  if (candidates.empty()) {
    candidates = enumerateAllowed(fusion, target, options, nan, why, breadth);
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
