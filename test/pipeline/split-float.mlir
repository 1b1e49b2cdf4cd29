// Products of split floats may miss float32's bound on short sums: they are not
// offered there.
//
// RUN: minic %s --target=cuda --device-profile=h200 --gemm-backends=generated --function=short --compile-to=plan | FileCheck %s --check-prefix=SHORT
// RUN: minic %s --target=cuda --device-profile=h200 --gemm-backends=generated --function=long --compile-to=plan | FileCheck %s --check-prefix=LONG

// SHORT: math=ffma
// SHORT-NOT: math=tf32x3
// LONG: math=tf32x3

func.func @short(%x: tensor<256x31xf32>, %w: tensor<64x31xf32>) -> tensor<256x64xf32> {
  %0 = graph.linear %x, %w : (tensor<256x31xf32>, tensor<64x31xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}

func.func @long(%x: tensor<256x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<256x1024xf32> {
  %0 = graph.linear %x, %w : (tensor<256x1024xf32>, tensor<1024x1024xf32>) -> tensor<256x1024xf32>
  return %0 : tensor<256x1024xf32>
}
