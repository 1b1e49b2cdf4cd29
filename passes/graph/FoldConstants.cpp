// SPDX-License-Identifier: Apache-2.0
//
// graph-fold-constants: what is known at compile time is computed at compile
// time. It gives up on constants without bytes, on values it has no evaluator
// for, on i1 (which is packed in bits) and on results that grow too large.

#include "passes/graph/Passes.h"

#include "dialects/graph/ConstantAttrs.h"
#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/ConstantEvaluator.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-fold-constants"

namespace minic::graph {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Ops that move bytes
//===----------------------------------------------------------------------===//

/// Null where there are no bytes, elements are packed in bits, or a moved value
/// becomes a scalar.
static ElementsAttr reshape(ElementsAttr value, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    return dense.reshape(type);
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  }
  if (auto reshaped = dyn_cast<graph::ReshapedAttr>(value)) {
    value = reshaped.getSource();
  }
  bool isMoved = type.getRank() > 0 && type.getElementTypeBitWidth() >= 8 &&
                 graph::hasBytes(value);
  return isMoved ? graph::ReshapedAttr::get(type.getContext(), type, value)
                 : ElementsAttr();
}

/// `moved` with the bytes of its own that small values have.
static ElementsAttr toDense(ElementsAttr moved) {
  FailureOr<graph::ConstantBytes> bytes = graph::ConstantBytes::get(moved);
  return failed(bytes) ? ElementsAttr()
                       : DenseElementsAttr::getFromRawBuffer(
                             cast<ShapedType>(moved.getType()), bytes->bytes());
}

/// Null where there are no bytes, or elements are packed in bits.
static ElementsAttr transpose(graph::TransposeOp op, ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat()) {
    return dense.resizeSplat(op.getType());
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementTypeBitWidth() < 8 || type.getRank() == 0 ||
      !graph::hasBytes(value)) {
    return nullptr;
  }
  ElementsAttr moved = graph::TransposedAttr::of(value, op.getPermutation());
  return dense ? toDense(moved) : moved;
}

/// The same of all operands.
static ElementsAttr concatenate(graph::ConcatOp op,
                                ArrayRef<ElementsAttr> operands) {
  auto type = cast<RankedTensorType>(op.getType());
  if (type.getElementTypeBitWidth() < 8 || type.getNumElements() == 0 ||
      !llvm::all_of(operands, graph::hasBytes)) {
    return nullptr;
  }
  auto moved = graph::ConcatenatedAttr::get(type.getContext(), type, operands,
                                            op.getAxis());
  return llvm::all_of(operands, llvm::IsaPred<DenseElementsAttr>)
             ? toDense(moved)
             : ElementsAttr(moved);
}

/// A cast of bytes, the first step of dequantizing a weight.
static bool widensBytes(Operation *op) {
  auto cast = dyn_cast<graph::CastOp>(op);
  return cast && cast.getInput().getType().getElementType().isInteger(8);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct FoldConstants : graph::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      for (Operation &op : llvm::make_early_inc_range(block)) {
        fold(&op);
      }
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (isa<graph::ConstantOp>(op) && op.use_empty()) {
          op.erase();
        }
      }
    }
  }

  const graph::ConstantEvaluator *evaluator = nullptr;

private:
  void fold(Operation *op) {
    if (!isa<graph::GraphDialect>(op->getDialect()) ||
        op->getNumOperands() == 0 || op->use_empty()) {
      return;
    }
    SmallVector<ElementsAttr> operands;
    int64_t operandBytes = 0;
    StringRef name = "folded";
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<graph::ConstantOp>();
      if (!constant || !constant.getValueAttr() ||
          constant.getValueAttr().getType() != constant.getType()) {
        return;
      }
      operands.push_back(constant.getValueAttr());
      operandBytes += bytesOf(cast<RankedTensorType>(constant.getType()));
      name = constant.getSource().value_or(name);
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape()) {
      return;
    }
    if (bytesOf(type) > std::max<int64_t>(operandBytes, maxGrowthBytes) &&
        !(foldBytes && widensBytes(op))) {
      LDBG() << "left, grows to " << bytesOf(type) << " bytes: " << *op;
      return;
    }
    std::string folded = (name + "." + op->getName().stripDialect()).str();
    ElementsAttr value = evaluate(op, operands);
    if (!value) {
      LDBG() << "left, cannot be evaluated: " << *op;
      return;
    }
    OpBuilder builder(op);
    auto constant = graph::ConstantOp::create(builder, op->getLoc(), value);
    // What is large keeps a name for people; its bytes are no entry of the
    // weights file any more.
    if (!isa<DenseElementsAttr>(value)) {
      constant.setSource(folded);
    }
    op->replaceAllUsesWith(constant);
    op->erase();
    ++this->folded;
  }

  ElementsAttr evaluate(Operation *op, ArrayRef<ElementsAttr> operands) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (isa<graph::ReshapeOp>(op)) {
      return reshape(operands.front(), type);
    }
    if (auto transposed = dyn_cast<graph::TransposeOp>(op)) {
      if (auto value = transpose(transposed, operands.front())) {
        return value;
      }
    }
    if (auto concat = dyn_cast<graph::ConcatOp>(op)) {
      if (auto value = concatenate(concat, operands)) {
        return value;
      }
    }
    auto value = evaluator ? evaluator->evaluate(op, operands) : nullptr;
    return value && value.getType() == type ? value : nullptr;
  }
};

} // namespace

std::unique_ptr<Pass>
minic::graph::createFoldConstants(const ConstantEvaluator &evaluator,
                                  FoldConstantsOptions options) {
  auto pass = std::make_unique<FoldConstants>(std::move(options));
  pass->evaluator = &evaluator;
  return pass;
}
