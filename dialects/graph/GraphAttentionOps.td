// SPDX-License-Identifier: Apache-2.0
//
// Ops of transformers: attention, and what is done to its operands.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHATTENTIONOPS
#define MINIC_DIALECTS_GRAPH_GRAPHATTENTIONOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphIndexOps.td"

def Graph_AttentionOp : Graph_FusibleOp<"attention", [
      "getOperandRole", "getFlopsPerResult", "getScalarCost"], [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Graph_ExpandableOpInterface>,
    AttrSizedOperandSegments]> {
  let summary = "softmax(query * transpose(key) * scale) * value";
  let description = [{
    `query` is [B, H, T, D], `key` [B, G, S, D] and `value` [B, G, S, E]; G
    divides H, and H / G successive heads of the query share one of the others.
    The result is [B, H, T, E]. (Vaswani et al., Attention Is All You Need,
    2017; Ainslie et al., GQA, 2023.)

    A score is query * key * `scale`, 1 / sqrt(D) where none is given; with
    `soft_cap` c it becomes c * tanh(score / c) (Gemma 2). `mask` broadcasts to
    [B, H, T, S]: an i1 says which keys take part, a float is added to the
    score. `key_length`, [] or [B], is the number of keys that there are at run
    time, clamped to S. `causal` leaves out the keys behind the query: query t
    is at position t (`upper_left`), or the last one at that of the last key
    (`lower_right`), as PyTorch names them. `window` w leaves out keys whose
    distance from the query's position is w or more.

    Scores and their sum are f32; exponentials are rounded at most once, to the
    dtype of `value`. Keys left out have no influence on the result, whatever
    they are. A query without keys, or whose scores are all -infinity, has the
    result 0 and the logarithm -infinity.

    With a second result type, [B, H, T] of f32, it also yields
    log(sum of exp(score)).
    ```mlir
    %0 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>}
      : (tensor<2x8x16x64xf32>, tensor<2x2x32x64xf32>, tensor<2x2x32x64xf32>)
      -> tensor<2x8x16x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
      Graph_FloatTensor:$value, Optional<Graph_MaskTensor>:$mask,
      Optional<Graph_IndexTensor>:$key_length,
      OptionalAttr<F64Attr>:$scale, OptionalAttr<F64Attr>:$soft_cap,
      DefaultValuedAttr<Graph_CausalAttr,
                        "::minic::graph::Causal::None">:$causal,
      OptionalAttr<I64Attr>:$window, UnitAttr:$with_log_sum_exp);
  let results = (outs Graph_FloatTensor:$result,
                      Optional<Graph_FloatTensor>:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`key_length` $key_length^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// 1 / sqrt(D) where no attribute says it.
    double getScoreScale();
    /// H / G.
    int64_t getHeadsPerKey();
  }];
}

def Graph_RotaryOp : Graph_InferredOp<"rotary", ["getFlopsPerPoint"], [
    Graph_ElementOp]> {
  let summary = "Rotates pairs of the last dimension by angles";
  let description = [{
    `cos` and `sin` have one shape, [..., P], and broadcast to the input's but
    for the last dimension D >= 2 P. Pair p is the elements p and P + p, or
    2 p and 2 p + 1 with `interleaved`: (a, b) becomes
    (a cos - b sin, b cos + a sin). Elements from 2 P on stay as they are.
    (Su et al., RoFormer, 2021.)
    ```mlir
    %0 = graph.rotary %x, %cos, %sin
      : (tensor<2x8x16x64xf32>, tensor<16x32xf32>, tensor<16x32xf32>)
      -> tensor<2x8x16x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$cos,
                       Graph_FloatTensor:$sin, UnitAttr:$interleaved);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $cos `,` $sin attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHATTENTIONOPS
