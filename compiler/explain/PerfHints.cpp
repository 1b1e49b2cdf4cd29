// SPDX-License-Identifier: Apache-2.0
//
// One function per topic, one rule per hint.

#include "compiler/explain/PerfHints.h"

#include "compiler/explain/WhyApart.h"
#include "compiler/pipeline/DescribeFusion.h"
#include "compiler/pipeline/EstimateSelector.h"
#include "compiler/target/LostNan.h"
#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic {

static void forEachFusion(
    ModuleOp module,
    llvm::function_ref<void(StringRef function, kernel::FusionOp)> visit) {
  for (auto function : module.getOps<func::FuncOp>()) {
    function.walk(
        [&](kernel::FusionOp fusion) { visit(function.getName(), fusion); });
  }
}

void logFusions(ModuleOp module, const CompileOptions &options) {
  const Log &log = options.log;
  forEachFusion(module, [&](StringRef function, kernel::FusionOp fusion) {
    size_t ops = fusion.getBodyOps().size();
    log.line(LogTopic::Fusion,
             llvm::formatv("fusion @{0} {1}: {2} op{3}, {4} result{5}",
                           function, describeFusion(fusion), ops,
                           ops == 1 ? "" : "s", fusion.getNumResults(),
                           fusion.getNumResults() == 1 ? "" : "s"));
    // What uses a result of another fusion could not be taken in.
    for (Value input : fusion.getInputs()) {
      if (auto producer = input.getDefiningOp<kernel::FusionOp>()) {
        log.line(LogTopic::Fusion,
                 llvm::formatv("  apart from {0}: {1}",
                               describeFusion(producer),
                               whyApart(fusion, producer, options.fuse)));
      }
    }
  });
}

/// Hints about one fusion with a contraction.
static void hintGemm(StringRef function, kernel::FusionOp fusion,
                     const DeviceProfile &profile, const Log &log) {
  std::string reason;
  FailureOr<kernel::FusionShape> shape =
      kernel::FusionShape::get(fusion, &reason);
  std::string what =
      ("@" + function + " " + describeFusion(fusion) + ": ").str();
  if (failed(shape) || !shape->gemm) {
    return;
  }
  const kernel::GemmShape &gemm = *shape->gemm;
  if (profile.isGpu()) {
    return; // collectHints says more, once it is known what was chosen
  }
  // With avx512fp16, too: sums in f16 are beyond the bounds of its results
  // (docs/measurements/2026-11-28-fp16.md), so no kernel uses its products.
  if (gemm.lhsType.isF16()) {
    log.line(LogTopic::PerfHints,
             what + "f16 is converted to f32 on this CPU" +
                 (profile.has("avx512bf16") ? "; bf16 has its own instruction"
                                            : ""));
  }
  // Below one flop per byte and peak ratio the weights' bytes are the time.
  double intensity = 2.0 * gemm.m / kernel::getElementBytes(gemm.rhsType);
  double balance =
      profile.memoryGBs > 0
          ? profile.peakGflops * profile.threads / profile.memoryGBs
          : 0;
  bool streamsWeights =
      gemm.k * gemm.n * kernel::getElementBytes(gemm.rhsType) > profile.l2Bytes;
  if (gemm.rhsType.isF32() && streamsWeights && intensity < balance) {
    log.line(LogTopic::PerfHints,
             what + "M = " + Twine(gemm.m) +
                 " is limited by reading the weights; bf16 weights halve them, "
                 "a larger batch shares them");
  }
  if (gemm.n < 8 && gemm.n > 1) {
    log.line(LogTopic::PerfHints,
             what + "N = " + Twine(gemm.n) +
                 " leaves most of each vector unused; layers that share an "
                 "input could be one with their N together");
  }
}

/// Whether the fusion transposes and computes nothing, so that its launch is a
/// copy. Where it computes, it reads the transposed operand as it lies.
static bool isTransposeAlone(kernel::FusionOp fusion) {
  return llvm::any_of(
             fusion.getBodyOps(),
             [](Operation *op) { return isa<graph::TransposeOp>(op); }) &&
         llvm::all_of(fusion.getBodyOps(), [](Operation *op) {
           return isa<graph::TransposeOp, graph::ReshapeOp, graph::SliceOp>(op);
         });
}

void logPerfHints(ModuleOp module, const DeviceProfile &profile,
                  const CompileOptions &options) {
  const Log &log = options.log;
  if (!log.has(LogTopic::PerfHints)) {
    return;
  }
  if (options.inputAlignment < 64) {
    log.line(LogTopic::PerfHints,
             "--input-alignment=" + Twine(options.inputAlignment) +
                 ": vectors that cross cache lines cost twice; align inputs "
                 "and outputs to 64 bytes");
  }
  forEachFusion(module, [&](StringRef function, kernel::FusionOp fusion) {
    if (hasAnchor(fusion)) {
      hintGemm(function, fusion, profile, log);
    } else if (isTransposeAlone(fusion)) {
      log.line(LogTopic::PerfHints,
               "@" + function + " " + describeFusion(fusion) +
                   ": a transpose that nothing absorbs is a copy of " +
                   Twine(countFusionBytes(fusion)) +
                   " bytes; a matmul that reads it transposed "
                   "(transpose_lhs, transpose_rhs) needs none");
    }
  });
}

void logNanLosses(ModuleOp module, const Target &target, const Log &log) {
  if (!log.has(LogTopic::Fusion)) {
    return;
  }
  forEachFusion(module, [&](StringRef function, kernel::FusionOp fusion) {
    std::string ops = opsThatLoseNan(fusion, target);
    if (!ops.empty()) {
      log.line(LogTopic::Fusion,
               "@" + function + " " + describeFusion(fusion) +
                   ": a NaN is lost in " + ops +
                   " of the library; --propagate-nan takes others");
    }
  });
}

void logMemory(ModuleOp plan, const Log &log) {
  if (!log.has(LogTopic::Memory)) {
    return;
  }
  int64_t packed = 0, dense = 0;
  for (auto constant : plan.getOps<plan::ConstantOp>()) {
    auto type = cast<RankedTensorType>(constant.getType());
    packed += kernel::getBytes(type);
    dense += kernel::getBytes(kernel::withoutLayout(type));
  }
  log.line(LogTopic::Memory,
           llvm::formatv("constants: {0} bytes, {1} without padding", packed,
                         dense));
  for (auto function : plan.getOps<plan::FunctionOp>()) {
    function.walk([&](plan::VariantOp variant) {
      int64_t buffers = 0, count = 0;
      variant.walk([&](plan::BufferOp buffer) {
        buffers += buffer.getBytes();
        ++count;
      });
      auto live = variant->getAttrOfType<IntegerAttr>("plan.live_bytes");
      log.line(LogTopic::Memory,
               llvm::formatv("@{0}: arena peak {1} bytes for {2} buffers of "
                             "{3} bytes together, {4} live at once",
                             function.getSymName(),
                             variant.getArenaBytes().value_or(0), count,
                             buffers, live ? live.getInt() : 0));
    });
  }
}

} // namespace minic
