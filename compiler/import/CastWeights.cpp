// SPDX-License-Identifier: Apache-2.0
//
// Autocast of what reads weights, as torch.autocast does it: the ops that have
// most of the bytes and of the work, and whose sums are float32 anyway.

#include "compiler/import/CastWeights.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace minic {

/// A named constant, perhaps rearranged; null for anything else.
static graph::ConstantOp weightOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<graph::ReshapeOp, graph::TransposeOp, graph::SliceOp>(
      op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  auto constant = dyn_cast_or_null<graph::ConstantOp>(op);
  return constant && constant.getSource() ? constant : graph::ConstantOp();
}

static bool isF32(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType().isF32();
}

namespace {

class WeightCasts {
public:
  WeightCasts(MLIRContext *context, Type element)
      : builder(context), element(element) {}

  void rewrite(Operation *op);

private:
  Type narrow(Type type) const {
    return cast<RankedTensorType>(type).clone(element);
  }
  Value narrow(Value value);

  OpBuilder builder;
  Type element;
  DenseMap<Value, Value> narrowed;
};

} // namespace

Value WeightCasts::narrow(Value value) {
  if (Value known = narrowed.lookup(value)) {
    return known;
  }
  Operation *op = value.getDefiningOp();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  Value result;
  if (graph::ConstantOp weight = weightOf(value);
      weight && weight.getOperation() == op) {
    result = graph::ConstantOp::create(builder, op->getLoc(),
                                       narrow(value.getType()),
                                       weight.getSourceAttr(), ElementsAttr());
  } else if (weight) {
    Value from = narrow(op->getOperand(0));
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, from);
    copy->getResult(0).setType(narrow(value.getType()));
    result = copy->getResult(0);
  } else {
    result = graph::CastOp::create(builder, value.getLoc(),
                                   narrow(value.getType()), value);
  }
  return narrowed[value] = result;
}

void WeightCasts::rewrite(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : operands) {
    operand = isF32(operand) ? narrow(operand) : operand;
  }
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  Value old = op->getResult(0), result = copy->getResult(0);
  // A matmul may keep its sums; others round them to what they read.
  if (!isa<graph::MatmulOp>(op)) {
    result.setType(narrow(result.getType()));
    result =
        graph::CastOp::create(builder, op->getLoc(), old.getType(), result);
  }
  old.replaceAllUsesWith(result);
  op->erase();
}

/// Whether `op` computes with a weight of float32.
static bool readsWeight(Operation *op) {
  if (!isa<graph::LinearOp, graph::MatmulOp, graph::Conv2dOp, graph::GatherOp>(
          op) ||
      !isF32(op->getOperand(0)) || !isF32(op->getResult(0))) {
    return false;
  }
  return weightOf(op->getOperand(0)) ||
         (!isa<graph::GatherOp>(op) && weightOf(op->getOperand(1)));
}

void castWeights(ModuleOp module, StringRef dtype) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  module->setAttr(castWeightsAttrName, builder.getStringAttr(dtype));
  if (dtype == "f32") {
    return;
  }
  Type element = dtype == "bf16" ? Type(builder.getBF16Type())
                                 : Type(builder.getF16Type());
  WeightCasts casts(context, element);
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (readsWeight(op)) {
      ops.push_back(op);
    }
  });
  for (Operation *op : ops) {
    casts.rewrite(op);
  }
  // Wide weights that nobody reads any more, after the views of them.
  SmallVector<Operation *> views;
  module->walk([&](Operation *op) {
    if (isa<graph::ConstantOp, graph::ReshapeOp, graph::TransposeOp,
            graph::SliceOp>(op)) {
      views.push_back(op);
    }
  });
  for (Operation *op : llvm::reverse(views)) {
    if (op->use_empty() && weightOf(op->getResult(0))) {
      op->erase();
    }
  }
}

} // namespace minic
