// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the user's own. Apart from the other ops, whose header is included
// everywhere.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHKERNELOPS
#define MINIC_DIALECTS_GRAPH_GRAPHKERNELOPS

include "dialects/graph/GraphBase.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_KernelOp : Graph_Op<"kernel", [
    Pure, IsolatedFromAbove,
    DeclareOpInterfaceMethods<Graph_ExpandableOpInterface>]> {
  let summary = "A kernel of the user's own, with the graph ops that it stands for";
  let description = [{
    `reference` names a private function of graph ops that says what the kernel
    computes: results are verified against it, targets without the kernel run it,
    and its shapes and flops are the kernel's. When a model is read, its body
    becomes the op's region. [kernels.md](kernels.md) has the whole of it.

    `language` is `c` or `llvm` on a CPU, `cuda`, `ptx` or `cubin` on a GPU;
    `files` or `sources` have one source, or one for each of `configs`. `dims` names the
    dimensions of each operand, then of each result, a number where it is fixed.
    `configs` are dictionaries of integers; lists in them are products. `where`
    and `derived` are formulas of parameters and of the dimensions in `key`, for
    which alone the code may be special. `scalars`, `grid`, `block` and `shared`
    are formulas of parameters and all dimensions. `epilogue` names what the source
    calls on each element before it stores it, for which minic puts pointwise ops
    that follow.
    ```mlir
    %0 = graph.kernel @scale(%x) {
        language = "c", files = ["scale.c"], entry = "scale", dims = [["N"], ["N"]],
        configs = [{TILE = [64, 256]} ], grid = "ceildiv(N, TILE)", scalars = ["N"],
        reference = @scale_reference}
      : (tensor<1000xf32>) -> tensor<1000xf32>
    ```
  }];
  let arguments = (ins
      FlatSymbolRefAttr:$title,
      Variadic<Graph_Tensor>:$inputs,
      StrAttr:$language,
      StrAttr:$entry,
      OptionalAttr<StrArrayAttr>:$files,
      OptionalAttr<StrArrayAttr>:$sources,
      OptionalAttr<ArrayAttr>:$dims,
      OptionalAttr<ArrayAttr>:$configs,
      OptionalAttr<DictionaryAttr>:$derived,
      OptionalAttr<StrArrayAttr>:$where,
      OptionalAttr<StrArrayAttr>:$key,
      OptionalAttr<StrArrayAttr>:$scalars,
      DefaultValuedAttr<StrAttr, "\"1\"">:$grid,
      OptionalAttr<StrAttr>:$block,
      OptionalAttr<StrAttr>:$shared,
      OptionalAttr<StrArrayAttr>:$flags,
      OptionalAttr<StrArrayAttr>:$features,
      OptionalAttr<StrAttr>:$epilogue,
      OptionalAttr<DenseI64ArrayAttr>:$updates,
      OptionalAttr<ArrayAttr>:$initial,
      UnitAttr:$prefer,
      OptionalAttr<FlatSymbolRefAttr>:$reference);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{
    $title `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
    (`body` $body^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Its body is there: it stands for itself.
    bool isLinked() { return !getBody().empty(); }
    /// "cpu" or "cuda": where it can run.
    llvm::StringRef getTargetName();
    /// The one source, or that of configuration number `config`.
    llvm::StringRef getSource(size_t config);
    /// "@scale", for messages.
    std::string getShownName();
  }];
}

def Graph_YieldOp : Op<Graph_Dialect, "yield", [
    Pure, ReturnLike, Terminator, HasParent<"KernelOp">]> {
  let summary = "Ends the body of a graph.kernel with its results";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHKERNELOPS
