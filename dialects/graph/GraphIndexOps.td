// SPDX-License-Identifier: Apache-2.0
//
// Ops that choose, place, repeat or count elements by their index.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHINDEXOPS
#define MINIC_DIALECTS_GRAPH_GRAPHINDEXOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Graph_FusibleOp<string mnemonic, list<string> fusible = [],
                      list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<Graph_FusibleOpInterface, fusible>],
        traits)>;

class Graph_InferredOp<string mnemonic, list<string> fusible = [],
                       list<Trait> traits = []>
    : Graph_FusibleOp<mnemonic, fusible, !listconcat([
        DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)>;

defvar Graph_ElementOp = DeclareOpInterfaceMethods<Graph_ElementOpInterface>;

def Graph_GatherOp : Graph_InferredOp<"gather", ["getOperandRole"],
                                      [Graph_ElementOp]> {
  let summary = "Takes the input's slices at indices along one dimension";
  let description = [{
    `indices` of any shape replace dimension `axis` of the input, as NumPy's
    `take` and ONNX's Gather: an embedding is a gather along axis 0. An index
    out of range is clamped to the first or the last; a negative one is out of
    range.
    ```mlir
    %0 = graph.gather %table, %ids axis = 0
      : (tensor<100x8xf32>, tensor<2x5xi64>) -> tensor<2x5x8xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input, Graph_IndexTensor:$indices,
                       I64Attr:$axis);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_GatherElementsOp : Graph_InferredOp<"gather_elements",
    ["getOperandRole"], [Graph_ElementOp]> {
  let summary = "Takes one element of the input for each index";
  let description = [{
    The result has the shape of `indices`, which has the input's rank and is no
    longer than it but along `axis`. An element is the input's at its own index,
    but for dimension `axis`, where the index operand says it: ONNX's
    GatherElements, NumPy's `take_along_axis`. Indices out of range as in
    `gather`.
    ```mlir
    %0 = graph.gather_elements %x, %ids axis = 1
      : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input, Graph_IndexTensor:$indices,
                       I64Attr:$axis);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_ConcatOp : Graph_InferredOp<"concat", ["getPaddingValue"],
                                      [Graph_ElementOp]> {
  let summary = "Inputs one after another along one dimension";
  let description = [{
    All have one dtype and one shape but for the extent of `axis`.
    ```mlir
    %0 = graph.concat %a, %b axis = 1
      : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_StoredTensor>:$inputs, I64Attr:$axis);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $inputs `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_SliceOp : Graph_InferredOp<"slice"> {
  let summary = "Elements from starts to ends, every steps-th";
  let description = [{
    One number per dimension in each list: 0 <= start <= end <= extent, and a
    step of 1 or more.
    ```mlir
    %0 = graph.slice %x [0, 2] to [4, 8] by [1, 3]
      : tensor<4x8xf32> -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$ends, DenseI64ArrayAttr:$steps);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $input $starts `to` $ends `by` $steps attr-dict `:` type($input) `->`
    type($result)
  }];
}

def Graph_PadOp : Graph_InferredOp<"pad", ["getPaddingValue"], [
    DeclareOpInterfaceMethods<Graph_ElementOpInterface, ["saysReads"]>]> {
  let summary = "The input with more elements before and after it";
  let description = [{
    One number of elements, 0 or more, per dimension in each list. They are
    `value`, rounded to the dtype; with `mode = #graph.pad_mode<reflect>` those
    of the input mirrored at its first and last element, which are not repeated;
    with `#graph.pad_mode<edge>` the first and the last element again.
    ```mlir
    %0 = graph.pad %x before [0, 1] after [2, 0] {value = 1.0 : f64}
      : tensor<4x8xf32> -> tensor<6x9xf32>
    %1 = graph.pad %x before [0, 1] after [2, 0]
           {mode = #graph.pad_mode<reflect>}
      : tensor<4x8xf32> -> tensor<6x9xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input, DenseI64ArrayAttr:$before,
                       DenseI64ArrayAttr:$after,
                       DefaultValuedAttr<F64Attr, "0.0">:$value,
                       DefaultValuedAttr<Graph_PadModeAttr,
                           "::minic::graph::PadMode::Constant">:$mode);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $input `before` $before `after` $after attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Graph_BroadcastOp : Graph_FusibleOp<"broadcast"> {
  let summary = "The input repeated to a shape that it broadcasts to";
  let description = [{
    By NumPy's rule. Pointwise ops broadcast their operands themselves; this is
    for others, and for results.
    ```mlir
    %0 = graph.broadcast %x : tensor<8x1xf32> to tensor<4x8x3xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_FusibleOp<"iota", [], [Graph_ElementOp]> {
  let summary = "The index along one dimension: 0, 1, 2, ...";
  let description = [{
    An op without operands; what fuses with it uses the loop's index.
    ```mlir
    %0 = graph.iota axis = 1 : tensor<1x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = "`axis` `=` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_CacheUpdateOp : Graph_InferredOp<"cache_update", [
    "getOperandRole"], [Graph_ElementOp]> {
  let summary = "The cache with an update written at a position";
  let description = [{
    `update` has the cache's shape but for a smaller extent of `axis`, along
    which it is written from `position` on, an integer. A position at which it
    would not fit is clamped, as XLA's dynamic-update-slice does.
    ```mlir
    %0 = graph.cache_update %cache, %new at %position axis = 2
      : (tensor<1x8x64x16xf32>, tensor<1x8x1x16xf32>, tensor<i64>)
      -> tensor<1x8x64x16xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$cache, Graph_StoredTensor:$update,
                       Graph_IndexTensor:$position, I64Attr:$axis);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $cache `,` $update `at` $position `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHINDEXOPS
