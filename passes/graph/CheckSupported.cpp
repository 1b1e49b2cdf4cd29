// SPDX-License-Identifier: Apache-2.0
//
// graph-check-supported: the one place that says "unsupported" about a model
// before anything is decided. Later passes may take what it lets through for
// granted. It reports the first thing it finds in each op.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace minic::graph {
#define GEN_PASS_DEF_CHECKSUPPORTED
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;

/// Far above any memory, far below where byte counts overflow.
static constexpr int64_t maxElements = int64_t(1) << 47;

static LogicalResult checkType(Location loc, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return emitError(loc, "unsupported: values must be ranked tensors, got ")
           << type;
  }
  int64_t elements = 1;
  for (auto [index, dim] : llvm::enumerate(tensor.getShape())) {
    if (ShapedType::isDynamic(dim)) {
      return emitError(loc, "unsupported: dynamic dimension ")
             << index << " of " << type
             << ", shape buckets are not implemented yet";
    }
    if (dim == 0) {
      return emitError(loc, "unsupported: empty tensor ") << type;
    }
    if (llvm::MulOverflow(elements, dim, elements) || elements > maxElements) {
      return emitError(loc, "unsupported: ")
             << type << " has more than 2^47 elements";
    }
  }
  return success();
}

static LogicalResult checkOp(Operation *op) {
  if (!isa<graph::GraphDialect>(op->getDialect()) && !isa<func::ReturnOp>(op)) {
    return op->emitError("unsupported: '")
           << op->getName() << "' in a model, only graph ops can be compiled";
  }
  for (Type type : op->getResultTypes()) {
    if (failed(checkType(op->getLoc(), type))) {
      return failure();
    }
  }
  return success();
}

namespace {

struct CheckSupported : graph::impl::CheckSupportedBase<CheckSupported> {
  void runOnOperation() override {
    if (failed(check(getOperation()))) {
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

private:
  LogicalResult check(func::FuncOp func) {
    if (func.isExternal()) {
      return success();
    }
    if (!func.getBody().hasOneBlock()) {
      return func.emitError("unsupported: control flow in function '")
             << func.getSymName() << "'";
    }
    LogicalResult result = success();
    for (BlockArgument argument : func.getArguments()) {
      if (failed(checkType(argument.getLoc(), argument.getType()))) {
        result = failure();
      }
    }
    // A dynamic argument makes other types dynamic; report only the argument.
    if (failed(result)) {
      return failure();
    }
    for (Operation &op : func.getBody().front()) {
      if (failed(checkOp(&op))) {
        result = failure();
      }
    }
    return result;
  }
};

} // namespace
