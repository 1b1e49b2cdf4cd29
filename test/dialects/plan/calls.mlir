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

// CHECK: plan.call #plan.cublas_gemm<lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>
// CHECK-SAME: compute = "f32">
// CHECK-SAME: scratch %{{.+}} {
plan.call #plan.cublas_gemm<
    lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = bf16, dims = [8, 8], strides = [1, 8]>,
    result = <operand = 2, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    compute = "f32">(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>] scratch %s {scratch_bytes = 1024 : i64}

// Bias, addend and aux may be absent.
// CHECK: plan.call #plan.cublaslt_matmul<
// CHECK-SAME: bias = <operand = 1, dtype = bf16, dims = [8], strides = [1]>
// CHECK-SAME: addend =
// CHECK-SAME: aux = <operand = 3
// CHECK-SAME: activation = "gelu_tanh", compute = "f32", algorithm = "00ff">
plan.call #plan.cublaslt_matmul<
    lhs = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = bf16, dims = [8, 8], strides = [1, 8]>,
    bias = <operand = 1, dtype = bf16, dims = [8], strides = [1]>,
    addend = <operand = 0, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    result = <operand = 2, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    aux = <operand = 3, dtype = bf16, dims = [4, 8], strides = [8, 1]>,
    activation = "gelu_tanh", compute = "f32", algorithm = "00ff">(%x, %w, %y, %s)
  access [#plan<access read>, #plan<access read>, #plan<access write>, #plan<access write>]
// CHECK: plan.call #plan.cublaslt_matmul<
// CHECK-NOT: bias
// CHECK-SAME: activation = "none", compute = "tf32", algorithm = "">
plan.call #plan.cublaslt_matmul<
    lhs = <operand = 0, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    rhs = <operand = 1, dtype = f32, dims = [8, 8], strides = [1, 8]>,
    result = <operand = 2, dtype = f32, dims = [4, 8], strides = [8, 1]>,
    activation = "none", compute = "tf32", algorithm = "">(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call #plan.cudnn_convolution<input =
// CHECK-SAME: groups = 1, activation = <kind = "relu", alpha = 0.000000e+00 : f32, beta = 0.000000e+00 : f32>, compute = "f32", engine = "eng38_k2=5">
plan.call #plan.cudnn_convolution<
    input = <operand = 0, dtype = f16, dims = [1, 8, 4, 4], strides = [128, 1, 32, 8]>,
    filter = <operand = 1, dtype = f16, dims = [8, 8, 3, 3], strides = [72, 1, 24, 8]>,
    result = <operand = 2, dtype = f16, dims = [1, 8, 2, 2], strides = [32, 1, 16, 8]>,
    strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], groups = 1,
    activation = <kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>, compute = "f32", engine = "eng38_k2=5">(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call #plan.cudnn_matmul<lhs =
plan.call #plan.cudnn_matmul<
    lhs = <operand = 0, dtype = f16, dims = [1, 4, 8], strides = [32, 8, 1]>,
    rhs = <operand = 1, dtype = f16, dims = [1, 8, 8], strides = [64, 8, 1]>,
    result = <operand = 2, dtype = f16, dims = [1, 4, 8], strides = [32, 8, 1]>,
    compute = "f32", engine = "">(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]

// CHECK: plan.call #plan.onednn_convolution<input =
// CHECK-SAME: groups = 2, post_ops = [#plan.eltwise<
// CHECK-SAME: pack_filter = true>
plan.call #plan.onednn_convolution<
    input = <operand = 0, dtype = f32, dims = [1, 4, 4], strides = [16, 4, 1]>,
    filter = <operand = 1, dtype = f32, dims = [2, 2, 3], strides = [6, 3, 1]>,
    bias = <operand = 1, dtype = f32, dims = [2], strides = [1]>,
    result = <operand = 2, dtype = f32, dims = [1, 2, 2], strides = [4, 2, 1]>,
    strides = [1], pads_begin = [0], pads_end = [0], dilations = [1], groups = 2,
    post_ops = [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>], pack_filter = true>(%x, %w, %y)
  access [#plan<access read>, #plan<access read>, #plan<access write>]
