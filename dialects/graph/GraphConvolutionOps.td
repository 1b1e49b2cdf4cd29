// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: the anchors of convolution fusions.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS
#define MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphContractionOps.td"
include "dialects/graph/GraphIndexOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Conv2dOp : Graph_SumOfProductsOp<"conv2d", ["getPaddingValue"]> {
  let summary = "2-D convolution (cross-correlation) of input and filter, + bias";
  let description = [{
    `input` is [N, C, H, W] with `layout = "nchw"`, the default, and
    [N, H, W, C] with `layout = "nhwc"`; the result is [N, K, P, Q] or
    [N, P, Q, K] likewise. `filter` is [K, C / groups, R, S] in either case, as
    PyTorch stores it, and `bias` is [K]. All have one dtype; sums are
    accumulated in f32.

    `strides` and `dilations` are [height, width], `pads` is
    [top, left, bottom, right]; pads read as zeros. Group g maps the g-th
    C / groups input channels to the g-th K / groups output channels.
    ```mlir
    %0 = graph.conv2d %x, %w, %b {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>}
      : (tensor<8x14x14x64xf32>, tensor<256x64x3x3xf32>, tensor<256xf32>)
      -> tensor<8x14x14x256xf32>
    ```
  }];
  let arguments = (ins
      Graph_FloatTensor:$input, Graph_FloatTensor:$filter,
      Optional<Graph_FloatTensor>:$bias,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$pads,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<Graph_ImageLayoutAttr,
                        "::minic::graph::ImageLayout::NCHW">:$layout);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Extents and attributes by name, whatever the layout.
    ::minic::graph::Conv2dGeometry getGeometry();
  }];
}

def Graph_ConvTranspose2dOp : Graph_InferredOp<"conv_transpose2d", [
    "getOperandRole", "getFlopsPerPoint", "getFlopsPerResult"], [
    DeclareOpInterfaceMethods<Graph_ElementOpInterface, [
        "getReadsPerElement"]>]> {
  let summary = "2-D transposed convolution of input and filter, + bias";
  let description = [{
    What `conv2d` with the same attributes does to its input's gradient: each
    input element adds its products with the filter to a window of the result.
    Layouts are those of `conv2d`; `filter` is [C, K / groups, R, S], as PyTorch
    stores it, and `bias` is [K]. The result's height is
    (H - 1) * stride - top - bottom + (R - 1) * dilation + output_pad + 1, and
    its width likewise; `output_pads` is [height, width].

    minic compiles it as a `conv2d` where its filter is a constant.
    ```mlir
    %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>}
      : (tensor<1x64x14x14xf32>, tensor<64x32x2x2xf32>)
      -> tensor<1x32x28x28xf32>
    ```
  }];
  let arguments = (ins
      Graph_FloatTensor:$input, Graph_FloatTensor:$filter,
      Optional<Graph_FloatTensor>:$bias,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$pads,
      DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$output_pads,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<Graph_ImageLayoutAttr,
                        "::minic::graph::ImageLayout::NCHW">:$layout);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// Of the convolution whose input is the result and whose result is the
    /// input.
    ::minic::graph::Conv2dGeometry getGeometry();
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS
