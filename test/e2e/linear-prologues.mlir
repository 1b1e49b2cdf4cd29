// Pointwise ops before a contraction, in one fusion with it: chains, more
// matrices, vectors along K and along rows, scalars, casts, masks, and values
// that the epilogue reads as well. exp(0) is not 0: what is beyond K must not
// be counted.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=1
// RUN: %check-model %s %t.minic --gemm-backends=aten %if onednn-bf16 %{ %} %else %{ --function=activation,normalized,gated_and_shared,both_matrices,transposed,row %}

func.func @activation(%x: tensor<17x61xf32>, %w: tensor<63x61xf32>, %b: tensor<63xf32>) -> tensor<17x63xf32> {
  %0 = graph.exp %x : tensor<17x61xf32>
  %1 = graph.linear %0, %w, %b : (tensor<17x61xf32>, tensor<63x61xf32>, tensor<63xf32>) -> tensor<17x63xf32>
  %2 = graph.relu %1 : tensor<17x63xf32>
  return %2 : tensor<17x63xf32>
}

func.func @narrowed(%x: tensor<5x13x200xf32>, %w: tensor<96x200xbf16>) -> tensor<5x13x96xbf16> {
  %0 = graph.cast %x : tensor<5x13x200xf32> to tensor<5x13x200xbf16>
  %1 = graph.linear %0, %w : (tensor<5x13x200xbf16>, tensor<96x200xbf16>) -> tensor<5x13x96xbf16>
  return %1 : tensor<5x13x96xbf16>
}

func.func @normalized(%x: tensor<33x72xf32>, %mean: tensor<33x1xf32>, %scale: tensor<33x1xf32>, %gamma: tensor<72xf32>, %beta: tensor<72xf32>, %w: tensor<40x72xf32>) -> tensor<33x40xf32> {
  %0 = graph.sub %x, %mean : (tensor<33x72xf32>, tensor<33x1xf32>) -> tensor<33x72xf32>
  %1 = graph.mul %0, %scale : (tensor<33x72xf32>, tensor<33x1xf32>) -> tensor<33x72xf32>
  %2 = graph.mul %1, %gamma : (tensor<33x72xf32>, tensor<72xf32>) -> tensor<33x72xf32>
  %3 = graph.add %2, %beta : (tensor<33x72xf32>, tensor<72xf32>) -> tensor<33x72xf32>
  %4 = graph.linear %3, %w : (tensor<33x72xf32>, tensor<40x72xf32>) -> tensor<33x40xf32>
  return %4 : tensor<33x40xf32>
}

func.func @gated_and_shared(%x: tensor<19x64xf32>, %g: tensor<19x64xf32>, %s: tensor<f32>, %w: tensor<64x64xf32>) -> tensor<19x64xf32> {
  %0 = graph.silu %g : tensor<19x64xf32>
  %1 = graph.mul %0, %x : (tensor<19x64xf32>, tensor<19x64xf32>) -> tensor<19x64xf32>
  %2 = graph.mul %1, %s : (tensor<19x64xf32>, tensor<f32>) -> tensor<19x64xf32>
  %3 = graph.linear %2, %w : (tensor<19x64xf32>, tensor<64x64xf32>) -> tensor<19x64xf32>
  %4 = graph.add %3, %2 : (tensor<19x64xf32>, tensor<19x64xf32>) -> tensor<19x64xf32>
  return %4 : tensor<19x64xf32>
}

func.func @masked(%x: tensor<7x31xbf16>, %y: tensor<7x31xbf16>, %w: tensor<24x31xbf16>) -> tensor<7x24xbf16> {
  %0 = graph.compare lt, %x, %y : (tensor<7x31xbf16>, tensor<7x31xbf16>) -> tensor<7x31xi1>
  %1 = graph.select %0, %x, %y : (tensor<7x31xi1>, tensor<7x31xbf16>, tensor<7x31xbf16>) -> tensor<7x31xbf16>
  %2 = graph.linear %1, %w : (tensor<7x31xbf16>, tensor<24x31xbf16>) -> tensor<7x24xbf16>
  return %2 : tensor<7x24xbf16>
}

func.func @both_matrices(%q: tensor<2x3x5x16xf32>, %k: tensor<3x16x9xf32>, %mask: tensor<5x16xf32>) -> tensor<2x3x5x9xf32> {
  %0 = graph.add %q, %mask : (tensor<2x3x5x16xf32>, tensor<5x16xf32>) -> tensor<2x3x5x16xf32>
  %1 = graph.tanh %k : tensor<3x16x9xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x3x5x16xf32>, tensor<3x16x9xf32>) -> tensor<2x3x5x9xf32>
  return %2 : tensor<2x3x5x9xf32>
}

func.func @transposed(%a: tensor<24x17xf32>, %v: tensor<24x1xf32>, %b: tensor<24x33xf32>) -> tensor<17x33xf32> {
  %0 = graph.mul %a, %v : (tensor<24x17xf32>, tensor<24x1xf32>) -> tensor<24x17xf32>
  %1 = graph.matmul %0, %b {transpose_lhs} : (tensor<24x17xf32>, tensor<24x33xf32>) -> tensor<17x33xf32>
  return %1 : tensor<17x33xf32>
}

func.func @row(%x: tensor<1x129xf32>, %w: tensor<31x129xf32>) -> tensor<1x31xf32> {
  %0 = graph.sigmoid %x : tensor<1x129xf32>
  %1 = graph.linear %0, %w : (tensor<1x129xf32>, tensor<31x129xf32>) -> tensor<1x31xf32>
  return %1 : tensor<1x31xf32>
}
