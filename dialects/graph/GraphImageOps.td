// SPDX-License-Identifier: Apache-2.0
//
// Ops on the pixels of images: pooling and resizing.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHIMAGEOPS
#define MINIC_DIALECTS_GRAPH_GRAPHIMAGEOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphIndexOps.td"

defvar Graph_WindowedElementOp =
    DeclareOpInterfaceMethods<Graph_ElementOpInterface, ["getReadsPerElement"]>;

def Graph_Pool2dOp : Graph_InferredOp<"pool2d", [
    "getPaddingValue", "getFlopsPerPoint", "getFlopsPerResult", "getScalarCost"
  ], [Graph_WindowedElementOp]> {
  let summary = "Maximum, average or sum of windows of an image";
  let description = [{
    `input` is [N, C, H, W] with `layout = "nchw"`, the default, and
    [N, H, W, C] with `layout = "nhwc"`; so is the result. `window`, `strides` and
    `dilations` are [height, width], `pads` is [top, left, bottom, right]. Pads
    take no part: a maximum is that of the elements inside, NaN if one of them
    is, and an average is divided by how many there are. With `count_pads` pads
    count as elements of 0 in the divisor.

    `ceil_mode` adds a window where the last stride is not whole, unless that
    window would begin behind the input. What it reaches over never counts.

    A window as large as the input is a global pool. Windows of extent / size
    and the same strides are adaptive pooling to `size`, where that divides.
    ```mlir
    %0 = graph.pool2d max, %x window = [3, 3] {pads = array<i64: 1, 1, 1, 1>,
         strides = array<i64: 2, 2>}
      : tensor<8x64x112x112xf32> -> tensor<8x64x56x56xf32>
    ```
  }];
  let arguments = (ins
      Graph_PoolKindAttr:$kind, Graph_FloatTensor:$input,
      DenseI64ArrayAttr:$window,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$pads,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
      UnitAttr:$ceil_mode, UnitAttr:$count_pads,
      DefaultValuedAttr<Graph_ImageLayoutAttr,
                        "::minic::graph::ImageLayout::NCHW">:$layout);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $kind `,` $input `window` `=` $window attr-dict `:` type($input) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    /// The windows along the height (0) and the width (1).
    ::minic::graph::WindowLine getLine(unsigned dim);
  }];
}

def Graph_ResizeOp : Graph_InferredOp<"resize", [
    "getFlopsPerPoint"], [Graph_WindowedElementOp]> {
  let summary = "An image with another height and width";
  let description = [{
    `sizes` is [height, width]. Where in the input a result element lies is said
    by the rule, along each of the two: with `half_pixel` at
    (i + 0.5) * in / out - 0.5, with `align_corners` at i * (in - 1) / (out - 1)
    or at 0 where out is 1, with `asymmetric` at i * in / out.

    `nearest` takes the element there: `asymmetric` rounds down, the others to the
    nearest, down where two are as near. `bilinear` takes floats, stops at the
    first and the last element and weighs the four around.
    ```mlir
    %0 = graph.resize bilinear half_pixel, %x to [16, 16]
      : tensor<1x3x8x8xf32> -> tensor<1x3x16x16xf32>
    ```
  }];
  let arguments = (ins
      Graph_ResizeModeAttr:$mode, Graph_ResizeRuleAttr:$rule,
      Graph_NumberTensor:$input, DenseI64ArrayAttr:$sizes,
      DefaultValuedAttr<Graph_ImageLayoutAttr,
                        "::minic::graph::ImageLayout::NCHW">:$layout);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $mode $rule `,` $input `to` $sizes attr-dict `:` type($input) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    /// Where elements along the height (0) and the width (1) come from.
    ::minic::graph::ResizeLine getLine(unsigned dim);
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHIMAGEOPS
