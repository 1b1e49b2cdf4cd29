// SPDX-License-Identifier: Apache-2.0
//
// Ops along one dimension that depend on the order of its elements, or find it.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHORDEROPS
#define MINIC_DIALECTS_GRAPH_GRAPHORDEROPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphIndexOps.td"

def Graph_ArgReduceOp : Graph_InferredOp<"arg_reduce", ["getFlopsPerPoint"], [
    DeclareOpInterfaceMethods<Graph_ReductionOpInterface, ["needsIndices"]>]> {
  let summary = "Index of the greatest (or least) element along one dimension";
  let description = [{
    The lowest index where several are equal. NaN is the greatest of all for
    `max` and the least of all for `min`, so that it is found either way, as
    PyTorch does. With `keep_dims` the reduced dimension stays as 1.
    ```mlir
    %0 = graph.arg_reduce max, %x axis = 1 : tensor<4x8xf32> -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Graph_ExtremeAttr:$extreme, Graph_NumberTensor:$input,
                       I64Attr:$axis, UnitAttr:$keep_dims);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $extreme `,` $input `axis` `=` $axis attr-dict `:` type($input) `->`
    type($result)
  }];
}

def Graph_TopKOp : Graph_InferredOp<"top_k", [], [
    DeclareOpInterfaceMethods<Graph_ElementOpInterface, [
        "getReadsPerElement"]>]> {
  let summary = "The k greatest (or least) elements along one dimension, sorted";
  let description = [{
    Results are the elements, the extreme one first, and their indices. Equal
    ones come in the order of their indices; NaN comes first.
    ```mlir
    %0, %1 = graph.top_k max, %x axis = 1 k = 3
      : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x3xi64>
    ```
  }];
  let arguments = (ins Graph_ExtremeAttr:$extreme, Graph_NumberTensor:$input,
                       I64Attr:$axis, I64Attr:$k);
  let results = (outs Graph_NumberTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $extreme `,` $input `axis` `=` $axis `k` `=` $k attr-dict `:` type($input)
    `->` type($values) `,` type($indices)
  }];
}

def Graph_CumsumOp : Graph_FusibleOp<"cumsum", [
      "getPaddingValue", "getFlopsPerPoint"], [
    SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Graph_ReductionOpInterface>]> {
  let summary = "Sums of all elements up to each along one dimension";
  let description = [{
    `exclusive` leaves out the element itself; `reverse` begins at the end, as
    in ONNX. Sums of floats are f32; those of integers wrap.
    ```mlir
    %0 = graph.cumsum %x axis = 1 {exclusive} : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$input, I64Attr:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHORDEROPS
