// M, N and K of 1, primes, and one more or less than a vector or a tile.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --gemm-backends=generated --threads=1
// RUN: %check-model %s %t.minic --gemm-backends=aten
// RUN: %check-model %s %t.minic --gemm-backends=library-fused --threads=2

func.func @m1_n1_k1(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>, %b: tensor<1xf32>) -> tensor<1x1xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  %1 = graph.relu %0 : tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

func.func @m1_n2_k1000(%x: tensor<1x1000xf32>, %w: tensor<2x1000xf32>, %b: tensor<2xf32>) -> tensor<1x2xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<1x1000xf32>, tensor<2x1000xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %1 = graph.relu %0 : tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

func.func @m2_n257_k3(%x: tensor<2x3xf32>, %w: tensor<257x3xf32>, %b: tensor<257xf32>) -> tensor<2x257xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<2x3xf32>, tensor<257x3xf32>, tensor<257xf32>) -> tensor<2x257xf32>
  %1 = graph.relu %0 : tensor<2x257xf32>
  return %1 : tensor<2x257xf32>
}

func.func @m3_n31_k17(%x: tensor<3x17xf32>, %w: tensor<31x17xf32>, %b: tensor<31xf32>) -> tensor<3x31xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<3x17xf32>, tensor<31x17xf32>, tensor<31xf32>) -> tensor<3x31xf32>
  %1 = graph.relu %0 : tensor<3x31xf32>
  return %1 : tensor<3x31xf32>
}

func.func @m7_n1_k63(%x: tensor<7x63xf32>, %w: tensor<1x63xf32>, %b: tensor<1xf32>) -> tensor<7x1xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<7x63xf32>, tensor<1x63xf32>, tensor<1xf32>) -> tensor<7x1xf32>
  %1 = graph.relu %0 : tensor<7x1xf32>
  return %1 : tensor<7x1xf32>
}

func.func @m17_n127_k2(%x: tensor<17x2xf32>, %w: tensor<127x2xf32>, %b: tensor<127xf32>) -> tensor<17x127xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<17x2xf32>, tensor<127x2xf32>, tensor<127xf32>) -> tensor<17x127xf32>
  %1 = graph.relu %0 : tensor<17x127xf32>
  return %1 : tensor<17x127xf32>
}

func.func @m31_n7_k65(%x: tensor<31x65xf32>, %w: tensor<7x65xf32>, %b: tensor<7xf32>) -> tensor<31x7xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<31x65xf32>, tensor<7x65xf32>, tensor<7xf32>) -> tensor<31x7xf32>
  %1 = graph.relu %0 : tensor<31x7xf32>
  return %1 : tensor<31x7xf32>
}

func.func @m63_n65_k127(%x: tensor<63x127xf32>, %w: tensor<65x127xf32>, %b: tensor<65xf32>) -> tensor<63x65xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<63x127xf32>, tensor<65x127xf32>, tensor<65xf32>) -> tensor<63x65xf32>
  %1 = graph.relu %0 : tensor<63x65xf32>
  return %1 : tensor<63x65xf32>
}

func.func @m65_n17_k7(%x: tensor<65x7xf32>, %w: tensor<17x7xf32>, %b: tensor<17xf32>) -> tensor<65x17xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<65x7xf32>, tensor<17x7xf32>, tensor<17xf32>) -> tensor<65x17xf32>
  %1 = graph.relu %0 : tensor<65x17xf32>
  return %1 : tensor<65x17xf32>
}

func.func @m127_n3_k31(%x: tensor<127x31xf32>, %w: tensor<3x31xf32>, %b: tensor<3xf32>) -> tensor<127x3xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<127x31xf32>, tensor<3x31xf32>, tensor<3xf32>) -> tensor<127x3xf32>
  %1 = graph.relu %0 : tensor<127x3xf32>
  return %1 : tensor<127x3xf32>
}

func.func @m257_n63_k1(%x: tensor<257x1xf32>, %w: tensor<63x1xf32>, %b: tensor<63xf32>) -> tensor<257x63xf32> {
  %0 = graph.linear %x, %w, %b : (tensor<257x1xf32>, tensor<63x1xf32>, tensor<63xf32>) -> tensor<257x63xf32>
  %1 = graph.relu %0 : tensor<257x63xf32>
  return %1 : tensor<257x63xf32>
}
