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

%0 = plan.input 0
// expected-error @below {{expects a tensor map of one of its 1 addresses, got #plan.tensor_map<operand = 1,}}
plan.launch "k" grid [1](%0) access [#plan<access read>] {tensor_maps = [#plan.tensor_map<operand = 1, dtype = bf16, dims = [72, 10], strides = [144], box = [64, 8], swizzle = 128>]}

// -----

%0 = plan.input 0
// expected-error @below {{expects a tensor map of 1 or more dims, a stride fewer and as many extents of its box, got}}
plan.launch "k" grid [1](%0) access [#plan<access read>] {tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [72, 10], strides = [144, 1440], box = [64, 8], swizzle = 128>]}

// -----

%0 = plan.input 0
// expected-error @below {{expects a tensor map of images of 4 dims, 3 strides, a box of 2 extents and 2 of what each dimension's pixels are, got}}
plan.launch "k" grid [1](%0) access [#plan<access read>] {tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [64, 7, 6, 2], strides = [128, 896, 5376], box = [64, 8], swizzle = 128, im2col = <lower = [-1], upper = [-1, -1], steps = [1, 1]>>]}

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the view of rhs to be of one of 2 addresses, got 7}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 7, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the address of its result to be written}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access read>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: shapes of lhs, rhs and result do not multiply}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [3, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: expected the attribute 'compute', got none}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    >(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: unknown attribute 'fast'; known: compute}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32", fast = 1 : i64}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: compute: expected text, got an integer}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = 1 : i64}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: compute: expected f32 or tf32, got 'f64'}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f64"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects an i64, an array of them, a float or a string for 'compute', got unit}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: unknown operand 'bias'; known: lhs, rhs, result}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    bias = <operand = 0, dtype = f32, dims = [4], strides = [1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: operand 'lhs' given twice}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: epilogue: expected 0 ops at most, got 1}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"} epilogue [#plan.eltwise<kind = "relu", alpha = 0.0 : f32, beta = 0.0 : f32>]>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas gemm: algorithm: expected none, got 'best'}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"} algorithm "best">(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects a known kind of epilogue op, got #plan.eltwise<kind = "swirl"}}
plan.call <"cublas" "gemm"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"} epilogue [#plan.eltwise<kind = "swirl", alpha = 0.0 : f32, beta = 0.0 : f32>]>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublas svd: unknown library call}}
plan.call <"cublas" "svd"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cublaslt matmul: aux: expected an epilogue of gelu_tanh}}
plan.call <"cublaslt" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    aux = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of cudnn convolution: pads_end: expected one for each of 2 spatial dimensions, got 1}}
plan.call <"cudnn" "convolution"(
    input = <operand = 0, dtype = f16, dims = [1, 8, 4, 4], strides = [128, 16, 4, 1]>,
    filter = <operand = 0, dtype = f16, dims = [8, 8, 3, 3], strides = [72, 9, 3, 1]>,
    result = <operand = 1, dtype = f16, dims = [1, 8, 2, 2], strides = [32, 4, 2, 1]>)
    attributes {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0>,
                dilations = array<i64: 1, 1>, groups = 1 : i64, compute = "f32"}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of onednn convolution: groups: expected 1 to 140737488355328, got 0}}
plan.call <"onednn" "convolution"(
    input = <operand = 0, dtype = f32, dims = [1, 4, 4], strides = [16, 4, 1]>,
    filter = <operand = 0, dtype = f32, dims = [2, 2, 3], strides = [6, 3, 1]>,
    result = <operand = 1, dtype = f32, dims = [1, 2, 2], strides = [4, 2, 1]>)
    attributes {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>,
                dilations = array<i64: 1>, groups = 0 : i64}>(%0, %0)
  access [#plan<access read>, #plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of onednn softmax: axis: expected less than the rank 2, got 2}}
plan.call <"onednn" "softmax"(
    input = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    attributes {axis = 2 : i64}>(%0, %0)
  access [#plan<access read>, #plan<access write>]
