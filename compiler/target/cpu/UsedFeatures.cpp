// SPDX-License-Identifier: Apache-2.0
//
// Ops that become instructions of an extension, followed through calls.

#include "compiler/target/cpu/UsedFeatures.h"

#include "compiler/target/cpu/KernelAbi.h"
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

bool calls(Operation *op, StringRef prefix) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with(prefix);
}

/// Rounding to bf16 and the product of pairs.
bool usesBf16Instructions(Operation *op) {
  if (auto round = dyn_cast<arith::TruncFOp>(op)) {
    return getElementTypeOrSelf(round.getType()).isBF16();
  }
  return calls(op, "llvm.x86.avx512bf16.");
}

bool usesTiles(Operation *op) {
  return calls(op, "llvm.x86.tile") || calls(op, "llvm.x86.ldtilecfg");
}

bool usesTileProducts(Operation *op) { return calls(op, "llvm.x86.tdpbf16ps"); }

bool usesIntegerTileProducts(Operation *op) {
  return calls(op, "llvm.x86.tdpbssd");
}

/// The product of quads of i8.
bool usesQuads(Operation *op) { return calls(op, "llvm.x86.avx512.vpdpbusd."); }

/// What kernels use beyond the ISA levels, and what uses it.
struct Extension {
  StringLiteral feature;
  bool (*isUsedBy)(Operation *op);
};
constexpr Extension extensions[] = {
    {"+avx512bf16", usesBf16Instructions},
    {"+avx512vnni", usesQuads},
    {"+amx-tile", usesTiles},
    {"+amx-bf16", usesTileProducts},
    {"+amx-int8", usesIntegerTileProducts},
};

/// A bit per extension.
using Extensions = uint32_t;

Extensions extensionsOf(Operation *op) {
  Extensions used = 0;
  for (auto [i, extension] : llvm::enumerate(extensions)) {
    used |= Extensions(extension.isUsedBy(op)) << i;
  }
  return used;
}

/// Those that the author of a function named.
Extensions extensionsOf(ArrayAttr names) {
  Extensions used = 0;
  for (auto [i, extension] : llvm::enumerate(extensions)) {
    auto name =
        StringAttr::get(names.getContext(), extension.feature.drop_front());
    used |= Extensions(llvm::is_contained(names, name)) << i;
  }
  return used;
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
        facts.used = extensionsOf(said);
      }
      function.walk([&](Operation *op) {
        facts.used |= extensionsOf(op);
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
    Extensions used = found != functions.end() ? found->second.used : 0;
    SmallVector<StringRef> result;
    for (const std::string &feature : profile.features) {
      auto extension = llvm::find_if(
          extensions, [&](const Extension &e) { return e.feature == feature; });
      if (extension == std::end(extensions) ||
          used >> (extension - extensions) & 1) {
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
    Extensions used = 0;
  };

  void followCalls() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[name, facts] : functions) {
        Extensions before = facts.used;
        for (StringRef callee : facts.callees) {
          auto found = functions.find(callee);
          facts.used |= found != functions.end() ? found->second.used : 0;
        }
        changed |= facts.used != before;
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
      used.insert_range(analysis.featuresOf(launch.getEntry()));
      // Its own code may need more than that with tiles.
      std::string other = withoutAmxName(launch.getEntry());
      if (device.lookupSymbol(other)) {
        used.insert_range(analysis.featuresOf(other));
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
