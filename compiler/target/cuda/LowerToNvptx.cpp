// SPDX-License-Identifier: Apache-2.0
//
// One dialect conversion instead of a pass per dialect, as on the CPU.

#include "compiler/target/cuda/LowerToNvptx.h"

#include "compiler/target/codegen/MathLowering.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace minic::cuda {

/// pow, tanh, erf, exp, log, sin, cos, some quotients: what no instruction
/// does.
static LogicalResult approximateMath(ModuleOp device) {
  bool hasMath = device
                     .walk([](Operation *op) {
                       return isa<math::MathDialect>(op->getDialect()) ||
                                      isa<arith::DivFOp>(op)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!hasMath) {
    return success();
  }
  RewritePatternSet patterns(device.getContext());
  populateMathLoweringPatterns(patterns, /*hasExp2Instruction=*/true);
  GreedyRewriteConfig config;
  config.enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableConstantCSE(false);
  if (failed(applyPatternsGreedily(device, std::move(patterns), config))) {
    return device.emitError(
        "internal error: math approximation did not converge");
  }
  return success();
}

LogicalResult lowerToNvptx(ModuleOp device, const DeviceProfile &) {
  MLIRContext *context = device.getContext();
  if (failed(approximateMath(device))) {
    return failure();
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
  target.addLegalDialect<NVVM::NVVMDialect>();
  if (failed(applyFullConversion(device, target, std::move(patterns)))) {
    return failure();
  }
  // What NVVM has no intrinsic for becomes inline PTX.
  RewritePatternSet inlined(context);
  populateNVVMToLLVMConversionPatterns(inlined);
  ConversionTarget llvm(*context);
  llvm.addLegalDialect<LLVM::LLVMDialect>();
  return applyPartialConversion(device, llvm, std::move(inlined));
}

} // namespace minic::cuda
