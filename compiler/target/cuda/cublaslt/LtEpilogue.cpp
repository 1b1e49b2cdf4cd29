// SPDX-License-Identifier: Apache-2.0
//
// Walks from the contraction to the result.

#include "compiler/target/cuda/cublaslt/LtEpilogue.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

using kernel::BroadcastMap;
using kernel::FusionShape;

namespace {

class EpilogueMatcher {
public:
  EpilogueMatcher(const FusionShape &shape, std::string &reason)
      : shape(shape), reason(reason),
        resultType(getElementTypeOrSelf(shape.results[0].getType())) {}

  FailureOr<LtEpilogue> match() {
    if (shape.results.size() > 2) {
      return fail("more than two results");
    }
    if (!resultType.isF32() && resultType != shape.gemm->lhsType) {
      return fail("cuBLASLt has no such result dtype for these operands");
    }
    if (Value bias = shape.gemm->bias; bias && failed(setBias(bias))) {
      return failure();
    }
    Value current = shape.anchor->getResult(0);
    for (Operation *op : shape.epilogue) {
      if (!isLink(current, op)) {
        return fail("the epilogue is not a chain");
      }
      if (failed(append(op, current))) {
        return failure();
      }
      current = op->getResult(0);
    }
    if (current != shape.results[0]) {
      return fail("the epilogue is not a chain");
    }
    if (shape.results.size() == 2 && !epilogue.hasAux) {
      return fail("a second result that is not gelu's operand");
    }
    return epilogue;
  }

private:
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  /// `op` is the only op that reads `value`; the yield may as well.
  bool isLink(Value value, Operation *op) {
    unsigned uses = 0;
    for (OpOperand &use : value.getUses()) {
      uses += use.getOwner() == op;
      if (use.getOwner() != op && !isa<kernel::YieldOp>(use.getOwner())) {
        return false;
      }
    }
    bool isYielded = llvm::is_contained(shape.results, value);
    return uses == 1 && (!isYielded || value == shape.results.back());
  }

  /// What is added is read in the result's dtype.
  LogicalResult checkType(Value operand, StringRef what) {
    if (getElementTypeOrSelf(operand.getType()) != resultType) {
      return fail(Twine("a") + (what == "bias" ? " " : "n ") + what +
                  " whose dtype is not the result's");
    }
    return success();
  }

  LogicalResult setBias(Value bias) {
    if (epilogue.bias) {
      return fail("more than one value per column added");
    }
    epilogue.bias = bias;
    return checkType(bias, "bias");
  }

  LogicalResult add(Operation *op, Value current) {
    Value other = op->getOperand(op->getOperand(0) == current ? 1 : 0);
    if (!isa<BlockArgument>(other)) {
      return fail("the epilogue is not a chain");
    }
    if (epilogue.activation != "none") {
      return fail("cuBLASLt adds nothing after an activation");
    }
    auto type = cast<RankedTensorType>(other.getType());
    SmallVector<int64_t> strides =
        BroadcastMap::get(type.getShape(), shape.space).strides;
    if (strides == BroadcastMap::get(shape.space, shape.space).strides &&
        type.getNumElements() == llvm::product_of(shape.space)) {
      if (epilogue.addend) {
        return fail("more than one tensor added");
      }
      epilogue.addend = other;
      return checkType(other, "addend");
    }
    bool isColumn = !strides.empty() && strides.back() == 1 &&
                    !llvm::any_of(ArrayRef<int64_t>(strides).drop_back(),
                                  [](int64_t s) { return s; });
    if (!isColumn) {
      return fail("cuBLASLt adds a value per column or a tensor of the "
                  "result's shape only");
    }
    return setBias(other);
  }

  LogicalResult activate(StringRef activation, Value current) {
    if (epilogue.activation != "none") {
      return fail("cuBLASLt has one activation");
    }
    epilogue.activation = activation;
    if (shape.results.size() == 2 && shape.results[1] == current) {
      if (activation != "gelu_tanh" ||
          getElementTypeOrSelf(current.getType()) != resultType ||
          shape.gemm->n % 8 != 0) {
        return fail("a second result that is not gelu's operand");
      }
      epilogue.hasAux = true;
    }
    return success();
  }

  LogicalResult castTo(graph::CastOp op) {
    Type to = op.getType().getElementType();
    // Values are f32 until the result is rounded.
    if (to.isF32() || op.getResult() == shape.results[0]) {
      return success();
    }
    return fail("cuBLASLt rounds nothing but the result");
  }

  LogicalResult append(Operation *op, Value current) {
    if (isa<graph::AddOp>(op)) {
      return add(op, current);
    }
    if (isa<graph::ReluOp>(op)) {
      return activate("relu", current);
    }
    if (auto gelu = dyn_cast<graph::GeluOp>(op)) {
      if (gelu.getApproximate() != graph::GeluApproximation::Tanh) {
        return fail("cuBLASLt's gelu is the tanh form, not the exact one");
      }
      if (resultType.isF32()) {
        return fail("cuBLASLt's gelu is not known to be accurate to f32");
      }
      return activate("gelu_tanh", current);
    }
    if (auto cast = dyn_cast<graph::CastOp>(op)) {
      return castTo(cast);
    }
    return fail("cuBLASLt has no epilogue for " + op->getName().getStringRef());
  }

  const FusionShape &shape;
  std::string &reason;
  const Type resultType;
  LtEpilogue epilogue;
};

} // namespace

FailureOr<LtEpilogue> LtEpilogue::get(const FusionShape &shape,
                                      std::string &reason) {
  return EpilogueMatcher(shape, reason).match();
}

} // namespace minic::cuda
