// SPDX-License-Identifier: Apache-2.0
//
// The types after the colon of a binary op: `tensor<4xf32>` where operands and
// result have one type, else `(tensor<4xf32>, tensor<f32>) -> tensor<4xf32>`.
// Both are read for any op; the short one is printed where it is enough.

#ifndef MINIC_DIALECTS_GRAPH_BINARYTYPES_H
#define MINIC_DIALECTS_GRAPH_BINARYTYPES_H

#include "mlir/IR/OpImplementation.h"

namespace minic::graph {

mlir::ParseResult parseBinaryTypes(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                   mlir::Type &rhs, mlir::Type &result);
void printBinaryTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// While one lives, this thread prints the long form of every binary op: for
/// text that is hashed and must not change with the syntax. They may nest.
class PrintAllBinaryTypes {
public:
  PrintAllBinaryTypes();
  ~PrintAllBinaryTypes();
  PrintAllBinaryTypes(const PrintAllBinaryTypes &) = delete;
  PrintAllBinaryTypes &operator=(const PrintAllBinaryTypes &) = delete;
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_BINARYTYPES_H
