// SPDX-License-Identifier: Apache-2.0
//
// Choices are attributes; evidence of them is the attribute beside.

#include "compiler/driver/PlanChoices.h"

#include "compiler/emit/EmitArtifact.h"
#include "compiler/pipeline/Pipelines.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

SmallVector<kernel::FusionOp> fusionsOf(func::FuncOp function) {
  SmallVector<kernel::FusionOp> fusions;
  function.walk([&](kernel::FusionOp fusion) { fusions.push_back(fusion); });
  return fusions;
}

std::string describeMeasured(DictionaryAttr provenance) {
  auto time = provenance.getAs<FloatAttr>("time_us");
  auto reason = provenance.getAs<StringAttr>("reason");
  if (!time || !reason || time.getValueAsDouble() <= 0) {
    return "";
  }
  return llvm::formatv("{0:F2} us: {1}", time.getValueAsDouble(),
                       reason.getValue())
      .str();
}

void takeChoices(ArrayRef<kernel::FusionOp> mine,
                 ArrayRef<kernel::FusionOp> theirs, StringRef why) {
  for (auto [ours, other] : llvm::zip_equal(mine, theirs)) {
    kernel::FusionOp fusion = ours, from = other;
    if (fusion.getChoiceAttr() == from.getChoiceAttr()) {
      continue;
    }
    Builder b(fusion.getContext());
    auto before = fusion->getAttrOfType<DictionaryAttr>("provenance");
    NamedAttrList now(from->getAttrOfType<DictionaryAttr>("provenance"));
    if (auto reason = dyn_cast_or_null<StringAttr>(now.get("reason"));
        reason && !why.empty()) {
      now.set("reason", b.getStringAttr(reason.getValue() + "; " + why));
    }
    if (std::string lost = describeMeasured(before);
        !lost.empty() && !why.empty()) {
      now.set("lost", b.getStringAttr(lost));
    }
    fusion.setChoiceAttr(from.getChoiceAttr());
    if (Attribute problem = before ? before.get("problem") : nullptr;
        problem && !now.get("problem")) {
      now.set("problem", problem);
    }
    fusion->setAttr("provenance", now.getDictionary(b.getContext()));
  }
}

bool haveSameChoices(ArrayRef<kernel::FusionOp> mine,
                     ArrayRef<kernel::FusionOp> theirs) {
  return llvm::all_of(llvm::zip_equal(mine, theirs), [](auto pair) {
    kernel::FusionOp first = std::get<0>(pair), second = std::get<1>(pair);
    return first.getChoiceAttr() == second.getChoiceAttr();
  });
}

OwningOpRef<ModuleOp> withoutProvenance(ModuleOp plan) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  copy->walk([](kernel::FusionOp fusion) { fusion->removeAttr("provenance"); });
  return copy;
}

OwningOpRef<ModuleOp> onlyFunction(ModuleOp plan, StringRef name) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  for (auto function :
       llvm::make_early_inc_range(copy->getOps<func::FuncOp>())) {
    if (function.getName() != name) {
      function.erase();
    }
  }
  return copy;
}

/// Constants of floats from this size on, which have a name, get random values
/// where they are timed. Packing and writing those of BERT-base would take
/// longer than a contest.
static constexpr int64_t largeBytes = 64 << 10;

static void forgetLargeWeights(ModuleOp plan) {
  plan.walk([](graph::ConstantOp constant) {
    auto type = cast<RankedTensorType>(constant.getType());
    if (constant.getSource() && isa<FloatType>(type.getElementType()) &&
        kernel::getBytes(type) >= largeBytes) {
      constant.removeValueAttr();
    }
  });
}

absl::Status buildTrial(ModuleOp plan, const VariantTarget &variant,
                        const CompileOptions &options,
                        const std::string &path) {
  std::string error;
  ScopedDiagnosticHandler quiet(plan.getContext(), [&](Diagnostic &diagnostic) {
    if (error.empty()) {
      error = diagnostic.str();
    }
    return success();
  });
  forgetLargeWeights(plan);
  // Trials differ in a few kernels.
  variant.target->setKernelsApart(true);
  auto together =
      llvm::scope_exit([&] { variant.target->setKernelsApart(false); });
  return succeeded(buildPlan(plan, variant, options, path))
             ? absl::OkStatus()
             : absl::InternalError(error);
}

LogicalResult buildPlan(ModuleOp plan, const VariantTarget &variant,
                        const CompileOptions &options,
                        const std::string &path) {
  OwningOpRef<ModuleOp> copy = plan.clone();
  PipelineInputs inputs;
  inputs.target = variant.target.get();
  inputs.inputAlignment = options.inputAlignment;
  EmitOptions emitOptions;
  emitOptions.durable = false;
  return success(succeeded(runTail(*copy, inputs)) &&
                 succeeded(emitArtifact(*copy, emitOptions, path)));
}

} // namespace minic
