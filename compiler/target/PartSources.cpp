// SPDX-License-Identifier: Apache-2.0
//
// Outlines each part and asks for it.

#include "compiler/target/PartSources.h"

#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/MainAnchor.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using kernel::FusionOp;
using kernel::OutlinedPart;
using kernel::PartAttr;

SmallVector<const KernelFamily *> PartSources::families() const {
  SmallVector<const KernelFamily *> families;
  for (const KernelFamily *family : target.families()) {
    if (!family->takesUserKernels() && !family->isPlugin() &&
        (allowsLastResort || !family->isLastResort())) {
      families.push_back(family);
    }
  }
  return families;
}

/// Time to bring operands into the layouts that `implementation` reads. What is
/// constant has its layout ahead of time, and a matrix is taken for that: one
/// for each batch is not, such as the keys of attention. On a GPU no estimate
/// counts it.
double PartSources::relayoutUs(FusionOp outlined,
                               const Implementation &implementation) {
  const DeviceProfile &profile = target.profile();
  if (profile.isGpu() || profile.l3GBs <= 0) {
    return 0;
  }
  double bytes = 0;
  for (auto [operand, layout] :
       llvm::zip_equal(outlined.getInputs(), implementation.operandLayouts)) {
    Value value = operand;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      bool isOfBody = argument.getOwner()->getParentOp() == fusion;
      value = isOfBody ? fusion.getInputs()[argument.getArgNumber()] : value;
    }
    auto type = cast<RankedTensorType>(value.getType());
    if (!isa<UnitAttr>(layout) && type.getRank() > 2 &&
        !isa_and_present<graph::ConstantOp>(value.getDefiningOp())) {
      bytes += double(kernel::getBytes(type));
    }
  }
  // Read once and written once. What fits the second cache was just written
  // there.
  bool isCached = 2 * bytes < double(profile.l2Bytes);
  return 2 * bytes / (profile.l3GBs * (isCached ? 3 : 1)) * 1e-3;
}

/// Whether the operands of `outlined` have such layouts in `implementation`.
static bool hasLayouts(FusionOp outlined, const Implementation &implementation,
                       OperandLayouts allowed) {
  return llvm::all_of(
      llvm::zip_equal(outlined.getInputs(), implementation.operandLayouts),
      [&](auto each) {
        auto [operand, attribute] = each;
        auto layout = dyn_cast<kernel::LayoutAttr>(attribute);
        return allowed == OperandLayouts::Any || !layout ||
               (allowed == OperandLayouts::Unpadded &&
                layout.getPadded() ==
                    cast<RankedTensorType>(operand.getType()).getShape());
      });
}

std::vector<Implementation> PartSources::ask(const ImplementationSource *source,
                                             const OutlinedPart &part,
                                             Reasons &reasons, Breadth asked) {
  FusionOp outlined = part.fusion.get();
  SmallVector<Operation *> body = outlined.getBodyOps();
  if (bool(graph::findKernel(body)) != source->takesUserKernels()) {
    return {};
  }
  if (!source->isFor(kernel::getMainAnchor(outlined))) {
    return {};
  }
  if (source->isPlugin() && nan == NanPolicy::Reject) {
    reasons.push_back(source->name().str() +
                      ": only measuring finds out whether it keeps a NaN");
    return {};
  }
  if (auto reason = source->reject(outlined, target.profile())) {
    reasons.push_back(source->name().str() + ": " + *reason);
    return {};
  }
  std::string lost = source->opsThatLoseNan(outlined);
  if (!lost.empty() && nan == NanPolicy::Reject) {
    reasons.push_back(source->name().str() + ": loses NaN in " + lost);
    return {};
  }
  DeviceProfile profile = target.profile();
  profile.breadth = asked;
  std::vector<Implementation> implementations =
      source->enumerate(outlined, profile);
  llvm::erase_if(implementations, [&](const Implementation &implementation) {
    return !hasLayouts(outlined, implementation, layouts);
  });
  if (implementations.empty()) {
    reasons.push_back(source->name().str() +
                      (layouts == OperandLayouts::Dense
                           ? ": --pack-operands=off leaves it no layout"
                           : ": --pad-operands=off leaves it no layout"));
  }
  for (Implementation &implementation : implementations) {
    implementation.modelUs = implementation.estimateUs;
  }
  target.expect(source->name(), outlined, implementations);
  llvm::stable_sort(implementations, [](const auto &a, const auto &b) {
    return a.estimateUs < b.estimateUs;
  });
  for (Implementation &implementation : implementations) {
    double relayout = relayoutUs(outlined, implementation);
    implementation.estimateUs += relayout;
    implementation.modelUs += relayout;
    if (!lost.empty() && nan == NanPolicy::Mark) {
      implementation.name += " (NaN lost in " + lost + ")";
    }
  }
  return implementations;
}

void PartSources::explain(const Reasons &reasons) {
  for (const std::string &reason : reasons) {
    if (!llvm::is_contained(why, reason)) {
      why.push_back(reason);
    }
  }
}

ImplementedPart PartSources::implement(const OpIndices &indices,
                                       const Implementation &implementation) {
  MLIRContext *context = fusion.getContext();
  auto part =
      PartAttr::get(context, indices, implementation.impl,
                    ArrayAttr::get(context, implementation.operandLayouts));
  return {part, implementation};
}

std::optional<ImplementedPart> PartSources::generate(const OpIndices &indices) {
  OutlinedPart part = kernel::outlinePart(fusion, indices);
  std::optional<Implementation> best;
  Reasons reasons;
  for (const KernelFamily *family : families()) {
    // Where another takes the part, the last resort is not worth a thought.
    if (best && family->isLastResort()) {
      continue;
    }
    // One is taken by its estimate, so that more would change nothing.
    for (const Implementation &implementation :
         ask(family, part, reasons, Breadth::Promising)) {
      if (!best || implementation.estimateUs < best->estimateUs) {
        best = implementation;
      }
    }
  }
  if (!best) {
    explain(reasons);
    return std::nullopt;
  }
  return implement(indices, *best);
}

std::optional<std::vector<ImplementedPart>>
PartSources::generateRuns(const OpIndices &indices, bool single) {
  std::vector<ImplementedPart> parts;
  if (indices.empty()) {
    return parts;
  }
  if (!single) {
    if (auto all = generate(indices)) {
      parts.push_back(*all);
      return parts;
    }
  }
  OpIndices run;
  std::optional<ImplementedPart> current;
  for (int64_t index : indices) {
    if (!run.empty() && !single) {
      OpIndices longer = run;
      longer.push_back(index);
      if (auto extended = generate(longer)) {
        run = longer;
        current = extended;
        continue;
      }
    }
    if (current) {
      parts.push_back(*current);
    }
    run = {index};
    current = generate(run);
    if (!current) {
      return std::nullopt;
    }
  }
  parts.push_back(*current);
  return parts;
}

} // namespace minic
