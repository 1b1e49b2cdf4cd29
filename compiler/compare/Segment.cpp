// SPDX-License-Identifier: Apache-2.0
//
// A slice backwards, then a copy of it forwards.

#include "compiler/compare/Segment.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace minic {

namespace {

struct Slice {
  llvm::DenseSet<Operation *> ops;
  llvm::SetVector<Value> inputs;
};

} // namespace

static Slice sliceBackwards(ArrayRef<Value> results,
                            const llvm::DenseSet<Value> &given) {
  Slice slice;
  SmallVector<Operation *> toVisit;
  auto need = [&](Operation *op) {
    if (slice.ops.insert(op).second) {
      toVisit.push_back(op);
    }
  };
  for (Value result : results) {
    need(result.getDefiningOp());
  }
  while (!toVisit.empty()) {
    for (Value operand : toVisit.pop_back_val()->getOperands()) {
      if (isa<BlockArgument>(operand) || given.contains(operand)) {
        slice.inputs.insert(operand);
      } else {
        need(operand.getDefiningOp());
      }
    }
  }
  return slice;
}

static Type retype(Type type, Type floatType) {
  auto tensor = cast<RankedTensorType>(type);
  return floatType && isa<FloatType>(tensor.getElementType())
             ? tensor.clone(floatType)
             : tensor;
}

Segment extractSegment(Block &body, ArrayRef<Value> results,
                       const llvm::DenseSet<Value> &given, Type floatType) {
  MLIRContext *context = body.getParentOp()->getContext();
  Location unknown = UnknownLoc::get(context);
  Slice slice = sliceBackwards(results, given);
  Segment segment;
  segment.module = ModuleOp::create(unknown);
  // What f32 products may be rounded to is the whole module's.
  if (auto model = body.getParentOp()->getParentOfType<ModuleOp>()) {
    (*segment.module)->setAttrs(model->getDiscardableAttrDictionary());
  }
  segment.inputs.assign(slice.inputs.begin(), slice.inputs.end());

  SmallVector<Type> types, resultTypes;
  for (Value input : segment.inputs) {
    types.push_back(retype(input.getType(), floatType));
  }
  for (Value result : results) {
    resultTypes.push_back(retype(result.getType(), floatType));
  }
  OpBuilder builder(segment.module->getBodyRegion());
  auto function =
      func::FuncOp::create(builder, unknown, "segment",
                           FunctionType::get(context, types, resultTypes));
  segment.body = function.addEntryBlock();
  builder.setInsertionPointToEnd(segment.body);

  IRMapping arguments, mapping;
  arguments.map(segment.inputs, segment.body->getArguments());
  mapping = arguments;
  llvm::DenseMap<Value, Value> computed;
  for (Operation &op : body) {
    if (!slice.ops.contains(&op)) {
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    for (auto [result, made] :
         llvm::zip_equal(op.getResults(), copy->getResults())) {
      Type type = retype(result.getType(), floatType);
      Value value = made;
      if (type != result.getType() && isa<graph::ConstantOp>(op)) {
        value = graph::CastOp::create(builder, op.getLoc(), type, made);
      } else {
        made.setType(cast<RankedTensorType>(type));
      }
      computed[result] = value;
      // Ops behind a value that is given read what is given.
      Value input = arguments.lookupOrNull(result);
      mapping.map(result, input ? input : value);
    }
    if (!isa<graph::ConstantOp>(op)) {
      segment.locations.push_back(op.getLoc());
    }
  }
  func::ReturnOp::create(builder, unknown,
                         llvm::map_to_vector(results, [&](Value result) {
                           return computed.lookup(result);
                         }));
  return segment;
}

} // namespace minic
