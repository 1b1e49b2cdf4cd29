// SPDX-License-Identifier: Apache-2.0
//
// Ops that reduce a product: the anchors of GEMM fusions.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS
#define MINIC_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS

include "dialects/graph/GraphBase.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// What linear, matmul and conv2d share: sums of products of their first two
/// operands in f32, or of i8 in i32, and perhaps a bias as the third.
class Graph_SumOfProductsOp<string mnemonic, list<string> fusible = [],
                            list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
        DeclareOpInterfaceMethods<Graph_FusibleOpInterface, !listconcat([
            "getOperandRole", "getFlopsPerPoint", "getFlopsPerResult"],
            fusible)>,
        DeclareOpInterfaceMethods<Graph_ReductionOpInterface>], traits)>;

def Graph_LinearOp : Graph_SumOfProductsOp<"linear"> {
  let summary = "input * transpose(weight) + bias over the last dimension";
  let description = [{
    `input` is [..., K], `weight` [N, K] as PyTorch stores it, `bias` [N]; the
    result is [..., N]. All have one dtype; sums are accumulated in f32. Of i8,
    `bias` and the result are i32: the sum modulo 2^32, of which nothing is
    rounded.
    ```mlir
    %0 = graph.linear %x, %w, %b
      : (tensor<256x1024xf32>, tensor<512x1024xf32>, tensor<512xf32>)
      -> tensor<256x512xf32>
    ```
  }];
  let arguments = (ins Graph_FactorTensor:$input, Graph_FactorTensor:$weight,
                       Optional<Graph_SumTensor>:$bias);
  let results = (outs Graph_SumTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_MatmulOp : Graph_SumOfProductsOp<"matmul"> {
  let summary = "lhs * rhs over the last two dimensions, batched";
  let description = [{
    `lhs` is [..., M, K] ([..., K, M] with `transpose_lhs`), `rhs` [..., K, N]
    ([..., N, K] with `transpose_rhs`); leading dimensions broadcast as in
    NumPy. Both have rank 2 or more and one dtype, which is the result's too, or
    the result is f32; sums are accumulated in f32. Of i8, the result is i32:
    the sum modulo 2^32.
    ```mlir
    %0 = graph.matmul %q, %k {transpose_rhs}
      : (tensor<8x16x64xf32>, tensor<8x32x64xf32>) -> tensor<8x16x32xf32>
    ```
  }];
  let arguments = (ins Graph_FactorTensor:$lhs, Graph_FactorTensor:$rhs,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Graph_SumTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange declared);
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHCONTRACTIONOPS
