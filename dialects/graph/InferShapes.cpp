// SPDX-License-Identifier: Apache-2.0
//
// One pass over a function, operands before results.

#include "dialects/graph/InferShapes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/KernelOp.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-infer-shapes"

using namespace mlir;

namespace minic::graph {

/// `declared` with its one dynamic dimension computed from `elements`. Where
/// several are dynamic, they stay so.
static FailureOr<SmallVector<int64_t>>
inferReshape(ReshapeOp op, int64_t elements, ArrayRef<int64_t> declared) {
  SmallVector<int64_t> shape(declared);
  int64_t open = llvm::count_if(shape, ShapedType::isDynamic);
  if (open > 1) {
    return shape;
  }
  int64_t *unknown = llvm::find_if(shape, ShapedType::isDynamic);
  if (open == 1) {
    *unknown = 1;
  }
  int64_t known = llvm::product_of(shape);
  if (open == 0 ? known != elements : known == 0 || elements % known != 0) {
    return op.emitOpError("expects the number of elements to stay ")
           << elements << ", got " << (open == 1 ? "a multiple of " : "")
           << known;
  }
  if (open == 0) {
    return shape;
  }
  *unknown = elements / known;
  return shape;
}

static LogicalResult inferOps(Block &block);

/// The types that the body of `op` yields for its operands.
static FailureOr<SmallVector<RankedTensorType>> inferKernel(KernelOp op) {
  SmallVector<RankedTensorType> types;
  if (!op.isLinked()) {
    for (Type type : op.getResultTypes()) {
      types.push_back(cast<RankedTensorType>(type));
    }
    return types;
  }
  Block &body = op.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op.getInputs())) {
    argument.setType(input.getType());
  }
  if (failed(inferOps(body))) {
    return failure();
  }
  for (auto [result, yielded] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    auto type = cast<RankedTensorType>(yielded.getType());
    auto declared = cast<RankedTensorType>(result.getType());
    if (failed(verifyCompatibleShape(declared, type))) {
      return op.emitOpError("declares a result ")
             << declared << ", its reference gives " << type;
    }
    types.push_back(type);
  }
  return types;
}

/// The types of `op`'s results, as static as its operands allow.
static FailureOr<SmallVector<RankedTensorType>> inferResults(Operation *op) {
  using Types = SmallVector<RankedTensorType>;
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    return inferKernel(kernel);
  }
  auto declared = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(infer.inferReturnTypes(
            op->getContext(), op->getLoc(), op->getOperands(),
            op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), types))) {
      return failure();
    }
    // What it declares was found right, and may be wider.
    Types results;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
      results.push_back(cast<RankedTensorType>(type).clone(
          getElementTypeOrSelf(result.getType())));
    }
    return results;
  }
  // These say their own types.
  if (isa<ConstantOp, IotaOp, BroadcastOp>(op)) {
    return Types{declared};
  }
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    if (!operand.hasStaticShape()) {
      return Types{declared};
    }
    auto shape =
        inferReshape(reshape, operand.getNumElements(), declared.getShape());
    return failed(shape) ? FailureOr<Types>(failure())
                         : Types{declared.clone(*shape)};
  }
  // A pointwise op of one operand: its shape, where that is known.
  SmallVector<int64_t> shape(declared.getShape());
  for (auto [dim, known] : llvm::zip_equal(shape, operand.getShape())) {
    dim = ShapedType::isDynamic(known) ? dim : known;
  }
  return Types{declared.clone(shape)};
}

static LogicalResult inferOps(Block &block) {
  for (Operation &op : block) {
    if (!isa<GraphDialect>(op.getDialect()) || isa<YieldOp>(op)) {
      continue;
    }
    auto types = inferResults(&op);
    if (failed(types)) {
      return failure();
    }
    for (auto [result, type] : llvm::zip_equal(op.getResults(), *types)) {
      // A size that was open before may contradict one that the op declares.
      auto declared = cast<RankedTensorType>(result.getType());
      if (failed(verifyCompatibleShape(declared, type))) {
        return op.emitOpError("declares a result ")
               << declared << ", its operands give " << type;
      }
      if (declared != type) {
        LDBG() << op << " is " << type;
        result.setType(type);
      }
    }
  }
  return success();
}

LogicalResult inferShapes(func::FuncOp function) {
  for (Block &block : function.getBody()) {
    if (failed(inferOps(block))) {
      return failure();
    }
    if (auto returned = dyn_cast<func::ReturnOp>(block.getTerminator())) {
      function.setFunctionType(FunctionType::get(function.getContext(),
                                                 function.getArgumentTypes(),
                                                 returned.getOperandTypes()));
    }
  }
  return success();
}

} // namespace minic::graph
