// SPDX-License-Identifier: Apache-2.0
//
// Ops that become instructions of an extension, followed through calls.

#include "compiler/target/cpu/UsedFeatures.h"

#include "compiler/target/cpu/LinkedModules.h"

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Beyond the ISA levels there is one extension that kernels use so far.
constexpr StringLiteral bf16Feature = "+avx512bf16";

/// Rounding to bf16 and the product of pairs.
bool usesBf16Instructions(Operation *op) {
  if (auto round = dyn_cast<arith::TruncFOp>(op)) {
    return getElementTypeOrSelf(round.getType()).isBF16();
  }
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with("llvm.x86.avx512bf16.");
}

class FeatureAnalysis {
public:
  FeatureAnalysis(ModuleOp device, const DeviceProfile &profile)
      : profile(profile) {
    for (auto function : device.getOps<LLVM::LLVMFuncOp>()) {
      Facts &facts = functions[function.getName()];
      facts.function = function;
      if (auto said =
              function->getAttrOfType<ArrayAttr>(usedFeaturesAttrName)) {
        facts.usesBf16 = llvm::is_contained(
            said, StringAttr::get(said.getContext(), bf16Feature.drop_front()));
      }
      function.walk([&](Operation *op) {
        facts.usesBf16 |= usesBf16Instructions(op);
        if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee()) {
          facts.callees.push_back(*call.getCallee());
        }
      });
    }
    followCalls();
  }

  /// Of the function `name` and what it calls, signs included.
  SmallVector<StringRef> featuresOf(StringRef name) const {
    auto found = functions.find(name);
    bool usesBf16 = found != functions.end() && found->second.usesBf16;
    SmallVector<StringRef> result;
    for (const std::string &feature : profile.features) {
      if (feature != bf16Feature || usesBf16) {
        result.push_back(feature);
      }
    }
    return result;
  }

  void markFunctions() {
    for (auto &[name, facts] : functions) {
      facts.function.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(
          facts.function.getContext(), featuresOf(name)));
    }
  }

private:
  struct Facts {
    LLVM::LLVMFuncOp function;
    SmallVector<StringRef> callees;
    bool usesBf16 = false;
  };

  void followCalls() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[name, facts] : functions) {
        bool called = llvm::any_of(facts.callees, [&](StringRef callee) {
          auto found = functions.find(callee);
          return found != functions.end() && found->second.usesBf16;
        });
        changed |= called && !facts.usesBf16;
        facts.usesBf16 |= called;
      }
    }
  }

  const DeviceProfile &profile;
  llvm::MapVector<StringRef, Facts> functions;
};

} // namespace

void requireUsedFeatures(ModuleOp module, ModuleOp device,
                         const DeviceProfile &profile) {
  FeatureAnalysis analysis(device, profile);
  analysis.markFunctions();
  Builder builder(module.getContext());
  module.walk([&](plan::VariantOp variant) {
    if (variant.getTarget() != profile.target) {
      return;
    }
    llvm::SmallSetVector<StringRef, 16> used;
    variant.walk([&](plan::LaunchOp launch) {
      for (StringRef feature : analysis.featuresOf(launch.getEntry())) {
        used.insert(feature);
      }
    });
    SmallVector<StringRef> isa;
    for (StringRef feature : profile.features) {
      if (used.contains(feature)) {
        isa.push_back(feature.ltrim('+')); // without the sign in an artifact
      }
    }
    variant.setIsaAttr(builder.getStrArrayAttr(isa));
  });
}

} // namespace minic::cpu
