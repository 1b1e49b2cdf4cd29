// RUN: minic-opt %s | minic-opt | FileCheck %s
// RUN: minic-opt %s --mlir-print-op-generic | minic-opt | FileCheck %s

// Launches and library calls of a GPU, and oneDNN's convolution.

%x = plan.input 0
%y = plan.output 0
%w = plan.constant_address @w
%s = plan.buffer 1024 {alignment = 256 : i64}

// CHECK: plan.launch "kernel" grid [4, 6](%{{.+}}) access [#plan<access write>]
// CHECK-SAME: binary = @device
// CHECK-SAME: block = array<i64: 32, 4>
// CHECK-SAME: cluster = array<i64: 2, 2>
// CHECK-SAME: programmatic
// CHECK-SAME: shared_bytes = 49152 : i64
plan.launch "kernel" grid [4, 6](%y) access [#plan<access write>]
  {binary = @device, block = array<i64: 32, 4>, cluster = array<i64: 2, 2>,
   shared_bytes = 49152 : i64, programmatic}

// CHECK: plan.launch "boxes"
// CHECK-SAME: tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [72, 10], strides = [144], box = [64, 8], swizzle = 128>]
plan.launch "boxes" grid [4](%x, %y)
  access [#plan<access read>, #plan<access write>]
  {tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [72, 10],
                                   strides = [144], box = [64, 8],
                                   swizzle = 128>]}

// CHECK: plan.call <"cublas" "gemm"(lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>
// CHECK-SAME: attributes {compute = "f32"}>(
// CHECK-SAME: scratch %{{.+}} {
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = bf16, dims = [8, 8], strides = [1, 8]>,
    result = <operand = 2, dtype = bf16, dims = [4, 8], strides = [8, 1]>)
    attributes {compute = "f32"}>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>] scratch %s {scratch_bytes = 1024 : i64}

// Bias, addend and aux may be absent.
// CHECK: plan.call <"cublaslt" "matmul"(lhs =
// CHECK-SAME: bias = <operand = 1, dtype = bf16, dims = [8], strides = [1]>
// CHECK-SAME: addend =
// CHECK-SAME: aux = <operand = 3
// CHECK-SAME: attributes {compute = "f32"} epilogue [#plan.eltwise<kind = "gelu_tanh", alpha = 0.000000e+00 : f32, beta = 0.000000e+00 : f32>] algorithm "00ff
plan.call <"cublaslt" "matmul"(
    lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = bf16, dims = [8, 8], strides = [1, 8]>,
    bias = <operand = 1, dtype = bf16, dims = [8], strides = [1]>,
    addend = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    result = <operand = 2, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    aux = <operand = 3, dtype = bf16, dims = [4, 8], strides = [8, 1]>)
    attributes {compute = "f32"}
    epilogue [#plan.eltwise<kind = "gelu_tanh", alpha = 0.0 : f32, beta = 0.0 : f32>]
    algorithm "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff">(%x, %w, %y, %s)
  access [#plan<access read>, #plan<access read>, #plan<access write>, #plan<access write>]
// CHECK: plan.call <"cublaslt" "matmul"(lhs =
// CHECK-NOT: bias
// CHECK-SAME: attributes {compute = "tf32"}>(
plan.call <"cublaslt" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = f32, dims = [8, 8], strides = [1, 8]>,
    result = <operand = 2, dtype = f32, dims = [4, 8], strides = [8, 1]>)
    attributes {compute = "tf32"}>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"cudnn" "convolution"(input =
// CHECK-SAME: attributes {compute = "f32", dilations = array<i64: 1, 1>, groups = 1 : i64, pads_begin = array<i64: 0, 0>
// CHECK-SAME: epilogue [#plan.eltwise<kind = "relu"
// CHECK-SAME: algorithm "eng38_k2=5">
plan.call <"cudnn" "convolution"(
    input = <operand = 0, dtype = f16, dims = [1, 8, 4, 4], strides = [128, 1, 32, 8]>,
    filter = <operand = 1, dtype = f16, dims = [8, 8, 3, 3], strides = [72, 1, 24, 8]>,
    result = <operand = 2, dtype = f16, dims = [1, 8, 2, 2], strides = [32, 1, 16, 8]>)
    attributes {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>,
                dilations = array<i64: 1, 1>, groups = 1 : i64, compute = "f32"}
    epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>]
    algorithm "eng38_k2=5">(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"cudnn" "matmul"(lhs =
plan.call <"cudnn" "matmul"(
    lhs = <operand = 0, dtype = f16, dims = [1, 4, 8], strides = [32, 8, 1]>,
    rhs = <operand = 1, dtype = f16, dims = [1, 8, 8], strides = [64, 8, 1]>,
    result = <operand = 2, dtype = f16, dims = [1, 4, 8], strides = [32, 8, 1]>)
    attributes {compute = "f32"}>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"cudnn" "attention"(query =
// CHECK-SAME: attributes {causal = "upper_left", scale = 2.500000e-01 : f64}>(
plan.call <"cudnn" "attention"(
    query = <operand = 0, dtype = bf16, dims = [1, 1, 1, 8], strides = [8, 8, 8, 1]>,
    key = <operand = 0, dtype = bf16, dims = [1, 1, 2, 8], strides = [16, 16, 8, 1]>,
    value = <operand = 1, dtype = bf16, dims = [1, 1, 2, 8], strides = [16, 16, 8, 1]>,
    result = <operand = 2, dtype = bf16, dims = [1, 1, 1, 8], strides = [8, 8, 8, 1]>)
    attributes {scale = 0.25 : f64, causal = "upper_left"}>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"onednn" "convolution"(input =
// CHECK-SAME: groups = 2 : i64, pack_filter = 1 : i64
// CHECK-SAME: epilogue [#plan.eltwise<
plan.call <"onednn" "convolution"(
    input = <operand = 0, dtype = f32, dims = [1, 4, 4], strides = [16, 4, 1]>,
    filter = <operand = 1, dtype = f32, dims = [2, 2, 3], strides = [6, 3, 1]>,
    bias = <operand = 1, dtype = f32, dims = [2], strides = [1]>,
    result = <operand = 2, dtype = f32, dims = [1, 2, 2], strides = [4, 2, 1]>)
    attributes {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>,
                dilations = array<i64: 1>, groups = 2 : i64, pack_filter = 1 : i64}
    epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>]>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"onednn" "softmax"(input =
// CHECK-SAME: attributes {axis = 1 : i64}>(
plan.call <"onednn" "softmax"(
    input = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 8], strides = [8, 1]>)
    attributes {axis = 1 : i64}>(%x, %y)
  access [#plan<access read>, #plan<access write>]

// CHECK: plan.call <"onednn" "layer_norm"(input =
plan.call <"onednn" "layer_norm"(
    input = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    scale = <operand = 1, dtype = f32, dims = [8], strides = [1]>,
    bias = <operand = 1, dtype = f32, dims = [8], strides = [1]>,
    result = <operand = 2, dtype = f32, dims = [4, 8], strides = [8, 1]>)
    attributes {epsilon = 1.0e-5 : f64}>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call <"onednn" "reduction"(input =
plan.call <"onednn" "reduction"(
    input = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 1], strides = [1, 1]>)
    attributes {kind = "max"}>(%x, %y)
  access [#plan<access read>, #plan<access write>]
