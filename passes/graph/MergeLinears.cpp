// SPDX-License-Identifier: Apache-2.0
//
// graph-merge-linears: products of one input with several constant matrices
// become one product with all of them side by side. It gives up on matrices
// that are not constants with values, and leaves out a product whose reader
// would have been computed in its kernel.

#include "passes/graph/Passes.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Views.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#include <tuple>

#define DEBUG_TYPE "graph-merge-linears"

namespace minic::graph {
#define GEN_PASS_DEF_MERGELINEARS
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Products that can be merged
//===----------------------------------------------------------------------===//

namespace {

/// input * weight + bias.
struct Product {
  Operation *op;
  Value input, weight, bias; // bias: null for none
  int64_t axis;              // of the columns in the weight

  Value result() const { return op->getResult(0); }
  int64_t columns() const { return typeOf(result()).getShape().back(); }
  /// Products of one key differ in their columns only.
  auto key() const {
    return std::tuple(input.getAsOpaquePointer(),
                      op->getName().getAsOpaquePointer(), axis,
                      typeOf(result()).getElementType().getAsOpaquePointer());
  }
};

} // namespace

/// Its bytes can be copied.
static bool isKnown(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && constant.getValueAttr() &&
         constant.getValueAttr().getType() == constant.getType();
}

static std::optional<Product> getProduct(Operation *op) {
  Product product{op, nullptr, nullptr, nullptr, 0};
  if (auto linear = dyn_cast<LinearOp>(op)) {
    product.input = linear.getInput();
    product.weight = linear.getWeight();
    product.bias = linear.getBias();
  } else if (auto matmul = dyn_cast<MatmulOp>(op)) {
    if (matmul.getTransposeLhs() || typeOf(matmul.getRhs()).getRank() != 2) {
      return std::nullopt;
    }
    product.input = matmul.getLhs();
    product.weight = matmul.getRhs();
    product.axis = matmul.getTransposeRhs() ? 0 : 1;
  } else {
    return std::nullopt;
  }
  bool isComplete = isKnown(product.weight) &&
                    (!product.bias || isKnown(product.bias)) &&
                    typeOf(product.result()).hasStaticShape();
  return isComplete ? std::optional(product) : std::nullopt;
}

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
static SmallVector<Product> withoutLoss(ArrayRef<Product> group) {
  SmallVector<Product> kept;
  int64_t begin = 0;
  for (const Product &product : group) {
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

/// The constants one after another; graph-fold-constants makes them one.
static Value concatenate(OpBuilder &builder, Location loc, ValueRange pieces,
                         int64_t axis) {
  for (Value piece : pieces) {
    Operation *constant = piece.getDefiningOp();
    Operation *here = &*builder.getInsertionPoint();
    if (!constant->isBeforeInBlock(here)) {
      constant->moveBefore(here);
    }
  }
  return ConcatOp::create(builder, loc, pieces, uint64_t(axis));
}

/// The biases one after another, 0 for none; null where there is none at all.
static Value concatenateBiases(OpBuilder &builder, Location loc,
                               ArrayRef<Product> group) {
  if (llvm::none_of(group, [](const Product &each) { return each.bias; })) {
    return nullptr;
  }
  SmallVector<Value> biases;
  for (const Product &each : group) {
    Value bias = each.bias;
    if (!bias) {
      Type dtype = typeOf(each.result()).getElementType();
      auto type = RankedTensorType::get({each.columns()}, dtype);
      bias = ConstantOp::create(builder, loc,
                                cast<ElementsAttr>(DenseElementsAttr::get(
                                    type, builder.getZeroAttr(dtype))));
    }
    biases.push_back(bias);
  }
  return concatenate(builder, loc, biases, 0);
}

static void merge(ArrayRef<Product> group) {
  const Product &first = group.front();
  OpBuilder builder(first.op);
  SmallVector<Value> weights;
  SmallVector<Location> locations;
  for (const Product &each : group) {
    weights.push_back(each.weight);
    locations.push_back(each.op->getLoc());
  }
  Location loc = builder.getFusedLoc(locations);
  Value weight = concatenate(builder, loc, weights, first.axis);
  SmallVector<int64_t> shape(typeOf(first.result()).getShape());
  shape.back() = typeOf(weight).getDimSize(first.axis);
  RankedTensorType type = typeOf(first.result()).clone(shape);
  Value merged;
  if (isa<LinearOp>(first.op)) {
    merged = LinearOp::create(builder, loc, type, first.input, weight,
                              concatenateBiases(builder, loc, group));
  } else {
    merged = MatmulOp::create(builder, loc, type, first.input, weight,
                              /*transpose_lhs=*/false,
                              /*transpose_rhs=*/first.axis == 0);
  }
  SmallVector<int64_t> starts(shape.size()), ends(shape),
      steps(shape.size(), 1);
  for (const Product &each : group) {
    ends.back() = starts.back() + each.columns();
    Value part = SliceOp::create(builder, each.op->getLoc(), merged, starts,
                                 ends, steps);
    each.op->replaceAllUsesWith(ValueRange(part));
    starts.back() = ends.back();
  }
  for (const Product &each : group) {
    each.op->erase();
  }
}

namespace {

struct MergeLinears : graph::impl::MergeLinearsBase<MergeLinears> {
  using MergeLinearsBase::MergeLinearsBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      using Key = decltype(std::declval<Product>().key());
      llvm::MapVector<Key, SmallVector<Product>, std::map<Key, unsigned>>
          groups;
      for (Operation &op : block) {
        if (auto product = getProduct(&op)) {
          groups[product->key()].push_back(*product);
        }
      }
      for (auto &[key, all] : groups) {
        SmallVector<Product> group = always ? all : withoutLoss(all);
        if (group.size() > 1) {
          merge(group);
          merged += group.size();
        }
      }
    }
  }
};

} // namespace
