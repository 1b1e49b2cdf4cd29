// SPDX-License-Identifier: Apache-2.0
//
// graph-check-supported: what sizes must be, once shapes are inferred. All else
// about a model is verified when it is imported (compiler/import/VerifyModel).
// Later passes may take what both let through for granted. It reports the first
// thing it finds in each op.

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
    return success();
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
    func.walk([&](Operation *op) {
      if (op == func) {
        return;
      }
      for (Type type : op->getResultTypes()) {
        if (failed(checkType(op->getLoc(), type))) {
          result = failure();
          break;
        }
      }
    });
    return result;
  }
};

} // namespace
