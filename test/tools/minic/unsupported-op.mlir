// What the allowed libraries do not take ends in one line that names the reason,
// and in no artifact.
//
// RUN: rm -f %t.minic
// RUN: %exit-code 4 minic %s --target=cuda --device-profile=h200 --gemm-backends=aten -o %t.minic 2>&1 | FileCheck %s
// RUN: test ! -e %t.minic
// CHECK: unsupported: nothing implements this fusion: cublas: batch dimensions that broadcast

func.func @main(%x: tensor<5x1x4x8xf32>, %y: tensor<1x3x8x6xf32>) -> tensor<5x3x4x6xf32> {
  %0 = graph.matmul %x, %y : (tensor<5x1x4x8xf32>, tensor<1x3x8x6xf32>) -> tensor<5x3x4x6xf32>
  return %0 : tensor<5x3x4x6xf32>
}
