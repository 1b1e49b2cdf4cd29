// SPDX-License-Identifier: Apache-2.0
//
// The interface through which every backend sees pointwise ops.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHINTERFACES
#define MINIC_DIALECTS_GRAPH_GRAPHINTERFACES

include "mlir/IR/OpBase.td"

def Graph_PointwiseOpInterface : OpInterface<"PointwiseOpInterface"> {
  let cppNamespace = "::minic::graph";
  let description = [{
    An op whose result element depends only on the operand elements at the
    same index, after NumPy broadcasting. Emitters call `emitScalar` and never
    switch over op names, so a new activation is one ODS entry and one body.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the op's arithmetic on `operands` and returns the result value.
      Operands are in compute type: f32 for every float dtype, i1 for
      predicates, the declared type for integers; either scalars or vectors
      of one common shape. The result is in compute type as well; rounding to
      a declared 16-bit type is the caller's, except in `graph.cast`, which
      rounds here. Only arith, math and vector ops are built. NaN propagates
      through relu, max, min and clamp.
    }],
    "::mlir::Value", "emitScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>
  ];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHINTERFACES
