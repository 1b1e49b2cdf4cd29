// SPDX-License-Identifier: Apache-2.0
//
// The interfaces through which passes and backends see ops, whatever their
// names are.

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

def Graph_FusibleOpInterface : OpInterface<"FusibleOpInterface"> {
  let cppNamespace = "::minic::graph";
  let description = [{
    An op that can be part of a fusion: loops over an iteration space whose
    points read and write elements. All of minic's ops except constants.

    What is done at a point follows from the op's other interface:
    PointwiseOpInterface computes the result element from the operands'.
    ReductionOpInterface combines operand elements into a state per result
    element. ElementOpInterface says its own reads, at indices that maps need
    not know. An op with none of them moves elements: the result element is
    that of the one data operand.
  }];
  let methods = [
    InterfaceMethod<"The loops, and a map per operand and per result.",
      "::minic::graph::IterationSpace", "getIterationSpace">,
    InterfaceMethod<"What operand number `operand` is to the op.",
      "::minic::graph::OperandRole", "getOperandRole",
      (ins "unsigned":$operand), "",
      "return ::minic::graph::OperandRole::Data;">,
    InterfaceMethod<[{
      What a read outside of operand number `operand` gives, in the operand's
      dtype. Null where the maps never leave it.
    }],
    "::mlir::TypedAttr", "getPaddingValue", (ins "unsigned":$operand), "",
    "return {};">,
    InterfaceMethod<[{
      Arithmetic at each point of the space, as papers count it: a
      multiplication and an addition are two.
    }],
    "int64_t", "getFlopsPerPoint", (ins), "", "return 0;">,
    InterfaceMethod<"The same for each finished result element: a bias's sum.",
      "int64_t", "getFlopsPerResult", (ins), "", "return 0;">,
    InterfaceMethod<"What a kernel pays for one result element's arithmetic.",
      "::minic::graph::ScalarCost", "getScalarCost", (ins), "",
      "return ::minic::graph::ScalarCost::Simple;">
  ];
}

def Graph_ReductionOpInterface : OpInterface<"ReductionOpInterface"> {
  let cppNamespace = "::minic::graph";
  let description = [{
    A FusibleOpInterface whose every result element comes from one pass over
    the reduction and window iterators. An emitter keeps a state per point of
    the parallel iterators: one or more values in compute type (f32 for every
    float dtype, the declared type for integers), scalars or vectors of one
    common shape. It begins as `emitInit` says, takes in each point's operand
    elements by `emitCombine`, in any order, and ends by `emitFinish`. States
    of disjoint parts of the points join by `emitMerge`. Only arith, math and
    vector ops are built.

    Padding takes part as a point like any other: the value read is the
    operand's padding value.
  }];
  let methods = [
    InterfaceMethod<"What the reduction does to its state.",
      "::minic::graph::Monoid", "getMonoid">,
    InterfaceMethod<"True if `emitCombine` wants to know which point it is at.",
      "bool", "needsIndices", (ins), "", "return false;">,
    InterfaceMethod<[{
      The state of no points. Vectors of `shape`; scalars where it is empty.
    }],
    "::llvm::SmallVector<::mlir::Value>", "emitInit",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
      The state with one more point: `operands` has the elements there, one
      value per operand of the op, null for biases. `indices` has the point's
      index along each reduction and window iterator in i64, shaped as the
      state is; empty unless `needsIndices`.
    }],
    "::llvm::SmallVector<::mlir::Value>", "emitCombine",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$state,
         "::mlir::ValueRange":$operands, "::mlir::ValueRange":$indices)>,
    InterfaceMethod<"The state of the points of both.",
      "::llvm::SmallVector<::mlir::Value>", "emitMerge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$lhs,
           "::mlir::ValueRange":$rhs)>,
    InterfaceMethod<[{
      One value per result, in compute type, of the state of all points.
      `operands` has the elements of biases, null for the others.
    }],
    "::llvm::SmallVector<::mlir::Value>", "emitFinish",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$state,
         "::mlir::ValueRange":$operands)>
  ];
}

def Graph_ElementOpInterface : OpInterface<"ElementOpInterface"> {
  let cppNamespace = "::minic::graph";
  let description = [{
    A FusibleOpInterface that reads elements at indices which data decide
    (gather), chooses among operands (concat), or reads several elements of one
    operand for one of the result (rotary, top_k). All results have one shape.

    An emitter asks for one element of every result at a time. It never asks
    the maps of such an op, which passes may still use where they are not null.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the elements of all results at `indices`, one i64 per dimension,
      and returns them in compute type (f32 for every float dtype, i1 for
      predicates, the declared type for integers). Operands' elements come from
      `access`, always at indices within the operand: what data say is clamped
      and, where it was outside, reported. Only arith, math and scf ops are
      built, at `builder`'s insertion point, which is also the place where
      `access` builds; it ends behind them.
    }],
    "::llvm::SmallVector<::mlir::Value>", "emitElements",
    (ins "::mlir::OpBuilder &":$builder,
         "::minic::graph::ElementAccess &":$access,
         "::mlir::ValueRange":$indices)>,
    InterfaceMethod<"Roughly how many elements are read for one of a result.",
      "int64_t", "getReadsPerElement", (ins), "", "return 1;">,
    InterfaceMethod<[{
      False for an op that needs the interface with other attributes only: it is
      none of these ops now.
    }],
    "bool", "saysReads", (ins), "", "return true;">
  ];
  let extraClassOf = [{
    return $_op.saysReads();
  }];
}

def Graph_ExpandableOpInterface : OpInterface<"ExpandableOpInterface"> {
  let cppNamespace = "::minic::graph";
  let description = [{
    A named op that other graph ops can say in full. Libraries implement it by
    its name; `expand` in a `#kernel.choice` puts the ops of its stages in its
    place.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the stages on the op's operands and returns a value per result, of
      the same type. What lies between the stages is f32, so that expanding
      rounds nowhere but where the op itself does.
    }],
    "::llvm::SmallVector<::mlir::Value>", "expand",
    (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHINTERFACES
