// Why a fusion is several launches on a CPU, and that nothing was measured.
//
// RUN: minic %s --target=cpu --threads=1 --tune-db=%t.db --gemm-backends=aten --log=perf-hints -o %t.minic 2>&1 | FileCheck %s
// RUN: minic explain %t.minic | FileCheck %s --check-prefix=EXPLAIN
// CHECK: @main {{.*}}: onednn fuses no pointwise ops: onednn and pointwise are 2 launches
// CHECK: @main {{.*}}: one launch is possible: --gemm-backends leaves out gemm_packed, --gemm-backends leaves out onednn_fused
// CHECK: @main {{.*}}: untuned: chosen by an estimate; --mode=max-autotune measures
// EXPLAIN: hint: linear_relu(3x4, 20x4) f32: onednn fuses no pointwise ops
// EXPLAIN: hint: linear_relu(3x4, 20x4) f32: untuned

// What takes all in one has nothing to say, nor what is about GPUs.
// RUN: minic %s --target=cpu --threads=1 --tune-db=%t.db --gemm-backends=generated --log=perf-hints -o %t.minic 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not=launch --implicit-check-not=unaligned --implicit-check-not=chip
// ONE: untuned

// A device that is not here cannot be measured.
// RUN: minic %s --target=cuda --device-profile=h200 --tune-db=%t.db --log=perf-hints -o %t.minic 2>&1 | FileCheck %s --check-prefix=OTHER --implicit-check-not=max-autotune
// OTHER: untuned: chosen by an estimate; this machine has no such device to measure on

func.func @main(%x: tensor<3x4xf32>, %w: tensor<20x4xf32>) -> tensor<3x20xf32> {
  %0 = graph.linear %x, %w : (tensor<3x4xf32>, tensor<20x4xf32>) -> tensor<3x20xf32>
  %1 = graph.relu %0 : tensor<3x20xf32>
  return %1 : tensor<3x20xf32>
}
