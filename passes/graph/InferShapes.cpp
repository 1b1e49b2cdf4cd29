// SPDX-License-Identifier: Apache-2.0
//
// graph-infer-shapes: one pass over each function refines types. A declared
// dimension is never made less static; one that contradicts its operands is an
// error. What stays dynamic is left for others to judge.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-infer-shapes"

namespace minic::graph {
#define GEN_PASS_DEF_INFERSHAPES
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

/// `declared` with its one dynamic dimension computed from `elements`.
static FailureOr<SmallVector<int64_t>>
inferReshape(graph::ReshapeOp op, int64_t elements,
             ArrayRef<int64_t> declared) {
  SmallVector<int64_t> shape(declared);
  if (llvm::count_if(shape, ShapedType::isDynamic) != 1) {
    return shape;
  }
  int64_t *unknown = llvm::find_if(shape, ShapedType::isDynamic);
  *unknown = 1;
  int64_t known = llvm::product_of(shape);
  if (known == 0 || elements % known != 0) {
    return op.emitOpError("expects a dimension that keeps ")
           << elements << " elements, got " << known
           << " for each of its indices";
  }
  *unknown = elements / known;
  return shape;
}

/// The type of `op`'s result, as static as its operands allow.
static FailureOr<RankedTensorType> inferResult(Operation *op) {
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
    return cast<RankedTensorType>(types.front())
        .clone(declared.getElementType());
  }
  // These say their own types.
  if (isa<graph::ConstantOp, graph::IotaOp, graph::BroadcastOp>(op)) {
    return declared;
  }
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    if (!operand.hasStaticShape()) {
      return declared;
    }
    auto shape =
        inferReshape(reshape, operand.getNumElements(), declared.getShape());
    return failed(shape) ? FailureOr<RankedTensorType>(failure())
                         : declared.clone(*shape);
  }
  // A pointwise op of one operand: its shape, where that is known.
  SmallVector<int64_t> shape(declared.getShape());
  for (auto [dim, known] : llvm::zip_equal(shape, operand.getShape())) {
    dim = ShapedType::isDynamic(known) ? dim : known;
  }
  return declared.clone(shape);
}

namespace {

struct InferShapes : graph::impl::InferShapesBase<InferShapes> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    for (Block &block : func.getBody()) {
      for (Operation &op : block) {
        if (!isa<graph::GraphDialect>(op.getDialect())) {
          continue;
        }
        auto type = inferResult(&op);
        if (failed(type)) {
          return signalPassFailure();
        }
        if (op.getResult(0).getType() != *type) {
          LDBG() << op << " is " << *type;
          op.getResult(0).setType(*type);
        }
      }
      if (auto returned = dyn_cast<func::ReturnOp>(block.getTerminator())) {
        func.setFunctionType(FunctionType::get(&getContext(),
                                               func.getArgumentTypes(),
                                               returned.getOperandTypes()));
      }
    }
  }
};

} // namespace
