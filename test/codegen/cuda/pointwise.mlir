// What rounds, asks for NaN or looks at bits is an instruction each; integers
// are divided without a call.
//
// RUN: minic-emit-ptx %s --arch=sm_90a | FileCheck %s --implicit-check-not=call

// CHECK-LABEL: .entry round(
// CHECK-DAG: cvt.rmi.f32.f32
// CHECK-DAG: cvt.rpi.f32.f32
// CHECK-DAG: cvt.rni.f32.f32
plan.kernel @round target "cuda" entries ["round"] {
  ^bb0(%x0: tensor<512x1024xf32>, %y0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %y = %y0 : tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %f = graph.floor %x : tensor<512x1024xf32>
      %c = graph.ceil %y : tensor<512x1024xf32>
      %d = graph.sub %f, %c : tensor<512x1024xf32>
      %e = graph.mul %d, %x : tensor<512x1024xf32>
      %1 = graph.round %e : tensor<512x1024xf32>
      kernel.yield %1 : tensor<512x1024xf32>
    }
}

// CHECK-LABEL: .entry is_nan(
// CHECK: setp.nan.f32
plan.kernel @is_nan target "cuda" entries ["is_nan"] {
  ^bb0(%x0: tensor<512x1024xf32>, %y0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %y = %y0 : tensor<512x1024xf32>) -> tensor<512x1024xi1> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %d = graph.sub %x, %y : tensor<512x1024xf32>
      %1 = graph.is_nan %d : tensor<512x1024xf32> -> tensor<512x1024xi1>
      kernel.yield %1 : tensor<512x1024xi1>
    }
}

// CHECK-LABEL: .entry bits(
// CHECK: div.s32
// CHECK: not.b32
plan.kernel @bits target "cuda" entries ["bits"] {
  ^bb0(%x0: tensor<512x1024xi32>, %y0: tensor<512x1024xi32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xi32>, %y = %y0 : tensor<512x1024xi32>) -> tensor<512x1024xi32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %m = graph.mod %x, %y : tensor<512x1024xi32>
      %d = graph.div %x, %y : tensor<512x1024xi32>
      %n = graph.xor %m, %d : tensor<512x1024xi32>
      %1 = graph.not %n : tensor<512x1024xi32>
      kernel.yield %1 : tensor<512x1024xi32>
    }
}

// CHECK-LABEL: .entry activations(
// CHECK: ex2.approx
plan.kernel @activations target "cuda" entries ["activations"] {
  ^bb0(%x0: tensor<512x1024xf32>, %y0: tensor<512x1024xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<512x1024xf32>, %y = %y0 : tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %s = graph.softplus %x : tensor<512x1024xf32>
      %m = graph.mish %s : tensor<512x1024xf32>
      %e = graph.elu %m : tensor<512x1024xf32>
      %h = graph.hard_sigmoid %e : tensor<512x1024xf32>
      %1 = graph.mod %h, %y : tensor<512x1024xf32>
      kernel.yield %1 : tensor<512x1024xf32>
    }
}

// Rows of a table: an index, then 16 bytes of the row. What is out of range is
// said once for all vectors of a thread.
// CHECK-LABEL: .entry gather(
// CHECK: ld.global.b64
// CHECK: ld.global.b64
// CHECK: ld.global.v4.b32
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK: st.global.v4.b32
plan.kernel @gather target "cuda" entries ["gather"] {
  ^bb0(%x0: tensor<50257x768xbf16>, %y0: tensor<4096xi64>):
    %0 = kernel.fusion (%x = %x0 : tensor<50257x768xbf16>, %y = %y0 : tensor<4096xi64>) -> tensor<4096x768xbf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 2 : i64, vector = 8 : i64}>} {
      %1 = graph.gather %x, %y axis = 0 : (tensor<50257x768xbf16>, tensor<4096xi64>) -> tensor<4096x768xbf16>
      kernel.yield %1 : tensor<4096x768xbf16>
    }
}

// Each 16 bytes of a concat come from one operand or the other, which a select
// of addresses says.
// CHECK-LABEL: .entry concat(
// CHECK-NOT: bra
// CHECK: selp.b64
// CHECK-NOT: bra
// CHECK: ld.global.v4.b32
// CHECK-NOT: bra
// CHECK: selp.b64
// CHECK-NOT: bra
// CHECK: ld.global.v4.b32
// CHECK-NOT: {{bra|ld.global}}
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: {{bra|st.global}}
plan.kernel @concat target "cuda" entries ["concat"] {
  ^bb0(%x0: tensor<32x1x768xbf16>, %y0: tensor<32x196x768xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<32x1x768xbf16>, %y = %y0 : tensor<32x196x768xbf16>) -> tensor<32x197x768xbf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 2 : i64, vector = 8 : i64}>} {
      %1 = graph.concat %x, %y axis = 1 : (tensor<32x1x768xbf16>, tensor<32x196x768xbf16>) -> tensor<32x197x768xbf16>
      kernel.yield %1 : tensor<32x197x768xbf16>
    }
}

// A thread turns 16 bytes of the first halves and the same of the second ones: of
// each it reads the row once, with one index for both angles.
// CHECK-LABEL: .entry rotary(
// CHECK: ld.global.b64
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: st.global.v4
plan.kernel @rotary target "cuda" entries ["rotary"] {
  ^bb0(%x0: tensor<1x512x48x128xbf16>, %c0: tensor<2048x64xbf16>, %p0: tensor<512xi64>, %s0: tensor<2048x64xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x512x48x128xbf16>, %c = %c0 : tensor<2048x64xbf16>, %p = %p0 : tensor<512xi64>, %s = %s0 : tensor<2048x64xbf16>) -> tensor<1x32x512x128xbf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 8 : i64}>} {
      %h = graph.slice %x [0, 0, 0, 0] to [1, 512, 32, 128] by [1, 1, 1, 1] : tensor<1x512x48x128xbf16> -> tensor<1x512x32x128xbf16>
      %t = graph.transpose %h [0, 2, 1, 3] : tensor<1x512x32x128xbf16> -> tensor<1x32x512x128xbf16>
      %cos = graph.gather %c, %p axis = 0 : (tensor<2048x64xbf16>, tensor<512xi64>) -> tensor<512x64xbf16>
      %sin = graph.gather %s, %p axis = 0 : (tensor<2048x64xbf16>, tensor<512xi64>) -> tensor<512x64xbf16>
      %1 = graph.rotary %t, %cos, %sin : (tensor<1x32x512x128xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>) -> tensor<1x32x512x128xbf16>
      kernel.yield %1 : tensor<1x32x512x128xbf16>
    }
}

// Pairs that are neighbours: four of them are 16 bytes, and their angles 8 each.
// CHECK-LABEL: .entry neighbours(
// CHECK: ld.global.v4.b32
// CHECK-COUNT-2: ld.global.v4.b16
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// CHECK-NOT: st.global
plan.kernel @neighbours target "cuda" entries ["neighbours"] {
  ^bb0(%x0: tensor<32x512x128xbf16>, %c0: tensor<512x64xbf16>, %s0: tensor<512x64xbf16>):
    %0 = kernel.fusion (%x = %x0 : tensor<32x512x128xbf16>, %c = %c0 : tensor<512x64xbf16>, %s = %s0 : tensor<512x64xbf16>) -> tensor<32x512x128xbf16> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 256 : i64, unroll = 1 : i64, vector = 4 : i64}>} {
      %1 = graph.rotary %x, %c, %s {interleaved} : (tensor<32x512x128xbf16>, tensor<512x64xbf16>, tensor<512x64xbf16>) -> tensor<32x512x128xbf16>
      kernel.yield %1 : tensor<32x512x128xbf16>
    }
}

// Keys and values of a token: one read of the position says where both begin and
// which angles there are.
// CHECK-LABEL: .entry updates(
// CHECK-COUNT-1: ld.global.b64
// CHECK-NOT: ld.global.b64
// CHECK-COUNT-6: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.v4.b32
plan.kernel @updates target "cuda" entries ["updates"] {
  ^bb0(%c0: tensor<2048x64xbf16>, %p0: tensor<i64>, %s0: tensor<2048x64xbf16>, %k0: tensor<1x8x1x128xbf16>, %kc0: tensor<1x8x1024x128xbf16>, %vc0: tensor<1x8x1024x128xbf16>, %v0: tensor<1x8x1x128xbf16>):
    %0:2 = kernel.fusion (%c = %c0 : tensor<2048x64xbf16>, %p = %p0 : tensor<i64>, %s = %s0 : tensor<2048x64xbf16>, %k = %k0 : tensor<1x8x1x128xbf16>, %kc = %kc0 : tensor<1x8x1024x128xbf16>, %vc = %vc0 : tensor<1x8x1024x128xbf16>, %v = %v0 : tensor<1x8x1x128xbf16>) -> (tensor<1x8x1024x128xbf16>, tensor<1x8x1024x128xbf16>) attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 64 : i64, unroll = 1 : i64, vector = 8 : i64}>} {
      %cos = graph.gather %c, %p axis = 0 : (tensor<2048x64xbf16>, tensor<i64>) -> tensor<64xbf16>
      %sin = graph.gather %s, %p axis = 0 : (tensor<2048x64xbf16>, tensor<i64>) -> tensor<64xbf16>
      %t = graph.rotary %k, %cos, %sin : (tensor<1x8x1x128xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<1x8x1x128xbf16>
      %1 = graph.cache_update %kc, %t at %p axis = 2 {graph.in_place} : (tensor<1x8x1024x128xbf16>, tensor<1x8x1x128xbf16>, tensor<i64>) -> tensor<1x8x1024x128xbf16>
      %2 = graph.cache_update %vc, %v at %p axis = 2 {graph.in_place} : (tensor<1x8x1024x128xbf16>, tensor<1x8x1x128xbf16>, tensor<i64>) -> tensor<1x8x1024x128xbf16>
      kernel.yield %1, %2 : tensor<1x8x1024x128xbf16>, tensor<1x8x1024x128xbf16>
    }
}
