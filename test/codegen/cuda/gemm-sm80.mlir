// The instructions of gemm_sm80 kernels: what copies, loads and multiplies, by
// the schedule that each kernel names. None uses local memory or spills.
//
// RUN: minic-emit-ptx %s --allow-tf32 > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// Copies past L1 of 16 bytes, ahead of a barrier; fragments by ldmatrix.
// CHECK-LABEL: .entry bf16(
// CHECK: .reqntid 128
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 1;
// CHECK-NEXT: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: cp.async.wait_group 0;
plan.kernel @bf16 target "cuda" entries ["bf16"] {
  ^bb0(%x0: tensor<512x1024xbf16>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xbf16>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}

// CHECK-LABEL: .entry f16(
// CHECK: cp.async.wait_group 2;
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
plan.kernel @f16 target "cuda" entries ["f16"] {
  ^bb0(%x0: tensor<512x1024xf16>, %w0: tensor<512x1024xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf16>, %w = %w0 : tensor<512x1024xf16>) -> tensor<512x512xf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 64 : i64, bn = 128 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 4 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xf16>, tensor<512x1024xf16>) -> tensor<512x512xf16>
      %2 = graph.relu %1 : tensor<512x512xf16>
      kernel.yield %2 : tensor<512x512xf16>
    }
}

// Rows of lhs that are aligned to 8 bytes only are copied in such pieces; those
// of rhs are padded, and K's end is cut.
// CHECK-LABEL: .entry unaligned(
// CHECK-DAG: cp.async.ca.shared.global {{.*}}, 8
// CHECK-DAG: cp.async.cg.shared.global {{.*}}, 16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
plan.kernel @unaligned target "cuda" entries ["unaligned"] {
  ^bb0(%x0: tensor<512x1020xbf16>, %w0: tensor<512x1020xbf16, #kernel.layout<order = [0, 1], blocks = [], padded = [512, 1024]>>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1020xbf16>, %w = %w0 : tensor<512x1020xbf16, #kernel.layout<order = [0, 1], blocks = [], padded = [512, 1024]>>) -> tensor<512x512xbf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1020xbf16>, tensor<512x1020xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}

// One product of rounded operands.
// CHECK-LABEL: .entry tf32(
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: cvt.rna.tf32.f32
// CHECK-NOT: sub.{{(rn.)?}}f32
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
plan.kernel @tf32 target "cuda" entries ["tf32"] {
  ^bb0(%x0: tensor<512x1024xf32>, %w0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %w = %w0 : tensor<512x1024xf32>) -> tensor<512x512xf32> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "tf32", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xf32>, tensor<512x1024xf32>) -> tensor<512x512xf32>
      %2 = graph.relu %1 : tensor<512x512xf32>
      kernel.yield %2 : tensor<512x512xf32>
    }
}

// A number is cut after a multiplication that never makes it infinite; what that
// took away is multiplied too. Only products of wholes start from zero and are
// added in float32. The rests' sums are added where the wholes' are finite.
// CHECK-LABEL: .entry tf32x3(
// CHECK: .minnctapersm 3
// CHECK-NOT: cvt.rna.tf32
// CHECK: mov.b32 [[FACTOR:%r[0-9]+]], 0f3F800C00;
// CHECK: mul.rz.f32 [[MORE:%r[0-9]+]], [[NUMBER:%r[0-9]+]], [[FACTOR]];
// CHECK: and.b32 [[WHOLE:%r[0-9]+]], [[MORE]], -8192;
// CHECK: sub.{{(rn.)?}}f32 [[REST:%r[0-9]+]], [[NUMBER]], [[WHOLE]];
// CHECK: and.b32 {{.*}}, [[REST]], -8192;
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// CHECK-NEXT: {[[PRODUCT:%r[0-9]+]],
// CHECK: add.{{(rn.)?}}f32 {{.*}}, [[PRODUCT]];
// CHECK: abs.f32 [[SIZE:%r[0-9]+]], [[WHOLES:%r[0-9]+]];
// CHECK: setp.{{lt|ne}}.f32 [[FINITE:%p[0-9]+]], [[SIZE]], 0f7F800000;
// CHECK: selp.f32 {{.*}}, [[FINITE]];
plan.kernel @tf32x3 target "cuda" entries ["tf32x3"] {
  ^bb0(%x0: tensor<512x1024xf32>, %w0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %w = %w0 : tensor<512x1024xf32>) -> tensor<512x512xf32> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 64 : i64, bn = 64 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "tf32x3", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xf32>, tensor<512x1024xf32>) -> tensor<512x512xf32>
      %2 = graph.relu %1 : tensor<512x512xf32>
      kernel.yield %2 : tensor<512x512xf32>
    }
}

// No tensor cores: IEEE float32 throughout.
// CHECK-LABEL: .entry ffma(
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK-NOT: mma.sync
// CHECK: ld.shared.v4.b32
// CHECK-NOT: mma.sync
// CHECK: fma.rn.f32
// CHECK-NOT: mma.sync
plan.kernel @ffma target "cuda" entries ["ffma"] {
  ^bb0(%x0: tensor<512x1024xf32>, %w0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %w = %w0 : tensor<512x1024xf32>) -> tensor<512x512xf32> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 64 : i64, bn = 64 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "ffma", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<512x1024xf32>, tensor<512x1024xf32>) -> tensor<512x512xf32>
      %2 = graph.relu %1 : tensor<512x512xf32>
      kernel.yield %2 : tensor<512x512xf32>
    }
}

// Sums go to memory; the block that arrives last reads those of all eight.
// CHECK-LABEL: .entry split_k(
// CHECK: mma.sync
// CHECK: st.global.v4.b32
// CHECK: fence.acq_rel.gpu
// CHECK: atom{{.*}}.inc.u32 {{.*}}, 7;
// CHECK: fence.acq_rel.gpu
// CHECK-COUNT-8: ld.global{{.*}}.v4.b32
plan.kernel @split_k target "cuda" entries ["split_k"] {
  ^bb0(%x0: tensor<64x4096xbf16>, %w0: tensor<64x4096xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<64x4096xbf16>, %w = %w0 : tensor<64x4096xbf16>) -> tensor<64x64xbf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 64 : i64, bn = 64 : i64, bk = 64 : i64, warps_m = 2 : i64, warps_n = 2 : i64, warps_k = 1 : i64, stages = 4 : i64, split = 8 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "off"}>} {
      %1 = graph.linear %x, %w : (tensor<64x4096xbf16>, tensor<64x4096xbf16>) -> tensor<64x64xbf16>
      %2 = graph.relu %1 : tensor<64x64xbf16>
      kernel.yield %2 : tensor<64x64xbf16>
    }
}

// The input is copied as it is. Behind the wait for its own copies, and ahead of
// the barrier, a thread makes its part of the tile.
// CHECK-LABEL: .entry prologue(
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: cp.async.wait_group 1;
// CHECK-NOT: bar.sync
// CHECK: ld.shared.v4.b32
// CHECK-NOT: bar.sync
// CHECK: cvt.rn.bf16x2.f32
// CHECK-NOT: bar.sync
// CHECK: st.shared.v2.b32
// CHECK: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
plan.kernel @prologue target "cuda" entries ["prologue"] {
  ^bb0(%x0: tensor<512x1024xf32>, %w0: tensor<512x1024xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %w = %w0 : tensor<512x1024xbf16>) -> tensor<512x512xbf16> attributes {impl = #kernel.impl<family = "gemm_sm80", schedule = {bm = 128 : i64, bn = 128 : i64, bk = 32 : i64, warps_m = 2 : i64, warps_n = 4 : i64, warps_k = 1 : i64, stages = 3 : i64, split = 1 : i64, group = 8 : i64, math = "mma", lhs = "dense", pdl = "off"}>} {
      %a = graph.gelu %x : tensor<512x1024xf32>
      %p = graph.cast %a : tensor<512x1024xf32> to tensor<512x1024xbf16>
      %1 = graph.linear %p, %w : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x512xbf16>
      %2 = graph.relu %1 : tensor<512x512xbf16>
      kernel.yield %2 : tensor<512x512xbf16>
    }
}
