// RUN: minic-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects a block of at most 3 extents of 1 or more, got [32, 0]}}
plan.launch "k" grid [1]() access [] {block = array<i64: 32, 0>}

// -----

// expected-error @below {{expects a cluster of at most 3 extents of 1 or more, got [1, 1, 1, 1]}}
plan.launch "k" grid [1]() access [] {cluster = array<i64: 1, 1, 1, 1>}

// -----

// expected-error @below {{expects shared_bytes of 0 or more, got -1}}
plan.launch "k" grid [1]() access [] {shared_bytes = -1 : i64}

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the view of rhs to be of one of 1 addresses, got 7}}
plan.call #plan.cublas_gemm<
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 7, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    compute = "f32">(%0) access [#plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the address of its aux to be written}}
plan.call #plan.cublaslt_matmul<
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    aux = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    activation = "gelu_tanh", compute = "f32", algorithm = "">(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects strides, pads and dilations for each of the 2 spatial dimensions of input, got 1}}
plan.call #plan.cudnn_convolution<
    input = <operand = 0, dtype = f16, dims = [1, 8, 4, 4], strides = [128, 16, 4, 1]>,
    filter = <operand = 0, dtype = f16, dims = [8, 8, 3, 3], strides = [72, 9, 3, 1]>,
    result = <operand = 1, dtype = f16, dims = [1, 8, 2, 2], strides = [32, 4, 2, 1]>,
    strides = [1, 1], pads_begin = [0, 0], pads_end = [0], dilations = [1, 1], groups = 1,
    compute = "f32", engine = "">(%0, %0) access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects 1 group or more, got 0}}
plan.call #plan.onednn_convolution<
    input = <operand = 0, dtype = f32, dims = [1, 4, 4], strides = [16, 4, 1]>,
    filter = <operand = 0, dtype = f32, dims = [2, 2, 3], strides = [6, 3, 1]>,
    result = <operand = 1, dtype = f32, dims = [1, 2, 2], strides = [4, 2, 1]>,
    strides = [1], pads_begin = [0], pads_end = [0], dilations = [1], groups = 0,
    post_ops = [], pack_filter = false>(%0, %0) access [#plan<access read>, #plan<access write>]
