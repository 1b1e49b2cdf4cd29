// SPDX-License-Identifier: Apache-2.0
//
// Passes on the graph dialect. What folds without looking further than an op
// and its operands' producers is a fold or a canonicalization of the dialect.

#ifndef MINIC_PASSES_GRAPH_PASSES
#define MINIC_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"graph-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Lets images have the order that ops on a target want them in";
  let description = [{
    Convolutions, pools and resizes state whether images are NCHW or NHWC. They
    and what can compute in either order (pointwise ops, reductions, concats, pads,
    slices) get the orders that take the least time, with a transpose where the
    order changes. Arguments and results of the function keep theirs. Constants
    follow at no cost, and so does an image whose bytes are the same in both orders.
    A transpose that the model has between the two orders disappears where both
    sides of it get one.

    The choice is a minimum cut: exact for the costs that the pass was made with.
    Without, as here, ops that state an order want `layout`: one in the other
    order costs four times as much as its images take to relay.
    ```mlir
    %0 = graph.conv2d %x, %w : (tensor<1x8x4x4xf32>, tensor<6x8x1x1xf32>)
      -> tensor<1x6x4x4xf32>
    %1 = graph.relu %0 : tensor<1x6x4x4xf32>
    ```
    becomes
    ```mlir
    %0 = graph.transpose %x [0, 2, 3, 1] : ...
    %1 = graph.conv2d %0, %w {layout = "nhwc"} : ...
    %2 = graph.relu %1 : tensor<1x4x4x6xf32>
    %3 = graph.transpose %2 [0, 3, 1, 2] : ...
    ```
  }];
  let options = [
    Option<"layout", "layout", "std::string", "\"nhwc\"",
           "The order that is wanted, nchw or nhwc">];
  let statistics = [
    Statistic<"changed", "changed", "Ops that compute in another order">,
    Statistic<"relayouts", "relayouts", "Transposes between orders">];
}

def CheckSupported : Pass<"graph-check-supported", "::mlir::func::FuncOp"> {
  let summary = "Reports sizes that a model may have but minic cannot compile";
  let description = [{
    Errors begin with "unsupported:". Dimensions that stay dynamic, empty and
    oversized tensors. What else makes a module a model is verified when it is
    imported.
  }];
}

def FoldConstants : Pass<"graph-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Evaluates ops whose operands are all constants with values";
  let description = [{
    Reshapes, transposes and concats move the elements of constants: those of resources
    when the artifact is written (#graph.transposed, #graph.concatenated), so that a
    weight is never in memory twice. Arithmetic is done by the ConstantEvaluator that the
    pass was made with (without one it is left).
    A result that is larger than the op's operands together, as a broadcast's,
    is evaluated only up to `max-growth-bytes`: computing it at run time costs
    less than loading it. A constant that others use as well stays beside the
    folded one.
    ```mlir
    %w = graph.constant @w = dense_resource<w> : tensor<8x4xf32>
    %0 = graph.transpose %w [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = graph.constant @w.transpose
        = #graph.transposed<dense_resource<w> : tensor<8x4xf32>, [1, 0]> : tensor<4x8xf32>
    ```
  }];
  let options = [
    Option<"maxGrowthBytes", "max-growth-bytes", "int64_t", "1 << 20",
           "Largest result, in bytes, that may be larger than its operands">,
    Option<"foldBytes", "fold-bytes", "bool", "false",
           "Evaluate casts of bytes however large their results are: weights that "
           "are packed then, not widened in each run">];
  let statistics = [
    Statistic<"folded", "folded", "Ops evaluated">];
}

def LowerUnsigned : Pass<"graph-lower-unsigned", "::mlir::func::FuncOp"> {
  let summary = "Makes tensors of ui8 tensors of i8 with the same bits";
  let description = [{
    Ops that only move elements do the same with either. A cast from ui8 widens
    to i32 and clears the copies of the sign; a cast from a float to ui8 goes
    through i32. Arguments and results of a function that its caller has as ui8
    keep `graph.unsigned`.
    ```mlir
    func.func @main(%x: tensor<4xui8>) -> tensor<4xf32> {
      %0 = graph.cast %x : tensor<4xui8> to tensor<4xf32>
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xi8> {graph.unsigned}) -> tensor<4xf32> {
      %0 = graph.cast %x : tensor<4xi8> to tensor<4xi32>
      %1 = graph.constant dense<255> : tensor<i32>
      %2 = graph.and %0, %1 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      %3 = graph.cast %2 : tensor<4xi32> to tensor<4xf32>
    ```
  }];
  let statistics = [Statistic<"lowered", "lowered", "Casts rewritten">];
}

def MultiplyBytes : Pass<"graph-multiply-bytes", "::mlir::func::FuncOp"> {
  let summary = "Makes products of dequantized tensors products of their bytes";
  let description = [{
    A linear or matmul whose operands are bytes times a scale, of lhs one scale and
    a zero point, of rhs a scale for each column or one, multiplies the bytes. What
    zero point and scales do is applied to the sums. In real numbers the result is
    the same; a product of bytes rounds nothing. For targets that multiply i8, and
    before constants are folded, which makes floats of weights.
    ```mlir
    %0 = graph.cast %x : tensor<4x8xi8> to tensor<4x8xf32>
    %1 = graph.mul %0, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %2 = graph.cast %w : tensor<6x8xi8> to tensor<6x8xf32>
    %3 = graph.mul %2, %t : (tensor<6x8xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %4 = graph.linear %1, %3 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    ```
    becomes
    ```mlir
    %0 = graph.linear %x, %w : (tensor<4x8xi8>, tensor<6x8xi8>) -> tensor<4x6xi32>
    %1 = graph.cast %0 : tensor<4x6xi32> to tensor<4x6xf32>
    %2 = graph.mul %1, %st : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let statistics = [Statistic<"changed", "changed", "Products of bytes made">];
}

def InferShapes : Pass<"graph-infer-shapes", "::mlir::func::FuncOp"> {
  let summary = "Makes result types as static as their operands allow";
  let description = [{
    Goes through a function once, in order, and refines the types of op results
    and then of the function's. A reshape with one dynamic dimension gets it
    from the number of its elements.
    ```mlir
    %0 = graph.reshape %x : tensor<4x8xf32> to tensor<?x16xf32>
    %1 = graph.relu %0 : tensor<?x16xf32>
    ```
    becomes
    ```mlir
    %0 = graph.reshape %x : tensor<4x8xf32> to tensor<2x16xf32>
    %1 = graph.relu %0 : tensor<2x16xf32>
    ```
  }];
}

def MergeConstants : Pass<"graph-merge-constants", "::mlir::func::FuncOp"> {
  let summary = "Makes one of the vectors that have the same bytes";
  let description = [{
    Exporters differ in whether they store equal tensors once, such as biases of
    zero. Of vectors of one type whose resources hold the same bytes, the first
    stays. Matrices are left alone.
    ```mlir
    %0 = graph.constant @a = dense_resource<a> : tensor<2xf32>
    %1 = graph.constant @b = dense_resource<b> : tensor<2xf32>
    %2 = graph.add %0, %1 : ...
    ```
    becomes, where `a` and `b` are alike,
    ```mlir
    %0 = graph.constant @a = dense_resource<a> : tensor<2xf32>
    %2 = graph.add %0, %0 : ...
    ```
  }];
  let statistics = [
    Statistic<"merged", "merged", "Constants that became another one">];
}

def InterleaveGates : Pass<"graph-interleave-gates", "::mlir::func::FuncOp"> {
  let summary = "Multiplies an input by gate and value of a gated unit at once";
  let description = [{
    Two linears of one input and as many columns, with constant weights, whose
    results only meet in one pointwise op, become one linear: its columns are
    theirs in turn, and two slices take every second one. So do matmuls with
    constant right operands. A thread of the product's kernel has columns next
    to each other, so it computes the unit, and writes half as many. Without
    such kernels the linears are better apart, each with what reads it.
    graph-fold-constants makes the weights one constant.
    ```mlir
    %g = graph.linear %x, %wg : ... -> tensor<4x8xf32>
    %v = graph.linear %x, %wv : ... -> tensor<4x8xf32>
    %s = graph.silu %g : tensor<4x8xf32>
    %0 = graph.mul %s, %v : ...
    ```
    becomes
    ```mlir
    %both = graph.linear %x, %w : ... -> tensor<4x16xf32>
    %g = graph.slice %both [0, 0] to [4, 16] by [1, 2] : ...
    %v = graph.slice %both [0, 1] to [4, 16] by [1, 2] : ...
    %s = graph.silu %g : tensor<4x8xf32>
    %0 = graph.mul %s, %v : ...
    ```
  }];
  let statistics = [
    Statistic<"interleaved", "interleaved", "Pairs of products made one">];
}

def MergeLinears : Pass<"graph-merge-linears", "::mlir::func::FuncOp"> {
  let summary = "Multiplies an input by all of its constant matrices at once";
  let description = [{
    Linears of one input with constant weights become one, whose columns are
    theirs side by side, and slices of its result; so do matmuls with constant
    right operands. graph-fold-constants makes the weights one constant.

    Only those are merged whose results are read as a part of a wider one at no
    cost: transposed, as attention's query, key or value, under another shape by
    a pointwise op, or by anybody where the part is a dense view. A pointwise op
    of the result's own shape is computed by the product's kernel, which it
    could not be then.
    ```mlir
    %q = graph.linear %x, %wq : ...
    %k = graph.linear %x, %wk : ...
    ```
    becomes
    ```mlir
    %w = graph.concat %wq, %wk axis = 0 : ...
    %0 = graph.linear %x, %w : ...
    %q = graph.slice %0 [0, 0] to [128, 768] by [1, 1] : ...
    %k = graph.slice %0 [0, 768] to [128, 1536] by [1, 1] : ...
    ```
  }];
  let options = [
    Option<"always", "always", "bool", "false",
           "Merge whatever the readers of the results are">];
  let statistics = [
    Statistic<"merged", "merged", "Products that became part of another">];
}

def PushTransposes : Pass<"graph-push-transposes", "::mlir::func::FuncOp"> {
  let summary = "Moves transposes toward inputs until they disappear";
  let description = [{
    A transpose disappears where it meets its inverse, a constant (folded by
    graph-fold-constants), or a contraction, which reads either operand either
    way. Between NCHW and NHWC it disappears in a convolution, pool or resize of
    the other layout, if it does so on the way to that op's input. It moves
    through a pointwise op only if it disappears on the way to each operand, so
    no transpose is ever duplicated.
    ```mlir
    %0 = graph.transpose %k [0, 2, 1] : ...
    %1 = graph.matmul %q, %0 : ...
    ```
    becomes
    ```mlir
    %1 = graph.matmul %q, %k {transpose_rhs} : ...
    ```
  }];
}

def Raise : Pass<"graph-raise", "::mlir::func::FuncOp"> {
  let summary = "Makes named ops of what exporters write in pieces";
  let description = [{
    Each meaning has one form then, whoever wrote the model, and so one tuning
    key; fusions and libraries see ops that have names. Rounding stays where it
    is written: a cast in the middle of a pattern is not looked through, unless
    it loses nothing.
    ```mlir
    %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> ...
    %1 = graph.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> ...
    ```
    becomes
    ```mlir
    %0 = graph.transpose %w [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
    %1 = graph.linear %x, %0, %b : ...
    ```
    It runs where transposes are pushed, constants are folded and equal values
    are one.

    Attention gets one form wherever it comes from: a mask that is known becomes
    an attribute or nothing, another has the smallest shape that broadcasts,
    and repeated keys and values are shared by heads. docs/numerics.md says what
    becomes of queries without keys.
  }];
}

def SinkSlices : Pass<"graph-sink-slices", "::mlir::func::FuncOp"> {
  let summary = "Moves slices behind reshapes, to the ops that read them as strides";
  let description = [{
    A slice in front of a reshape is a copy: a reshape is another name for dense
    memory. Behind it, transposes, pointwise ops and attention read it as
    strides. It moves if it takes a part of one dimension, without steps, that
    is a part of one dimension of the reshaped tensor too.
    ```mlir
    %0 = graph.slice %x [0, 0, 12] to [1, 7, 24] by [1, 1, 1] : tensor<1x7x36xf32> -> ...
    %1 = graph.reshape %0 : tensor<1x7x12xf32> to tensor<1x7x3x4xf32>
    ```
    becomes
    ```mlir
    %0 = graph.reshape %x : tensor<1x7x36xf32> to tensor<1x7x9x4xf32>
    %1 = graph.slice %0 [0, 0, 3, 0] to [1, 7, 6, 4] by [1, 1, 1, 1] : ...
    ```
  }];
}

def SortOps : Pass<"graph-sort-ops", "::mlir::func::FuncOp"> {
  let summary = "Puts ops into an order that follows from what they read";
  let description = [{
    Each op comes behind its operands, which come in the order in which it reads
    them; the results of the function are visited from the first to the last. Two
    models that differ only in the order of their ops are one afterwards.
    ```mlir
    %0 = graph.transpose %v [0, 2, 1] : ...
    %1 = graph.transpose %k [0, 2, 1] : ...
    %2 = graph.attention %q, %1, %0 : ...
    ```
    becomes
    ```mlir
    %0 = graph.transpose %k [0, 2, 1] : ...
    %1 = graph.transpose %v [0, 2, 1] : ...
    %2 = graph.attention %q, %0, %1 : ...
    ```
  }];
}

def TurnConvolutions : Pass<"graph-turn-convolutions", "::mlir::func::FuncOp"> {
  let summary = "Makes convolutions of transposed ones by constant filters";
  let description = [{
    The filter is turned around, in constants. Strides become channels: results
    that lie a stride apart use every stride-th tap, so one convolution without
    strides computes all of them, and a transpose interleaves them. No product
    with an inserted zero is left, but those that make the filter a multiple of
    the stride.
    ```mlir
    %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>}
      : (tensor<1x8x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x3x8x8xf32>
    ```
    becomes
    ```mlir
    %0 = graph.conv2d %x, %turned
      : (tensor<1x8x4x4xf32>, tensor<12x8x1x1xf32>) -> tensor<1x12x4x4xf32>
    %1 = graph.reshape %0 : tensor<1x12x4x4xf32> to tensor<1x3x2x2x4x4xf32>
    %2 = graph.transpose %1 [0, 1, 4, 2, 5, 3] : ...
    %3 = graph.reshape %2 : tensor<1x3x4x2x4x2xf32> to tensor<1x3x8x8xf32>
    ```
  }];
}

def UpdateInPlace : Pass<"graph-update-in-place", "::mlir::func::FuncOp"> {
  let summary = "Marks the updates that write into the caller's memory";
  let description = [{
    A result with `graph.in_place = N` is an update of argument N: callers pass
    one tensor for both. It must have the argument's type and come from it by
    graph.cache_update, once or several times. These ops are marked; they write
    what is new and leave the rest where it is.
    ```mlir
    func.func @main(%cache: tensor<64x8xf32>, %new: tensor<1x8xf32>,
                    %at: tensor<i64>)
        -> (tensor<64x8xf32> {graph.in_place = 0}) {
      %0 = graph.cache_update %cache, %new at %at axis = 0 : ...
      return %0 : tensor<64x8xf32>
    }
    ```
    becomes
    ```mlir
      %0 = graph.cache_update %cache, %new at %at axis = 0 {graph.in_place} : ...
    ```
  }];
  let statistics = [
    Statistic<"updates", "updates", "Updates marked">];
}

#endif // MINIC_PASSES_GRAPH_PASSES
