// SPDX-License-Identifier: Apache-2.0
//
// Which ops are products with constants, and how wider ones are made.

#include "passes/graph/products/ConstantProduct.h"

#include "passes/graph/raise/Match.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::graph {

std::optional<ConstantProduct> ConstantProduct::get(Operation *op) {
  ConstantProduct product{op, nullptr, nullptr, nullptr, 0};
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
                    product.type().hasStaticShape();
  return isComplete ? std::optional(product) : std::nullopt;
}

ProductsByKey productsOf(Block &block) {
  ProductsByKey products;
  for (Operation &op : block) {
    if (auto product = ConstantProduct::get(&op)) {
      products[product->key()].push_back(*product);
    }
  }
  return products;
}

SmallVector<Value> biasesOf(OpBuilder &builder, Location loc,
                            ArrayRef<ConstantProduct> group) {
  if (llvm::none_of(group,
                    [](const ConstantProduct &each) { return each.bias; })) {
    return {};
  }
  SmallVector<Value> biases;
  for (const ConstantProduct &each : group) {
    Value bias = each.bias;
    if (!bias) {
      Type dtype = each.type().getElementType();
      auto type = RankedTensorType::get({each.columns()}, dtype);
      bias = ConstantOp::create(builder, loc,
                                cast<ElementsAttr>(DenseElementsAttr::get(
                                    type, builder.getZeroAttr(dtype))));
    }
    biases.push_back(bias);
  }
  moveHere(builder, biases);
  return biases;
}

void moveHere(OpBuilder &builder, ValueRange constants) {
  for (Value value : constants) {
    Operation *constant = value.getDefiningOp();
    Operation *here = &*builder.getInsertionPoint();
    if (!constant->isBeforeInBlock(here)) {
      constant->moveBefore(here);
    }
  }
}

Value createProduct(OpBuilder &builder, Location loc,
                    const ConstantProduct &like, Value weight, Value bias) {
  SmallVector<int64_t> shape(like.type().getShape());
  shape.back() = typeOf(weight).getDimSize(like.axis);
  RankedTensorType type = like.type().clone(shape);
  if (isa<LinearOp>(like.op)) {
    return LinearOp::create(builder, loc, type, like.input, weight, bias);
  }
  return MatmulOp::create(builder, loc, type, like.input, weight,
                          /*transpose_lhs=*/false,
                          /*transpose_rhs=*/like.axis == 0);
}

Value sliceColumns(OpBuilder &builder, Location loc, Value product,
                   int64_t first, int64_t end, int64_t step) {
  SmallVector<int64_t> ends(typeOf(product).getShape());
  SmallVector<int64_t> starts(ends.size()), steps(ends.size(), 1);
  starts.back() = first;
  ends.back() = end;
  steps.back() = step;
  return SliceOp::create(builder, loc, product, starts, ends, steps);
}

} // namespace minic::graph
