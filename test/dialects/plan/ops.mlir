// RUN: minic-opt %s | minic-opt | FileCheck %s
// RUN: minic-opt %s --mlir-print-op-generic | minic-opt | FileCheck %s

// Every op and attribute prints and parses, regions without ops too.

// CHECK: plan.function @main inputs [#plan.tensor_spec<name = "x", type = tensor<4x8xf32>, alignment = 64>] outputs [#plan.tensor_spec<name = "y", type = tensor<4x8xbf16>, alignment = 32>] flops = 128
plan.function @main inputs [#plan.tensor_spec<name = "x", type = tensor<4x8xf32>, alignment = 64>] outputs [#plan.tensor_spec<name = "y", type = tensor<4x8xbf16>, alignment = 32>] flops = 128 {
  // CHECK: plan.variant "cpu" isa ["avx2", "fma"] threads = 2 attributes {arena_bytes = 256 : i64, evidence = "{}"} prepare {
  // CHECK-NEXT: } run {
  plan.variant "cpu" isa ["avx2", "fma"] threads = 2 attributes {arena_bytes = 256 : i64, evidence = "{}"} prepare {} run {
    // CHECK-DAG: %[[X:.+]] = plan.input 0
    %x = plan.input 0
    // CHECK-DAG: %[[Y:.+]] = plan.output 0
    %y = plan.output 0
    // CHECK-DAG: %[[W:.+]] = plan.constant_address @w
    %w = plan.constant_address @w
    // CHECK-DAG: %[[A:.+]] = plan.buffer 128{{$}}
    %a = plan.buffer 128
    // CHECK-DAG: %[[S:.+]] = plan.buffer 128 {alignment = 32 : i64, offset = 128 : i64}
    %s = plan.buffer 128 {alignment = 32 : i64, offset = 128 : i64}
    // CHECK: %[[V:.+]] = plan.view %[[A]] + 64
    %v = plan.view %a + 64
    // CHECK: plan.launch "kernel_a" grid [4](%[[X]], %[[A]]) access [#plan<access read>, #plan<access write>] scratch %[[S]]
    // CHECK-SAME: depends = array<i32>
    // CHECK-SAME: label = "a"
    // CHECK-SAME: scalars = array<i64: 4, -1>
    // CHECK-SAME: scratch_bytes = 64 : i64
    plan.launch "kernel_a" grid [4](%x, %a) access [#plan<access read>, #plan<access write>] scratch %s
      {scratch_bytes = 64 : i64, scalars = array<i64: 4, -1>, label = "a", depends = array<i32>}
    // CHECK: plan.launch "kernel_b" grid [2, 3, 4]() access []
    plan.launch "kernel_b" grid [2, 3, 4]() access []
    // CHECK: plan.call <"onednn" "matmul"(lhs = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>
    // CHECK-SAME: bias =
    // CHECK-SAME: attributes {pack_rhs = 1 : i64}
    // CHECK-SAME: epilogue [#plan.eltwise<kind = "relu", alpha = 0.000000e+00 : f32, beta = 0.000000e+00 : f32>, #plan.binary<kind = "add", operand =
    // CHECK-SAME: scratch %[[S]] {
    // CHECK-SAME: library_version = "2.6.3"
    plan.call <"onednn" "matmul"(
        lhs = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
        rhs = <operand = 1, dtype = f32, dims = [8, 8], strides = [1, 8]>,
        bias = <operand = 1, dtype = f32, dims = [1, 8], strides = [8, 1]>,
        result = <operand = 2, dtype = f32, dims = [4, 8], strides = [8, 1]>)
        attributes {pack_rhs = 1 : i64}
        epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>,
          #plan.binary<kind = "add", operand = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>>]>(%x, %w, %y)
      access [#plan<access read>, #plan<access read>, #plan<access write>] scratch %s
      {scratch_bytes = 128 : i64, library_version = "2.6.3", label = "linear", depends = array<i32: 0>}
    // CHECK: plan.copy %[[Y]], %[[V]] bytes = 64 {depends = array<i32: 0>, label = "copy"}
    plan.copy %y, %v bytes = 64 {label = "copy", depends = array<i32: 0>}
    // CHECK: plan.fill %[[A]] value = 255 bytes = 128
    plan.fill %a value = 255 bytes = 128
  }
}
// CHECK: plan.function @empty inputs [] outputs [] flops = 0 {
// CHECK-NEXT: }
plan.function @empty inputs [] outputs [] flops = 0 {}

// CHECK: plan.constant @w : tensor<2x2xf32, #kernel.layout<order = [1, 0], blocks = {{\[\]}}, padded = [2, 4]>> = dense<1.000000e+00> : tensor<2x2xf32>
plan.constant @w : tensor<2x2xf32, #kernel.layout<order = [1, 0], blocks = [], padded = [2, 4]>> = dense<1.0> : tensor<2x2xf32>
// CHECK: plan.constant @external : tensor<3xi8>{{$}}
plan.constant @external : tensor<3xi8>

// CHECK: plan.kernel @kernel target "cpu" entries ["kernel_a", "kernel_b"] {
// CHECK-NEXT: ^bb0(%[[ARG:.+]]: tensor<4xf32>):
// CHECK-NEXT: kernel.fusion (%{{.+}} = %[[ARG]] : tensor<4xf32>)
plan.kernel @kernel target "cpu" entries ["kernel_a", "kernel_b"] {
^bb0(%x: tensor<4xf32>):
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32> attributes {impl = #kernel.impl<family = "f", schedule = {}>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
}
// CHECK: plan.binary @code "elf_shared_object" "x86-64-v4" = dense<[127, 69]> : tensor<2xi8>
plan.binary @code "elf_shared_object" "x86-64-v4" = dense<[127, 69]> : tensor<2xi8>
