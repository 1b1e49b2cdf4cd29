// Attention kernels that multiply by wgmma. None uses local memory or spills, and
// the assembler finds no reason to wait for one wgmma before the next.
//
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}' --implicit-check-not='wgmma serialized'
// RUN: not minic-emit-ptx %s --arch=sm_90 2>&1 | FileCheck %s --check-prefix=PLAIN

// LEAN: {{bytes of stack|nothing here assembles PTX}}
// PLAIN: error: attention cannot run attention 128x64 warps=8x1 stages=2 wgmma{{.*}}: wgmma needs sm_90a

// Scores of query and keys by rows of 128 bytes, four steps along a head; weights
// that are packed in place times values by key, transposed (the last 1), four
// steps along the keys. The turn of the loop that waits for copies comes last in
// the text.
// CHECK-LABEL: .entry in_turn(
// CHECK: .reqntid 256
// CHECK: griddepcontrol.wait;
// CHECK: cp.async.cg.shared.global {{.*}}, 16;
// CHECK: cp.async.commit_group
// CHECK: griddepcontrol.launch_dependents;
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[{].*[}], }}%rd{{[0-9]+}}, %rd{{[0-9]+}}, p, 1, 1, 0, 0;
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: ex2.approx.ftz
// CHECK-NOT: st.shared
// CHECK: cvt.rn.bf16x2.f32
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[{].*[}], [{].*[}], }}%rd{{[0-9]+}}, p, 1, 1, 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: cp.async.wait_group 0;
// CHECK-NEXT: fence.proxy.async.shared::cta;
// CHECK-NEXT: bar.sync 0;
// CHECK: rcp.approx.ftz.f32
// CHECK: st.global.v4.b32
plan.kernel @in_turn target "cuda" entries ["in_turn"] {
  ^bb0(%q0: tensor<8x16x512x64xbf16>, %k0: tensor<8x16x512x64xbf16>, %v0: tensor<8x16x512x64xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<8x16x512x64xbf16>, %k = %k0 : tensor<8x16x512x64xbf16>, %v = %v0 : tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 0 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 1 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 8 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16>
      kernel.yield %1 : tensor<8x16x512x64xbf16>
    }
}

// Scores of the next keys and values of those before are one group each, and
// weights are made behind the first.
// CHECK-LABEL: .entry ahead(
// CHECK: .reqntid 256
// CHECK: cp.async.wait_group 1;
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: .pragma "nounroll";
// CHECK: cp.async.wait_group 0;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{[{].*[}], }}%rd{{[0-9]+}}, %rd{{[0-9]+}}, p, 1, 1, 0, 0;
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.fence.sync.aligned;
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{[{].*[}], [{].*[}], }}%rd{{[0-9]+}}, p, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 1;
// CHECK: ex2.approx.ftz
plan.kernel @ahead target "cuda" entries ["ahead"] {
  ^bb0(%q0: tensor<1x32x2048x128xf16>, %k0: tensor<1x32x2048x128xf16>, %v0: tensor<1x32x2048x128xf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x32x2048x128xf16>, %k = %k0 : tensor<1x32x2048x128xf16>, %v = %v0 : tensor<1x32x2048x128xf16>) -> tensor<1x32x2048x128xf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 1 : i64, cluster = 0 : i64, key_block = 128 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 8 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x32x2048x128xf16>, tensor<1x32x2048x128xf16>, tensor<1x32x2048x128xf16>) -> tensor<1x32x2048x128xf16>
      kernel.yield %1 : tensor<1x32x2048x128xf16>
    }
}

// Keys split among blocks, some of which have none; heads of 96 elements in rows
// of 64 bytes.
// CHECK-LABEL: .entry split(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16
// CHECK: wgmma.mma_async.sync.aligned.m64n96k16
// CHECK: atom{{.*}}.inc.u32 {{.*}}, 2;
plan.kernel @split target "cuda" entries ["split"] {
  ^bb0(%q0: tensor<1x4x1024x96xbf16>, %k0: tensor<1x4x1024x96xbf16>, %v0: tensor<1x4x1024x96xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x4x1024x96xbf16>, %k = %k0 : tensor<1x4x1024x96xbf16>, %v = %v0 : tensor<1x4x1024x96xbf16>) -> tensor<1x4x1024x96xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 1 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 3 : i64, stages = 3 : i64, warps = 4 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {} : (tensor<1x4x1024x96xbf16>, tensor<1x4x1024x96xbf16>, tensor<1x4x1024x96xbf16>) -> tensor<1x4x1024x96xbf16>
      kernel.yield %1 : tensor<1x4x1024x96xbf16>
    }
}

// Three warp groups.
// CHECK-LABEL: .entry three_groups(
// CHECK: .reqntid 384
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16
plan.kernel @three_groups target "cuda" entries ["three_groups"] {
  ^bb0(%q0: tensor<1x32x2048x128xbf16>, %k0: tensor<1x32x2048x128xbf16>, %v0: tensor<1x32x2048x128xbf16>):
    %0 = kernel.fusion (%q = %q0 : tensor<1x32x2048x128xbf16>, %k = %k0 : tensor<1x32x2048x128xbf16>, %v = %v0 : tensor<1x32x2048x128xbf16>) -> tensor<1x32x2048x128xbf16> attributes {impl = #kernel.impl<family = "attention", schedule = {ahead = 1 : i64, cluster = 0 : i64, key_block = 64 : i64, key_warps = 1 : i64, pack = 0 : i64, pdl = 0 : i64, row_tiles = 1 : i64, split = 1 : i64, stages = 2 : i64, warps = 12 : i64, wgmma = 1 : i64}>} {
      %1 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x32x2048x128xbf16>, tensor<1x32x2048x128xbf16>, tensor<1x32x2048x128xbf16>) -> tensor<1x32x2048x128xbf16>
      kernel.yield %1 : tensor<1x32x2048x128xbf16>
    }
}
