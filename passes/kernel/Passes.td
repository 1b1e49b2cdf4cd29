// SPDX-License-Identifier: Apache-2.0
//
// Passes on the kernel dialect, in the order in which a compilation runs them.

#ifndef MINIC_PASSES_KERNEL_PASSES
#define MINIC_PASSES_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def Fuse : Pass<"kernel-fuse", "::mlir::func::FuncOp"> {
  let summary = "Puts every graph op that computes into exactly one kernel.fusion";
  let description = [{
    Bodies are maximal; smaller groupings are candidates of select-algorithm.
    Constants and views (reshapes, dense slices and concats) stay outside. The rules, in
    this order:

    1. Each anchor (an op with a reduction or window iterator) starts a fusion
       of its own; two share one by rule 12 only.
    2. In program order, an anchor takes every pointwise op of its result's
       shape that uses a value of its fusion: chains, small DAGs, ops with side
       inputs. A value also used elsewhere becomes a further result. Attention
       takes the transpose that alone reads its result, and so does a group norm,
       which takes pointwise ops of the transposed shape then. A product takes two
       slices that alone read its columns in turn, and pointwise ops of their shape.
    3. The remaining pointwise ops join the fusions of the pointwise ops whose
       results they use, where the shapes are equal.
    4. An op that rewrites rows (softmax, a norm) takes the pointwise fusion that
       makes its rows, also where others use the sum that it normalizes: the
       sum becomes a further result. It leaves out a fusion that takes found elements
       by rule 7.
    5. A fusion takes producers that only it uses: pointwise ops of its shape,
       those that make what its anchor reduces, and ops of another shape
       where they are cheap to compute again for each element. A cheap producer
       that other pointwise ops use too is cloned into the fusion if it reads no
       more bytes than it writes.
    6. A transpose that only one pointwise fusion reads joins it, as strides. So
       does a slice, and each of several pointwise fusions that read it has a
       copy of it. A slice or transpose joins the slice or transpose that reads it;
       attention those of its query, key and value, a rotary embedding those of its
       input. A product takes a slice that it only reads through the pointwise ops
       that make its operands. Any other transpose is a fusion of its own.
    7. An op that finds its element (gather, concat, cache_update) joins the one
       fusion of cheap pointwise ops, of as many elements, that reads it; an iota every
       such fusion, of any shape.
    8. A kernel of the user's (`graph.kernel`) is fused as a pointwise op where its
       body is pointwise ops of one shape, else as an anchor; two never share a
       fusion, and one with several results is a fusion of its own.
    9. An update in place (`graph.in_place`) takes what makes its new elements for
       it alone, and nothing but attention takes it.
    10. Each rotary embedding has a copy of the gathers that find its cosines and
       sines, if no other op reads them.
    11. Updates in place whose new elements have one type share a fusion, if none
       reads another's state: keys and values of a token.
    12. A product of a matrix and at most `norm-rows` rows takes the norm of these
       rows, with the pointwise ops around it, if nothing else reads any of them.
    13. Attention takes the updates in place that its key and value are, of at most
       `update-rows` positions each: it leaves the new ones in the caches. It takes
       the rotary embedding of its query then, and a copy of the op that counts its
       keys.

    A value is one operand of a fusion however often it is used, except that
    the right operand or filter of an anchor is one for itself: it can have a
    layout of its own.

    A step is taken only if no path leads out of the fusion and back into it
    (the body stays convex, also with other fusions seen as one node each).
    The options turn rules off, for those who look for a fault.
    ```mlir
    %0 = graph.linear %x, %w : ...
    %1 = graph.relu %0 : tensor<4x16xf32>
    ```
    becomes
    ```mlir
    %0 = kernel.fusion (%x0 = %x : ..., %w0 = %w : ...) -> tensor<4x16xf32> {
      %1 = graph.linear %x0, %w0 : ...
      %2 = graph.relu %1 : tensor<4x16xf32>
      kernel.yield %2 : tensor<4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::minic::kernel::KernelDialect"];
  let statistics = [
    Statistic<"fusions", "fusions", "kernel.fusion ops made">,
    Statistic<"absorbed", "absorbed", "Ops that share a fusion with another">,
    Statistic<"cloned", "cloned", "Cheap producers cloned into a fusion">];
  let options = [
    Option<"epilogues", "epilogues", "bool", "true",
           "Anchors take what follows them (rule 2)">,
    Option<"prologues", "prologues", "bool", "true",
           "Anchors and updates in place take producers (rules 4, 5, 9, 11 and "
           "13)">,
    Option<"pointwise", "pointwise", "bool", "true",
           "Pointwise ops join each other (rules 3 and 5)">,
    Option<"moves", "moves", "bool", "true",
           "Transposes, slices and found elements join their readers (rules 2, "
           "6, 7 and 9)">,
    Option<"attention", "attention", "bool", "true",
           "Attention is an anchor; else its stages stand in its place">,
    Option<"normRows", "norm-rows", "int64_t", "0",
           "Most rows of a product that takes their norm; 0: no product does "
           "(rule 12)">,
    Option<"updateRows", "update-rows", "int64_t", "0",
           "Most new positions of caches that attention updates itself; 0: it "
           "takes no operand's making (rule 13)">];
}

def SelectAlgorithm : Pass<"kernel-select-algorithm", "::mlir::ModuleOp"> {
  let summary = "Sets the choice of every fusion that has none";
  let description = [{
    Asks the AlgorithmSelector that the pass was made with, once for all
    fusions of the module, and records where each choice came from as the
    discardable attribute `provenance`. With `choices` it reads a file instead,
    so that tests need no tuner: a dictionary from the fusion's label (its op
    names joined by `_`) to its choice.
    ```mlir
    {linear_relu = #kernel.choice<parts = [#kernel.part<ops = [0, 1], ...>]>}
    ```
  }];
  let options = [
    Option<"choicesFile", "choices", "std::string", "",
           "File with the choice of each fusion label">];
}

def Realize : Pass<"kernel-realize", "::mlir::func::FuncOp"> {
  let summary = "Applies choices: one fusion with one implementation per part";
  let description = [{
    Ops that the choice expands are replaced by their stages first. Each part
    becomes a fusion that carries the part's `impl`; values between
    parts become tensors. An operand that must have a layout goes through
    kernel.relayout. Fusions that already have an `impl` stay; one with neither
    is an error.
    ```mlir
    %0 = kernel.fusion (%x0 = %x : ..., %w0 = %w : ...) -> tensor<4x16xf32>
      attributes {choice = #kernel.choice<parts = [
        #kernel.part<ops = [0, 1], impl = #I, operands = [unit, #L]>]>} {...}
    ```
    becomes
    ```mlir
    %1 = kernel.relayout %w : tensor<16x8xf32> to tensor<16x8xf32, #L>
    %0 = kernel.fusion (%x0 = %x : ..., %w0 = %1 : ...) -> tensor<4x16xf32>
      attributes {impl = #I} {...}
    ```
  }];
  let dependentDialects = ["::minic::kernel::KernelDialect"];
}

def PrepareWeights : Pass<"kernel-prepare-weights", "::mlir::func::FuncOp"> {
  let summary = "Folds relayouts of constants into the constants' types";
  let description = [{
    The bytes are packed when the artifact is written. One constant in one
    layout exists once, however many fusions use it; a constant that is only
    used packed has no dense copy left.
  }];
  let dependentDialects = ["::minic::kernel::KernelDialect"];
  let statistics = [
    Statistic<"packedBytes", "packed-bytes", "Bytes of packed constants">,
    Statistic<"denseBytes", "dense-bytes",
              "Bytes of the same constants without their layouts">];
}

def MarkRows : Pass<"kernel-mark-rows", "::mlir::func::FuncOp"> {
  let summary = "Says of which fusions a padded run needs only the first rows";
  let description = [{
    In the bucket of a padded dimension whose rows are proved independent, a
    fusion whose results have the rows one behind the other gets
    `kernel.run_rows`: kernels that know it stop behind the rows of the run. Not
    where an op finds places by computed integers or a kernel of the user's reads
    what others computed, nor for a dimension that is only checked to be masked.
    ```mlir
    %0 = kernel.fusion (%x0 = %x : tensor<512x64xf32>) -> tensor<512x64xf32>
      attributes {impl = #I, kernel.run_rows = {dim = "T", size = 512 : i64}} {...}
    ```
  }];
  let dependentDialects = ["::minic::kernel::KernelDialect"];
  let statistics = [
    Statistic<"fusions", "fusions", "Fusions of which rows may be left out">];
}

#endif // MINIC_PASSES_KERNEL_PASSES
