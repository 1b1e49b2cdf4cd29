// RUN: minic-opt %s --split-input-file --plan-lower="threads=2 isa=avx2,fma alignment=32" | FileCheck %s

#impl = #kernel.impl<family = "f", schedule = {}>

// Arguments become inputs and results outputs, by their names or their
// positions; the last fusion writes its output directly, what is between lives
// in a buffer.
// CHECK-LABEL: plan.function @main
// CHECK-SAME: inputs [#plan.tensor_spec<name = "x", type = tensor<4x8xf32>, alignment = 32>, #plan.tensor_spec<name = "arg1", type = tensor<16x8xf32>, alignment = 32>]
// CHECK-SAME: outputs [#plan.tensor_spec<name = "result0", type = tensor<4x16xf32>, alignment = 32>, #plan.tensor_spec<name = "y", type = tensor<4x16xf32>, alignment = 32>]
// 2 * 4 * 16 * 8 for the linear, 4 * 16 for each of relu and exp.
// CHECK-SAME: flops = 1152
// CHECK-NEXT: plan.variant "cpu" isa ["avx2", "fma"] threads = 2 prepare {
// CHECK-NEXT: } run {
func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32> {graph.name = "y"}) {
  // CHECK-DAG: %[[X:.+]] = plan.input 0
  // CHECK-DAG: %[[W:.+]] = plan.input 1
  // CHECK-DAG: %[[SUM:.+]] = plan.buffer 256
  // CHECK-DAG: %[[RELU:.+]] = plan.output 0
  // CHECK-DAG: %[[EXP:.+]] = plan.output 1
  // CHECK: plan.launch "linear_relu_4x8_16x8_f32" grid [1](%[[X]], %[[W]], %[[SUM]], %[[RELU]])
  // CHECK-SAME: access [#plan<access read>, #plan<access read>, #plan<access write>, #plan<access write>]
  // CHECK-SAME: label = "linear_relu"
  %0:2 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
      attributes {impl = #impl} {
    %1 = graph.linear %x0, %w0 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %2 = graph.relu %1 : tensor<4x16xf32>
    kernel.yield %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
  }
  // CHECK: plan.launch "exp_4x16_f32" grid [1](%[[SUM]], %[[EXP]])
  %3 = kernel.fusion (%x0 = %0#0 : tensor<4x16xf32>) -> tensor<4x16xf32> attributes {impl = #impl} {
    %4 = graph.exp %x0 : tensor<4x16xf32>
    kernel.yield %4 : tensor<4x16xf32>
  }
  return %0#1, %3 : tensor<4x16xf32>, tensor<4x16xf32>
}
// CHECK: plan.kernel @linear_relu_4x8_16x8_f32 target "cpu" entries ["linear_relu_4x8_16x8_f32"] {
// CHECK-NEXT: ^bb0(%[[X0:.+]]: tensor<4x8xf32>, %[[W0:.+]]: tensor<16x8xf32>):
// CHECK-NEXT: kernel.fusion (%{{.+}} = %[[X0]] : tensor<4x8xf32>, %{{.+}} = %[[W0]] : tensor<16x8xf32>)
// CHECK: plan.kernel @exp

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// A reshape is another name for an address, on the way in, between fusions and
// on the way out.
// CHECK-LABEL: plan.function @views
func.func @views(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK-DAG: %[[X:.+]] = plan.input 0
  // CHECK-DAG: %[[Y:.+]] = plan.output 0
  // CHECK-DAG: %[[BETWEEN:.+]] = plan.buffer 128
  // CHECK: plan.launch "exp_32_f32" grid [1](%[[X]], %[[BETWEEN]])
  // CHECK: plan.launch "{{relu_[0-9x]+_f32}}" grid [1](%[[BETWEEN]], %[[Y]])
  // CHECK-NOT: plan.copy
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<32xf32>
  %1 = kernel.fusion (%x0 = %0 : tensor<32xf32>) -> tensor<32xf32> attributes {impl = #impl} {
    %2 = graph.exp %x0 : tensor<32xf32>
    kernel.yield %2 : tensor<32xf32>
  }
  %3 = graph.reshape %1 : tensor<32xf32> to tensor<2x16xf32>
  %4 = kernel.fusion (%x0 = %3 : tensor<2x16xf32>) -> tensor<2x16xf32> attributes {impl = #impl} {
    %5 = graph.relu %x0 : tensor<2x16xf32>
    kernel.yield %5 : tensor<2x16xf32>
  }
  %6 = graph.reshape %4 : tensor<2x16xf32> to tensor<8x4xf32>
  return %6 : tensor<8x4xf32>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {}>

// What no command writes into an output is copied there: an argument, a
// constant, a value returned twice.
// CHECK-LABEL: plan.function @copies
func.func @copies(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi8>) {
  // CHECK-DAG: %[[Y:.+]] = plan.output 0
  // CHECK-DAG: %[[X:.+]] = plan.input 0
  // CHECK: plan.launch "exp_3_f32" grid [1](%[[X]], %[[Y]])
  // CHECK: %[[SECOND:.+]] = plan.output 1
  // CHECK: plan.copy %[[SECOND]], %[[Y]] bytes = 12
  // CHECK: %[[ARGUMENT:.+]] = plan.output 2
  // CHECK: plan.copy %[[ARGUMENT]], %[[X]] bytes = 12
  // CHECK: %[[LAST:.+]] = plan.output 3
  // CHECK: %[[CONSTANT:.+]] = plan.constant_address @constant
  // CHECK: plan.copy %[[LAST]], %[[CONSTANT]] bytes = 2
  %c = graph.constant dense<[1, 2]> : tensor<2xi8>
  %0 = kernel.fusion (%x0 = %x : tensor<3xf32>) -> tensor<3xf32> attributes {impl = #impl} {
    %1 = graph.exp %x0 : tensor<3xf32>
    kernel.yield %1 : tensor<3xf32>
  }
  return %0, %0, %x, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi8>
}

// -----

#impl = #kernel.impl<family = "f", schedule = {scratch_bytes = 128 : i64}>

// Functions share constants and kernels that are equal. Scratch is there once
// per thread. Private functions are not entries.
// CHECK-LABEL: plan.function @one
// CHECK: plan.constant_address @w
// CHECK: %[[SCRATCH:.+]] = plan.buffer 256
// CHECK: plan.launch "mul_3_3_f32" {{.*}} scratch %[[SCRATCH]] {{.*}}scratch_bytes = 128
// CHECK-LABEL: plan.function @two
// CHECK: plan.constant_address @w
// CHECK: plan.launch "mul_3_3_f32"
// CHECK: plan.constant_address @w_1
// CHECK: plan.launch "mul_3_2x3_f32"
// CHECK-NOT: plan.function
// CHECK: plan.constant @w : tensor<3xf32>
// CHECK: plan.kernel @mul_3_3_f32 target
// CHECK: plan.constant @w_1 : tensor<2x3xf32>
// CHECK: plan.kernel @mul_3_2x3_f32 target
// CHECK-NOT: plan.constant
// CHECK-NOT: plan.kernel
func.func @one(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant @w : tensor<3xf32>
  %0 = kernel.fusion (%x0 = %x : tensor<3xf32>, %w0 = %w : tensor<3xf32>) -> tensor<3xf32> attributes {impl = #impl, provenance = "one"} {
    %1 = graph.mul %x0, %w0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    kernel.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
func.func @two(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
  %w = graph.constant @w : tensor<3xf32>
  %other = graph.constant @w : tensor<2x3xf32>
  %0 = kernel.fusion (%x0 = %x : tensor<3xf32>, %w0 = %w : tensor<3xf32>) -> tensor<3xf32> attributes {impl = #impl, provenance = "two"} {
    %1 = graph.mul %x0, %w0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    kernel.yield %1 : tensor<3xf32>
  }
  %2 = kernel.fusion (%x0 = %x : tensor<3xf32>, %w0 = %other : tensor<2x3xf32>) -> tensor<2x3xf32> attributes {impl = #impl} {
    %3 = graph.mul %x0, %w0 : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    kernel.yield %3 : tensor<2x3xf32>
  }
  return %0, %2 : tensor<3xf32>, tensor<2x3xf32>
}
func.func private @nobody(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// A relayout that is left is a command; its buffer has room for the padding.
// CHECK-LABEL: plan.function @padded
// CHECK: %[[PADDED:.+]] = plan.buffer 256
// CHECK: plan.launch "relayout_4x9_f32" grid [1](%{{.+}}, %[[PADDED]])
// CHECK: plan.kernel @relayout_4x9_f32 target "cpu"
// CHECK: kernel.relayout
#padded = #kernel.layout<order = [0, 1], blocks = [], padded = [4, 16]>
#impl = #kernel.impl<family = "f", schedule = {}>
func.func @padded(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %0 = kernel.relayout %x : tensor<4x9xf32> to tensor<4x9xf32, #padded>
  %1 = kernel.fusion (%x0 = %0 : tensor<4x9xf32, #padded>) -> tensor<4x9xf32> attributes {impl = #impl} {
    %2 = graph.exp %x0 : tensor<4x9xf32>
    kernel.yield %2 : tensor<4x9xf32>
  }
  return %1 : tensor<4x9xf32>
}

// -----

// A function may do nothing.
// CHECK-LABEL: plan.function @nothing inputs [] outputs [] flops = 0
// CHECK-NEXT: plan.variant
func.func @nothing() {
  return
}
