// Kernels of loops: an element per thread, numbered in 64 bits, from and to
// global memory; what is computed for a reduction is in its loop, and what
// follows is behind it. Nothing is called, spilled or put into local memory.
//
// RUN: minic-emit-ptx %s --arch=sm_80 > %t.80.ptx
// RUN: FileCheck %s --input-file=%t.80.ptx --implicit-check-not=call
// RUN: FileCheck %s --input-file=%t.80.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'
// RUN: minic-emit-ptx %s --arch=sm_90a > %t.90.ptx
// RUN: FileCheck %s --input-file=%t.90.ptx --implicit-check-not=call
// RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=LEAN --implicit-check-not=.local --implicit-check-not='{{[1-9][0-9]* bytes (spilled|of stack)}}'

// LEAN: {{bytes of stack|nothing here assembles PTX}}

// CHECK-LABEL: .entry norm(
// CHECK: .reqntid 64
// CHECK: mul.wide.u32 {{.*}}, %r{{[0-9]+}}, 64;
// CHECK: setp.gt.{{[su]}}64 {{.*}}, 999;
// CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
// CHECK: ld.global.b16
// CHECK: bra{{.*}} [[LOOP]];
// CHECK: rsqrt.approx.f32
// CHECK: st.global.b32
plan.kernel @norm target "cuda" entries ["norm"] {
  ^bb0(%x0: tensor<1000x77xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1000x77xbf16>) -> tensor<1000x1xf32> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 64 : i64, threads = 1 : i64}>} {
      %w = graph.cast %x : tensor<1000x77xbf16> to tensor<1000x77xf32>
      %s = graph.mul %w, %w : tensor<1000x77xf32>
      %m = graph.reduce mean, %s [1] {keep_dims} : tensor<1000x77xf32> -> tensor<1000x1xf32>
      %1 = graph.rsqrt %m : tensor<1000x1xf32>
      kernel.yield %1 : tensor<1000x1xf32>
    }
}

// The greatest with NaN in mind is one instruction.
// CHECK-LABEL: .entry greatest(
// CHECK: max.NaN.f32
plan.kernel @greatest target "cuda" entries ["greatest"] {
  ^bb0(%x0: tensor<33x50257xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<33x50257xf16>) -> tensor<33xf16> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 32 : i64, threads = 1 : i64}>} {
      %1 = graph.reduce max, %x [1] : tensor<33x50257xf16> -> tensor<33xf16>
      kernel.yield %1 : tensor<33xf16>
    }
}

// Threads of a warp read neighbours, and their sums meet by shuffles; one of them
// stores.
// CHECK-LABEL: .entry row_sums(
// CHECK: .reqntid 128
// CHECK: [[ROW:\$L[_A-Z0-9]+]]:
// CHECK: ld.global.b32
// CHECK: add{{.*}}, 32;
// CHECK: bra{{.*}} [[ROW]];
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: st.global.b32
// CHECK-NOT: st.global
plan.kernel @row_sums target "cuda" entries ["row_sums"] {
  ^bb0(%x0: tensor<1000x999xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<1000x999xf32>) -> tensor<1000xf32> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 128 : i64, threads = 32 : i64}>} {
      %1 = graph.reduce sum, %x [1] : tensor<1000x999xf32> -> tensor<1000xf32>
      kernel.yield %1 : tensor<1000xf32>
    }
}

// Those of several warps meet in shared memory, behind a barrier; an index is
// two words.
// CHECK-LABEL: .entry places(
// CHECK-COUNT-15: shfl.sync.bfly.b32
// CHECK-NOT: shfl
// CHECK: st.shared.b32
// CHECK: st.shared.b64
// CHECK: bar.sync 0;
// CHECK-COUNT-8: ld.shared.b64
// CHECK: st.global.b64
plan.kernel @places target "cuda" entries ["places"] {
  ^bb0(%x0: tensor<7x50257xf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<7x50257xf16>) -> tensor<7xi64> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 256 : i64, threads = 256 : i64}>} {
      %1 = graph.arg_reduce max, %x axis = 1 : tensor<7x50257xf16> -> tensor<7xi64>
      kernel.yield %1 : tensor<7xi64>
    }
}

// What a pad adds is not read.
// CHECK-LABEL: .entry pad(
// CHECK: setp
// CHECK: @{{!?}}%p{{[0-9]+}} bra
// CHECK: ld.global.b32
plan.kernel @pad target "cuda" entries ["pad"] {
  ^bb0(%x0: tensor<30x50xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<30x50xf32>) -> tensor<33x51xf32> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 32 : i64, threads = 1 : i64}>} {
      %1 = graph.pad %x before [1, 1] after [2, 0] {value = 0.0 : f64} : tensor<30x50xf32> -> tensor<33x51xf32>
      kernel.yield %1 : tensor<33x51xf32>
    }
}

// An index is clamped and, where it was outside, told by one store to the last
// parameter that no other thread's store disturbs.
// CHECK-LABEL: .entry embedding(
// CHECK: embedding_param_3
// CHECK: ld.global.b64
// CHECK: st.{{relaxed|volatile}}{{.*}}.b32
// CHECK: ld.global.b16
// CHECK: st.global.b16
plan.kernel @embedding target "cuda" entries ["embedding"] {
  ^bb0(%x0: tensor<50257x768xbf16>, %i0: tensor<77xi64>):
    %0 = kernel.fusion (%x = %x0 : tensor<50257x768xbf16>, %i = %i0 : tensor<77xi64>) -> tensor<77x768xbf16> attributes {impl = #kernel.impl<family = "loops", schedule = {block = 256 : i64, threads = 1 : i64}>} {
      %1 = graph.gather %x, %i axis = 0 : (tensor<50257x768xbf16>, tensor<77xi64>) -> tensor<77x768xbf16>
      kernel.yield %1 : tensor<77x768xbf16>
    }
}
