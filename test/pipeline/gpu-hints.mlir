// What minic says would make a model faster on a GPU; compiled without one, for
// the architecture of the profile.
//
// RUN: minic %s --target=cuda --device-profile=h200 --log=perf-hints -o %t.minic 2>&1 | FileCheck %s
// RUN: minic %s --target=cuda --device-profile=h200 --float32-precision=tf32 --log=perf-hints -o %t.minic 2>&1 | FileCheck %s --check-prefix=TF32
// RUN: minic explain %t.minic | FileCheck %s --check-prefix=EXPLAIN

// CHECK-DAG: cuda sm_90a: untuned, nothing is measured for NVIDIA H200 here
// CHECK-DAG: @unaligned {{.*}}: K = 3420 is unaligned: rows of 6840 bytes are not a multiple of 16; K = 3424 in the model needs no padding
// CHECK-DAG: @batch1 {{.*}}: M = 1 is too small for the chip: 8 tiles of 128x128 for 132 SMs
// CHECK-DAG: @float32 {{.*}}: f32 is kept to float32's precision and tf32 left off
// CHECK-DAG: @float32 {{.*}}: untuned: chosen by an estimate

// A fusion that is refused, and by whom, each once.
// RUN: minic %s --target=cuda --device-profile=h200 --function=refused --gemm-backends=aten --log=perf-hints -o %t2.minic 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: @refused {{.*}}: cublas takes in no pointwise ops: 2 launches
// REFUSED: @refused {{.*}}: one launch was refused by {{.*}}cublas: ops after the contraction;
// REFUSED-SAME: cudnn_conv: no convolution;
// REFUSED-NOT: cudnn_conv: no convolution

// TF32-NOT: tf32 left off
// EXPLAIN: function unaligned, variant cuda sm_90a, threads 1, decided for NVIDIA H200
// EXPLAIN: K = 3420 is unaligned
// EXPLAIN: the versions (codegen {{[0-9]+}}, candidates {{[0-9]+}}, driver and libraries unknown) differ

func.func @unaligned(%x: tensor<560x3420xbf16>, %w: tensor<1280x3420xbf16>) -> tensor<560x1280xbf16> {
  %0 = graph.linear %x, %w : (tensor<560x3420xbf16>, tensor<1280x3420xbf16>) -> tensor<560x1280xbf16>
  return %0 : tensor<560x1280xbf16>
}

func.func @batch1(%x: tensor<1x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1x1024xbf16> {
  %0 = graph.linear %x, %w : (tensor<1x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1x1024xbf16>
  return %0 : tensor<1x1024xbf16>
}

func.func @float32(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> tensor<256x512xf32> {
  %0 = graph.linear %x, %w : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

func.func @refused(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.linear %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
