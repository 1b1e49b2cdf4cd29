// SPDX-License-Identifier: Apache-2.0
//
// graph-merge-linears: products of one input with several constant matrices
// become one product with all of them side by side. It gives up on matrices
// that are not constants with values, and leaves out a product whose reader
// would have been computed in its kernel.

#include "passes/graph/Passes.h"
#include "passes/graph/products/ConstantProduct.h"
#include "passes/graph/raise/Match.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-merge-linears"

namespace minic::graph {
#define GEN_PASS_DEF_MERGELINEARS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

//===----------------------------------------------------------------------===//
// What merging costs
//===----------------------------------------------------------------------===//

/// Whether columns from `begin` on of a tensor whose columns are of the dtype
/// and rows of `value` are dense and aligned.
static bool isDenseFrom(Value value, int64_t begin) {
  RankedTensorType type = typeOf(value);
  return llvm::product_of(type.getShape().drop_back()) == 1 &&
         begin * type.getElementTypeBitWidth() / 8 % viewAlignment == 0;
}

/// Whether `use` of a product's result reads a part of a wider result at no
/// cost. `isView`: the part is dense. `isReshaped`: it is read under another
/// shape, so that no product's kernel computes the reader.
static bool readsPart(OpOperand &use, bool isView, bool isReshaped) {
  Operation *user = use.getOwner();
  if (auto reshape = dyn_cast<ReshapeOp>(user)) {
    return llvm::all_of(reshape->getUses(), [&](OpOperand &next) {
      return readsPart(next, isView, /*isReshaped=*/true);
    });
  }
  if (isa<PointwiseOpInterface>(user)) {
    return isReshaped;
  }
  // These copy anyway, or attention reads through them.
  if (isa<TransposeOp>(user) || (isa<SliceOp>(user) && !graph::isView(user))) {
    return true;
  }
  bool isStrided = isa<AttentionOp>(user) && use.getOperandNumber() < 3;
  return isView || isStrided;
}

/// Products of `group` that lose nothing as parts of a wider one.
static SmallVector<ConstantProduct>
withoutLoss(ArrayRef<ConstantProduct> group) {
  SmallVector<ConstantProduct> kept;
  int64_t begin = 0;
  for (const ConstantProduct &product : group) {
    bool isView = isDenseFrom(product.result(), begin);
    if (llvm::all_of(product.result().getUses(), [&](OpOperand &use) {
          return readsPart(use, isView, /*isReshaped=*/false);
        })) {
      kept.push_back(product);
      begin += product.columns();
    } else {
      LDBG() << "left alone, its reader needs a kernel then: " << *product.op;
    }
  }
  return kept;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void merge(ArrayRef<ConstantProduct> group) {
  const ConstantProduct &first = group.front();
  OpBuilder builder(first.op);
  SmallVector<Value> weights;
  SmallVector<Location> locations;
  for (const ConstantProduct &each : group) {
    weights.push_back(each.weight);
    locations.push_back(each.op->getLoc());
  }
  Location loc = builder.getFusedLoc(locations);
  // graph-fold-constants makes them one.
  moveHere(builder, weights);
  Value weight = ConcatOp::create(builder, loc, weights, uint64_t(first.axis));
  SmallVector<Value> biases = biasesOf(builder, loc, group);
  Value bias =
      biases.empty() ? Value() : ConcatOp::create(builder, loc, biases, 0);
  Value merged = createProduct(builder, loc, first, weight, bias);
  int64_t begin = 0;
  for (const ConstantProduct &each : group) {
    int64_t end = begin + each.columns();
    each.op->replaceAllUsesWith(ValueRange(sliceColumns(
        builder, each.op->getLoc(), merged, begin, end, /*step=*/1)));
    begin = end;
  }
  for (const ConstantProduct &each : group) {
    each.op->erase();
  }
}

namespace {

struct MergeLinears : graph::impl::MergeLinearsBase<MergeLinears> {
  using MergeLinearsBase::MergeLinearsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      for (auto &[key, all] : productsOf(block)) {
        SmallVector<ConstantProduct> group = always ? all : withoutLoss(all);
        if (group.size() > 1) {
          merge(group);
          merged += group.size();
        }
      }
    }
  }
};

} // namespace
