// SPDX-License-Identifier: Apache-2.0
//
// ConstantProduct: a linear or matmul with constant columns, which passes put
// together with others of its input.

#ifndef MINIC_PASSES_GRAPH_PRODUCTS_CONSTANTPRODUCT_H
#define MINIC_PASSES_GRAPH_PRODUCTS_CONSTANTPRODUCT_H

#include "dialects/graph/Graph.h"

#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>
#include <tuple>

namespace minic::graph {

/// input * weight + bias, of which weight and bias are known.
struct ConstantProduct {
  mlir::Operation *op = nullptr;
  mlir::Value input, weight, bias; // bias: null for none
  int64_t axis = 0;                // of the columns in the weight

  /// None for other ops, and for matrices that are not constants with values.
  static std::optional<ConstantProduct> get(mlir::Operation *op);

  mlir::Value result() const { return op->getResult(0); }
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(result().getType());
  }
  int64_t columns() const { return type().getShape().back(); }
  /// Products of one key differ in their columns only.
  auto key() const {
    return std::tuple(input.getAsOpaquePointer(),
                      op->getName().getAsOpaquePointer(), axis,
                      type().getElementType().getAsOpaquePointer());
  }
};

using ProductsByKey = llvm::MapVector<
    decltype(std::declval<ConstantProduct>().key()),
    llvm::SmallVector<ConstantProduct>,
    std::map<decltype(std::declval<ConstantProduct>().key()), unsigned>>;

/// All of `block`, by key, in program order.
ProductsByKey productsOf(mlir::Block &block);

/// The biases of `group` in front of the builder, a constant of zeros for none;
/// empty where there is none at all.
llvm::SmallVector<mlir::Value> biasesOf(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        llvm::ArrayRef<ConstantProduct> group);

/// Constants move in front of the builder.
void moveHere(mlir::OpBuilder &builder, mlir::ValueRange constants);

/// The input of `like` times `weight`, plus `bias` where it is not null.
mlir::Value createProduct(mlir::OpBuilder &builder, mlir::Location loc,
                          const ConstantProduct &like, mlir::Value weight,
                          mlir::Value bias);

/// The columns of `product`'s result from `first` up to `end`, every `step`th.
mlir::Value sliceColumns(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value product, int64_t first, int64_t end,
                         int64_t step);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_PRODUCTS_CONSTANTPRODUCT_H
