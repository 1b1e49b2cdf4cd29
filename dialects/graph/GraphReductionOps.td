// SPDX-License-Identifier: Apache-2.0
//
// Ops that make one element of many: reductions, and softmax over them.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHREDUCTIONOPS
#define MINIC_DIALECTS_GRAPH_GRAPHREDUCTIONOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_ReduceOp : Graph_Op<"reduce", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Graph_FusibleOpInterface, [
        "getFlopsPerPoint", "getFlopsPerResult"]>,
    DeclareOpInterfaceMethods<Graph_ReductionOpInterface>]> {
  let summary = "Sum, mean, max, min or product over some dimensions";
  let description = [{
    `axes` ascend; at least one is given. The dimensions of the result are the
    others of the input in order; with `keep_dims` each reduced one stays as 1.
    A reduced extent is 1 or more. State is f32 for floats; max and min are NaN
    where an element is. Integers are exact, wrap, and have no mean.
    ```mlir
    %0 = graph.reduce sum, %x [1] : tensor<4x8xf32> -> tensor<4xf32>
    %1 = graph.reduce max, %x [0, 1] {keep_dims}
      : tensor<4x8xf32> -> tensor<1x1xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_NumberTensor:$input,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $kind `,` $input $axes attr-dict `:` type($input) `->` type($result)
  }];
}

def Graph_SoftmaxOp : Graph_Op<"softmax", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Graph_FusibleOpInterface, [
        "getFlopsPerPoint", "getScalarCost"]>,
    DeclareOpInterfaceMethods<Graph_ExpandableOpInterface>]> {
  let summary = "exp(x - max) / sum of exp(x - max) along one dimension";
  let description = [{
    Exponentials and their sum are f32; the result rounds once. A row with a
    NaN is NaN, and so is a row of infinities alone.
    ```mlir
    %0 = graph.softmax %x axis = 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHREDUCTIONOPS
