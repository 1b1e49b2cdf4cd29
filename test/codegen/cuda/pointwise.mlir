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
