// Attention kernels: copies under way while tensor cores multiply, weights that
// stay in registers, and no spills for the schedules that are offered first.
//
// RUN: minic-emit-ptx %s > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.90.ptx
// RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// Two stages. Keys are read as they lie, values transposed on their way to
// registers, and weights are packed in place: nothing goes to shared memory.
// CHECK-LABEL: .entry dense(
// CHECK: .reqntid 128
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK: shfl.sync.bfly
// CHECK: ex2.approx.ftz
// CHECK-NOT: st.shared
// CHECK: cvt.rn.bf16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mma.sync
// CHECK: st.global.v4.b32
plan.kernel @dense target "cuda" entries ["dense"] {
  ^bb0(%q0: tensor<8x16x512x64xbf16>, %k0: tensor<8x16x512x64xbf16>, %v0: tensor<8x16x512x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<8x16x512x64xbf16>, %k = %k0 : tensor<8x16x512x64xbf16>, %v = %v0 : tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 4 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16>
      kernel.yield %1 : tensor<8x16x512x64xbf16>
    }
}

// One stage: values are copied while keys are multiplied, and keys while values
// are.
// CHECK-LABEL: .entry causal(
// CHECK: .reqntid 256
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
// CHECK: cp.async.cg
// CHECK: mma.sync
// CHECK: ex2.approx.ftz
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: bar.sync 0;
plan.kernel @causal target "cuda" entries ["causal"] {
  ^bb0(%q0: tensor<1x32x2048x128xf16>, %k0: tensor<1x32x2048x128xf16>, %v0: tensor<1x32x2048x128xf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x32x2048x128xf16>, %k = %k0 : tensor<1x32x2048x128xf16>, %v = %v0 : tensor<1x32x2048x128xf16>) -> tensor<1x32x2048x128xf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 1 : i64, warps = 8 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x32x2048x128xf16>, tensor<1x32x2048x128xf16>, tensor<1x32x2048x128xf16>) -> tensor<1x32x2048x128xf16>
      kernel.yield %1 : tensor<1x32x2048x128xf16>
    }
}

// Large heads: the query is read again for each block of keys.
// CHECK-LABEL: .entry large_heads(
// CHECK: mma.sync
plan.kernel @large_heads target "cuda" entries ["large_heads"] {
  ^bb0(%q0: tensor<1x4x100x256xbf16>, %k0: tensor<1x4x100x256xbf16>, %v0: tensor<1x4x100x256xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x4x100x256xbf16>, %k = %k0 : tensor<1x4x100x256xbf16>, %v = %v0 : tensor<1x4x100x256xbf16>) -> tensor<1x4x100x256xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 32 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 1 : i64, warps = 4 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<1x4x100x256xbf16>, tensor<1x4x100x256xbf16>, tensor<1x4x100x256xbf16>) -> tensor<1x4x100x256xbf16>
      kernel.yield %1 : tensor<1x4x100x256xbf16>
    }
}

// 32 rows of a warp: each key that it reads is multiplied twice.
// CHECK-LABEL: .entry two_tiles(
// CHECK: mma.sync
plan.kernel @two_tiles target "cuda" entries ["two_tiles"] {
  ^bb0(%q0: tensor<8x16x512x64xbf16>, %k0: tensor<8x16x512x64xbf16>, %v0: tensor<8x16x512x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<8x16x512x64xbf16>, %k = %k0 : tensor<8x16x512x64xbf16>, %v = %v0 : tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 2 : i64, split = 1 : i64, stages = 2 : i64, warps = 4 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16>
      kernel.yield %1 : tensor<8x16x512x64xbf16>
    }
}

// A decode step: the four heads that share a key are rows of one tile, warps
// share the keys of a block, and the block that arrives last merges those of all.
// CHECK-LABEL: .entry decode(
// CHECK: mma.sync
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: st.global.v2.b32
// CHECK: fence.acq_rel.gpu
// CHECK: atom{{.*}}.inc.u32 {{.*}}, 7;
// CHECK: fence.acq_rel.gpu
// CHECK: st.global
plan.kernel @decode target "cuda" entries ["decode"] {
  ^bb0(%q0: tensor<1x32x1x128xbf16>, %k0: tensor<1x8x1024x128xbf16>, %v0: tensor<1x8x1024x128xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x32x1x128xbf16>, %k = %k0 : tensor<1x8x1024x128xbf16>, %v = %v0 : tensor<1x8x1024x128xbf16>) -> tensor<1x32x1x128xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 4 : i64, pack = 1 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 8 : i64, stages = 2 : i64, warps = 1 : i64, wgmma = 0 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<1x32x1x128xbf16>, tensor<1x8x1024x128xbf16>, tensor<1x8x1024x128xbf16>) -> tensor<1x32x1x128xbf16>
      kernel.yield %1 : tensor<1x32x1x128xbf16>
    }
}
