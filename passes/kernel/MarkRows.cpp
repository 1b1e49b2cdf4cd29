// SPDX-License-Identifier: Apache-2.0
//
// kernel-mark-rows: what a padded run does not need is found by the proof that
// lets it be padded, followed through fusions.

#include "passes/kernel/Passes.h"

#include "dialects/graph/Dims.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/IndependentRows.h"
#include "dialects/graph/KernelOp.h"
#include "dialects/kernel/RunRows.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "kernel-mark-rows"

namespace minic::kernel {
#define GEN_PASS_DEF_MARKROWS
#include "passes/kernel/Passes.h.inc"
} // namespace minic::kernel

using namespace mlir;
using namespace minic;
using namespace minic::kernel;

/// Padded dimensions of the bucket that `function` is whose rows are proved
/// independent, with their sizes.
static SmallVector<RunRows> provedDims(func::FuncOp function) {
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  auto get = [&](StringRef name) {
    auto found = bucket ? bucket.getAs<DictionaryAttr>(name) : DictionaryAttr();
    return found ? found : DictionaryAttr::get(function.getContext());
  };
  SmallVector<RunRows> dims;
  DictionaryAttr sizes = get("sizes"), checks = get("checks");
  for (NamedAttribute pad : get("pads")) {
    auto size = sizes.getAs<IntegerAttr>(pad.getName());
    // A mask may leave out a row by a weight of zero, and zero times what no
    // kernel wrote is not zero.
    if (size && size.getInt() > 1 && !checks.contains(pad.getName())) {
      dims.push_back({pad.getName(), size.getInt()});
    }
  }
  return dims;
}

/// The tensor that `value`, in a fusion or not, is or is a view of.
static Value sourceOf(Value value) {
  value = graph::skipReshapes(value);
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *parent = argument ? argument.getOwner()->getParentOp() : nullptr;
  return parent && !isa<func::FuncOp>(parent)
             ? sourceOf(parent->getOperand(argument.getArgNumber()))
             : value;
}

/// Whether `value` may be any bits where `op` reads it: a kernel of the user's,
/// which nobody can look into, and ops that find places by integers, or how
/// much there is of something, may not be given rows that nobody computed.
/// Places out of range would be reported as well.
static bool needsComputed(Operation *op, Value value) {
  if (isa<graph::KernelOp>(op)) {
    return true;
  }
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return isa<graph::FusibleOpInterface>(op) &&
         !isa<graph::PointwiseOpInterface>(op) && element.isInteger() &&
         !element.isInteger(1);
}

static bool hasOpThatNeedsAllRows(func::FuncOp function,
                                  const graph::RowExpressions &rows) {
  return function
      .walk([&](Operation *op) {
        for (Value operand : op->getOperands()) {
          if (rows.contains(operand) && needsComputed(op, operand) &&
              !isa<BlockArgument>(sourceOf(operand))) {
            LDBG() << "needs rows that were computed: " << *op;
            return WalkResult::interrupt();
          }
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the rows of `result` lie one behind the other.
static bool areRowsOutermost(Value result, const graph::RowExpressions &rows,
                             int64_t size) {
  auto type = cast<RankedTensorType>(result.getType());
  auto axis = dyn_cast_or_null<AffineDimExpr>(rows.lookup(result));
  return axis && !type.getEncoding() && type.hasStaticShape() &&
         type.getDimSize(axis.getPosition()) == size &&
         llvm::all_of(type.getShape().take_front(axis.getPosition()),
                      [](int64_t extent) { return extent == 1; });
}

namespace {

struct MarkRows : kernel::impl::MarkRowsBase<MarkRows> {
  void runOnOperation() override {
    for (const RunRows &dim : provedDims(getOperation())) {
      auto rows = graph::findRowExpressions(getOperation(), dim.dim,
                                            llvm::IsaPred<RelayoutOp>);
      if (succeeded(rows) && !hasOpThatNeedsAllRows(getOperation(), *rows)) {
        mark(dim, *rows);
      }
    }
  }

private:
  void mark(const RunRows &dim, const graph::RowExpressions &rows) {
    getOperation().walk([&](FusionOp fusion) {
      bool fits = !fusion->hasAttr(runRowsAttrName) &&
                  llvm::none_of(fusion.getBodyOps(), graph::updatesInPlace) &&
                  llvm::all_of(fusion.getResults(), [&](Value result) {
                    return areRowsOutermost(result, rows, dim.size);
                  });
      if (fits) {
        dim.set(fusion);
        ++fusions;
      }
    });
  }
};

} // namespace
