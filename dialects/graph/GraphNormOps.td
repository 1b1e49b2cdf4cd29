// SPDX-License-Identifier: Apache-2.0
//
// Ops that scale a row by its own statistics.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHNORMOPS
#define MINIC_DIALECTS_GRAPH_GRAPHNORMOPS

include "dialects/graph/GraphBase.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The result has the type of the input.
class Graph_RowOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([
        Pure, AllTypesMatch<["input", "result"]>,
        DeclareOpInterfaceMethods<Graph_FusibleOpInterface, [
            "getFlopsPerPoint", "getScalarCost"]>,
        DeclareOpInterfaceMethods<Graph_ExpandableOpInterface>], traits)> {
  let results = (outs Graph_FloatTensor:$result);
  let hasVerifier = 1;
}

def Graph_LogSoftmaxOp : Graph_RowOp<"log_softmax"> {
  let summary = "x - max - log(sum of exp(x - max)) along one dimension";
  let description = [{
    As PyTorch's. The sum is f32; the result rounds once. A row with a NaN or
    with +infinity is NaN, and so is a row of -infinity alone.
    ```mlir
    %0 = graph.log_softmax %x axis = 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$axis);
  let assemblyFormat = "$input `axis` `=` $axis attr-dict `:` type($input)";
}

def Graph_LayerNormOp : Graph_RowOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias";
  let description = [{
    Mean and variance (divided by the number of elements) are over the
    dimensions from `axis` on, as in ONNX; `scale` and `bias`, both optional,
    have the shape of those. Statistics and arithmetic are f32; the result
    rounds once. (Ba, Kiros, Hinton, Layer Normalization, 2016.)
    ```mlir
    %0 = graph.layer_norm %x scale %w bias %b axis = 1 {epsilon = 1.0e-6 : f64}
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
      Optional<Graph_FloatTensor>:$scale, Optional<Graph_FloatTensor>:$bias,
      I64Attr:$axis, DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $input (`scale` $scale^)? (`bias` $bias^)? `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_RmsNormOp : Graph_RowOp<"rms_norm"> {
  let summary = "x / sqrt(mean of x^2 + epsilon) * scale";
  let description = [{
    The mean is over the dimensions from `axis` on; `scale`, optional, has the
    shape of those. Arithmetic is f32; the result rounds once. (Zhang, Sennrich,
    Root Mean Square Layer Normalization, 2019.)
    ```mlir
    %0 = graph.rms_norm %x scale %w axis = 1
      : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
      Optional<Graph_FloatTensor>:$scale,
      I64Attr:$axis, DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $input (`scale` $scale^)? `axis` `=` $axis attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_GroupNormOp : Graph_RowOp<"group_norm", [AttrSizedOperandSegments]> {
  let summary = "layer_norm of each group of channels, scaled per channel";
  let description = [{
    `input` is [N, C, ...]; mean and variance are over C / `groups` successive
    channels and all that follows them. `scale` and `bias`, both optional, are
    [C]. Arithmetic is f32; the result rounds once. (Wu, He, Group
    Normalization, 2018.)
    ```mlir
    %0 = graph.group_norm %x scale %w bias %b groups = 2
      : (tensor<1x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>)
      -> tensor<1x6x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
      Optional<Graph_FloatTensor>:$scale, Optional<Graph_FloatTensor>:$bias,
      I64Attr:$groups, DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = [{
    $input (`scale` $scale^)? (`bias` $bias^)? `groups` `=` $groups attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHNORMOPS
