// A kernel whose warps take over registers of others. nvJitLink ignores that, and
// the kernel would spill; ptxas does not.
//
// REQUIRES: ptxas
// RUN: env MINIC_PTXAS=%ptxas minic-emit-ptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=LEAN --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}' --implicit-check-not='wgmma serialized'

// LEAN: registers: 168 registers, 0 bytes spilled

// Teams take over registers of the warps that copy, which are a warp group then:
// the assembler has to know how many each thread begins with.
// CHECK-LABEL: .entry registers(
// CHECK: .reqntid 384
// CHECK: .minnctapersm 1
// CHECK: setmaxnreg.inc.sync.aligned.u32 {{.*}}240;
// CHECK: wgmma.mma_async.sync.aligned.m64n192k16
// CHECK: setmaxnreg.dec.sync.aligned.u32 {{.*}}24;
// CHECK: ret;
plan.kernel @registers target "cuda" entries ["registers"] {
  ^bb0(%x0: tensor<4096x768xbf16>, %w0: tensor<3072x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<4096x768xbf16>, %w = %w0 : tensor<3072x768xbf16>) -> tensor<4096x3072xbf16> attributes {impl = #kernel.impl<family = "gemm_sm90", schedule = {copies = "tma", bm = 128 : i64, bn = 192 : i64, pingpong = 132 : i64, registers = 240 : i64, stages = 4 : i64, warpgroups_m = 1 : i64}>} {
      %1 = graph.linear %x, %w : (tensor<4096x768xbf16>, tensor<3072x768xbf16>) -> tensor<4096x3072xbf16>
      kernel.yield %1 : tensor<4096x3072xbf16>
    }
}
