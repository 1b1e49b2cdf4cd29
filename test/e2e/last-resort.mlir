// Products that no other family and no library takes: two roundings to f16 of
// one computed value, both matrices of a contraction.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @gram(%x: tensor<33x7xf16>) -> tensor<33x33xf16> {
  %0 = graph.tanh %x : tensor<33x7xf16>
  %1 = graph.matmul %0, %0 {transpose_rhs} : (tensor<33x7xf16>, tensor<33x7xf16>) -> tensor<33x33xf16>
  %2 = graph.relu %1 : tensor<33x33xf16>
  return %2 : tensor<33x33xf16>
}
