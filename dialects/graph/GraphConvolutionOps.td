// SPDX-License-Identifier: Apache-2.0
//
// Convolutions: the anchors of convolution fusions.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS
#define MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphContractionOps.td"
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

#endif // MINIC_DIALECTS_GRAPH_GRAPHCONVOLUTIONOPS
