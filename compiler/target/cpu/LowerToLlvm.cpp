// SPDX-License-Identifier: Apache-2.0
//
// One dialect conversion instead of a pass per dialect: kernels are small, and
// walking them once is what keeps a build short.

#include "compiler/target/cpu/LowerToLlvm.h"

#include "compiler/target/codegen/MathLowering.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace minic::cpu {

namespace {

bool hasMath(ModuleOp device) {
  return device
      .walk([](Operation *op) {
        return isa<math::MathDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether values are widened from bf16 or rounded to it.
bool convertsBf16(ModuleOp device) {
  return device
      .walk([](Operation *op) {
        bool converts =
            isa<arith::ExtFOp, arith::TruncFOp>(op) &&
            (getElementTypeOrSelf(op->getOperand(0).getType()).isBF16() ||
             getElementTypeOrSelf(op->getResult(0).getType()).isBF16());
        return converts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// bf16 is the upper half of an f32. Where LLVM saw values of bf16 it would
/// select and compare them as such, widened and rounded back by a call of
/// __truncsfbf2. MLIR's own patterns come with one for rounding, too, for which
/// CPUs may have an instruction.
struct ExtendBf16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!getElementTypeOrSelf(from).isBF16() ||
        !getElementTypeOrSelf(to).isF32()) {
      return failure();
    }
    auto integers = [&](unsigned bits) -> Type {
      Type element = rewriter.getIntegerType(bits);
      auto vector = dyn_cast<VectorType>(from);
      return vector ? Type(vector.clone(element)) : element;
    };
    Location loc = op.getLoc();
    Value bits =
        arith::BitcastOp::create(rewriter, loc, integers(16), op.getIn());
    Value wide = arith::ExtUIOp::create(rewriter, loc, integers(32), bits);
    Value count = arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(rewriter.getI32Type(), 16));
    if (auto vector = dyn_cast<VectorType>(wide.getType())) {
      count = vector::BroadcastOp::create(rewriter, loc, vector, count);
    }
    wide = arith::ShLIOp::create(rewriter, loc, wide, count);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, wide);
    return success();
  }
};

LogicalResult applyGreedily(ModuleOp device, RewritePatternSet patterns) {
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableConstantCSE(false);
  return applyPatternsGreedily(device, std::move(patterns), config);
}

} // namespace

LogicalResult approximateMath(ModuleOp device) {
  MLIRContext *context = device.getContext();
  RewritePatternSet patterns(context);
  populateMathLoweringPatterns(patterns, /*hasExp2Instruction=*/false);
  populateMathPolynomialApproximationPatterns(
      patterns, [](StringRef name) { return name == "math.tanh"; });
  if (failed(applyGreedily(device, std::move(patterns)))) {
    return device.emitError(
        "internal error: math approximation did not converge");
  }
  // Approximations of neighbouring values share constants and subterms.
  IRRewriter rewriter(context);
  for (auto function : device.getOps<LLVM::LLVMFuncOp>()) {
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
  }
  return success();
}

LogicalResult lowerToLlvm(ModuleOp device, const DeviceProfile &profile) {
  MLIRContext *context = device.getContext();
  if (hasMath(device) && failed(approximateMath(device))) {
    return failure();
  }
  if (convertsBf16(device)) {
    RewritePatternSet expand(context);
    if (profile.has("avx512bf16")) {
      expand.add<ExtendBf16>(context);
    } else {
      // Without the instruction LLVM would call __truncsfbf2.
      arith::populateExpandBFloat16Patterns(expand);
    }
    if (failed(applyGreedily(device, std::move(expand)))) {
      return device.emitError("internal error: bf16 expansion did not "
                              "converge");
    }
  }

  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(device, target, std::move(patterns));
}

} // namespace minic::cpu
