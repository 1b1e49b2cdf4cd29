// What minic says would make a model faster on a GPU; compiled without one, for
// the architecture of the profile.
//
// RUN: minic %s --target=cuda --device-profile=h200 --log=perf-hints -o %t.minic > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: FileCheck %s --check-prefix=NOT < %t.log
// RUN: minic %s --target=cuda --device-profile=h200 --float32-precision=tf32 --log=perf-hints -o %t.minic 2>&1 | FileCheck %s --check-prefix=TF32
// RUN: minic explain %t.minic | FileCheck %s --check-prefix=EXPLAIN

// CHECK-DAG: cuda sm_90a: untuned, nothing is measured for NVIDIA H200 here
// CHECK-DAG: @unaligned {{.*}}: K = 3420 is unaligned: rows of the left operand and the right operand are no multiple of 16 bytes, so they are copied to padded ones or accessed in narrow pieces; K = 3424 in the model needs neither
// CHECK-DAG: @unaligned {{.*}}: N = 1281 is unaligned: rows of the result are no multiple of 16 bytes, {{.*}}; N = 1288 in the model needs neither
// CHECK-DAG: @batch1 {{.*}}: M = 1 is too small for the chip: up to M = {{[0-9]+}} reading the right operand takes longer
// CHECK-DAG: @float32 {{.*}}: tf32 is left off: float32's precision allows at most {{[0-9]+}} TFLOP/s, tf32 {{[0-9]+}} (--float32-precision=tf32), bf16 {{[0-9]+}}
// CHECK-DAG: @float32 {{.*}}: untuned: chosen by an estimate

// Nothing of what changes nothing: a row alone is aligned, a large M is enough,
// and where bytes are the limit arithmetic is not.
// NOT-NOT: @batch1 {{.*}} is unaligned
// NOT-NOT: @unaligned {{.*}} is too small
// NOT-NOT: @batch1 {{.*}}: tf32 is left off
// TF32-NOT: tf32 is left off

// EXPLAIN: function unaligned, variant cuda sm_90a, threads 1, decided for NVIDIA H200
// EXPLAIN: K = 3420 is unaligned
// EXPLAIN: the versions ({{.*}}gemm_sm90 {{[0-9]+}}, group_norm {{[0-9]+}}, images {{[0-9]+}}, loops {{[0-9]+}}, minic {{[0-9]+}}, pointwise {{[0-9]+}}, rows {{[0-9]+}}; driver and libraries unknown) differ

func.func @unaligned(%x: tensor<560x3420xbf16>, %w: tensor<1281x3420xbf16>) -> tensor<560x1281xbf16> {
  %0 = graph.linear %x, %w : (tensor<560x3420xbf16>, tensor<1281x3420xbf16>) -> tensor<560x1281xbf16>
  return %0 : tensor<560x1281xbf16>
}

func.func @batch1(%x: tensor<1x1024xf32>, %w: tensor<1023x1024xf32>) -> tensor<1x1023xf32> {
  %0 = graph.linear %x, %w : (tensor<1x1024xf32>, tensor<1023x1024xf32>) -> tensor<1x1023xf32>
  return %0 : tensor<1x1023xf32>
}

func.func @float32(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> tensor<256x512xf32> {
  %0 = graph.linear %x, %w : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}
