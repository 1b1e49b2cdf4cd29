// SPDX-License-Identifier: Apache-2.0
//
// Flattens kernel.fusion and checks that every op can be evaluated.

#include "compiler/reference/Trace.h"

#include "compiler/reference/Evaluation.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/Kernel.h"

using namespace mlir;

namespace minic::reference {

Value Trace::resolve(Value value) const {
  for (auto it = aliases.find(value); it != aliases.end();
       it = aliases.find(value)) {
    value = it->second;
  }
  return value;
}

static LogicalResult checkTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) {
      return op->emitError("the reference evaluates tensors of static shape, "
                           "got ")
             << type;
    }
  }
  return success();
}

static LogicalResult append(Block &body, Trace &trace);

/// The ops of `inner`, the body of `op`, which takes its operands and yields
/// its results.
static LogicalResult appendBody(Operation *op, Block &inner, Trace &trace) {
  for (auto [argument, input] :
       llvm::zip_equal(inner.getArguments(), op->getOperands())) {
    trace.aliases[argument] = input;
  }
  if (failed(append(inner, trace))) {
    return failure();
  }
  for (auto [result, value] : llvm::zip_equal(
           op->getResults(), inner.getTerminator()->getOperands())) {
    trace.aliases[result] = value;
  }
  return success();
}

static LogicalResult append(Block &body, Trace &trace) {
  for (Operation &op : body.without_terminator()) {
    if (failed(checkTypes(&op))) {
      return failure();
    }
    if (auto fusion = dyn_cast<kernel::FusionOp>(op)) {
      if (failed(appendBody(fusion, fusion.getBody().front(), trace))) {
        return failure();
      }
    } else if (auto kernel = dyn_cast<graph::KernelOp>(op);
               kernel && kernel.isLinked()) {
      if (failed(appendBody(kernel, kernel.getBody().front(), trace))) {
        return failure();
      }
    } else if (auto relayout = dyn_cast<kernel::RelayoutOp>(op)) {
      trace.aliases[relayout.getResult()] = relayout.getInput();
    } else if (isa<graph::ConstantOp>(op) || isEvaluated(&op)) {
      trace.ops.push_back(&op);
    } else {
      return op.emitError("the float64 reference knows no op '")
             << op.getName() << "'";
    }
  }
  return success();
}

FailureOr<Trace> Trace::get(Block &body) {
  Trace trace;
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape()) {
      return emitError(argument.getLoc(), "the reference evaluates tensors of "
                                          "static shape, got an argument of ")
             << argument.getType();
    }
  }
  if (failed(append(body, trace))) {
    return failure();
  }
  llvm::append_range(trace.results, body.getTerminator()->getOperands());
  return trace;
}

} // namespace minic::reference
