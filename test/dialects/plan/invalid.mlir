// RUN: minic-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects a #plan.tensor_spec for input 0, got "x"}}
plan.function @spec inputs ["x"] outputs [] flops = 0 {}

// -----

// expected-error @below {{expects a dense tensor of static shape for output 'y', got 'tensor<?xf32>'}}
plan.function @dynamic inputs [] outputs [#plan.tensor_spec<name = "y", type = tensor<?xf32>, alignment = 64>] flops = 0 {}

// -----

// expected-error @below {{expects output names that differ, got 'y' twice}}
plan.function @names inputs [] outputs [#plan.tensor_spec<name = "y", type = tensor<4xf32>, alignment = 64>, #plan.tensor_spec<name = "y", type = tensor<4xf32>, alignment = 64>] flops = 0 {}

// -----

// expected-error @below {{expects an alignment that is a power of two, got 48}}
plan.function @alignment inputs [#plan.tensor_spec<name = "x", type = tensor<4xf32>, alignment = 48>] outputs [] flops = 0 {}

// -----

// expected-error @below {{expects in_place of output 'y' to be one of 1 inputs, got 1}}
plan.function @in_place inputs [#plan.tensor_spec<name = "x", type = tensor<4xf32>, alignment = 64>] outputs [#plan.tensor_spec<name = "y", type = tensor<4xf32>, alignment = 64, in_place = 1 : i64>] flops = 0 {}

// -----

// expected-error @below {{expects output 'y' in place of input 'x' to be 'tensor<4xf32>', got 'tensor<5xf32>'}}
plan.function @in_place inputs [#plan.tensor_spec<name = "x", type = tensor<4xf32>, alignment = 64>] outputs [#plan.tensor_spec<name = "y", type = tensor<5xf32>, alignment = 64, in_place = 0 : i64>] flops = 0 {}

// -----

// expected-error @below {{expects in_place of outputs only, got it of input 'x'}}
plan.function @in_place inputs [#plan.tensor_spec<name = "x", type = tensor<4xf32>, alignment = 64, in_place = 0 : i64>] outputs [] flops = 0 {}

// -----

plan.function @status inputs [] outputs [] flops = 0 {
  // expected-error @below {{expects a status word at a multiple of 4 within 64 zeroed bytes, got 64}}
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64, zeroed_bytes = 64 : i64, status = 64 : i64} prepare {} run {}
}

// -----

plan.function @sizes inputs [] outputs [] flops = 0 {
  // expected-error @below {{expects a word of a size at a multiple of 4 within 64 zeroed bytes, got 2}}
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64, zeroed_bytes = 64 : i64, sizes = [#plan.size_word<dim = "T", offset = 2>]} prepare {} run {}
}

// -----

// expected-error @below {{expects flops of 0 or more, got -1}}
plan.function @flops inputs [] outputs [] flops = -1 {}

// -----

plan.function @body inputs [] outputs [] flops = 0 {
  // expected-error @below {{'plan.input' op is not allowed in a plan.function}}
  %0 = plan.input 0
}

// -----

plan.function @threads inputs [] outputs [] flops = 0 {
  // expected-error @below {{expects 1 thread or more, got 0}}
  plan.variant "cpu" isa [] threads = 0 prepare {} run {}
}

// -----

plan.function @arena inputs [] outputs [] flops = 0 {
  // expected-error @below {{expects arena_bytes that are a multiple of 64, got 65}}
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 65 : i64} prepare {} run {}
}

// -----

// expected-error @below {{expects a tensor of static shape, got 'f32'}}
plan.constant @scalar : f32

// -----

// expected-error @below {{expects a dense value of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
plan.constant @value : tensor<4xf32> = dense<1.0> : tensor<5xf32>

// -----

// expected-error @below {{expects one kernel.fusion or kernel.relayout in it}}
plan.kernel @empty target "cpu" entries ["k"] {}

// -----

// expected-error @below {{expects a kernel.fusion with impl in it}}
plan.kernel @undecided target "cpu" entries ["k"] {
^bb0(%x: tensor<4xf32>):
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32> {
    kernel.yield %x0 : tensor<4xf32>
  }
}

// -----

// expected-error @below {{expects one entry or more, got none}}
plan.kernel @entries target "cpu" entries [] {
^bb0(%x: tensor<4xf32>):
  %0 = kernel.relayout %x : tensor<4xf32> to tensor<4xf32>
}

// -----

// expected-error @below {{expects the kind elf_shared_object, cubin or ptx, got bitcode}}
plan.binary @kind "bitcode" "x86-64-v4" = dense<0> : tensor<1xi8>

// -----

// expected-error @below {{expects data of i8, got 'i32'}}
plan.binary @data "cubin" "sm_90a" = dense<0> : tensor<1xi32>

// -----

// expected-error @below {{expects 0 bytes or more, got -1}}
%0 = plan.buffer -1

// -----

// expected-error @below {{expects an alignment that is a power of two, got 0}}
%0 = plan.buffer 64 {alignment = 0 : i64}

// -----

// expected-error @below {{expects an offset that is a multiple of 64, got 32}}
%0 = plan.buffer 64 {offset = 32 : i64}

// -----

%0 = plan.buffer 64
// expected-error @below {{expects an offset of 0 or more, got -4}}
%1 = plan.view %0 + -4

// -----

// expected-error @below {{expects an index of 0 or more, got -1}}
%0 = plan.input -1

// -----

// expected-error @below {{expects an index of 0 or more, got -2}}
%0 = plan.output -2

// -----

%0 = plan.buffer 64
// expected-error @below {{expects an access for each of its 1 addresses, got 2}}
plan.launch "k" grid [1](%0) access [#plan<access read>, #plan<access write>]

// -----

// expected-error @below {{expects a grid of 1 to 3 extents of 1 or more, got [0]}}
plan.launch "k" grid [0]() access []

// -----

// expected-error @below {{expects a grid of 1 to 3 extents of 1 or more, got [1, 1, 1, 1]}}
plan.launch "k" grid [1, 1, 1, 1]() access []

// -----

// expected-error @below {{expects scratch_bytes above 0 exactly where it has scratch, got 64 without scratch}}
plan.launch "k" grid [1]() access [] {scratch_bytes = 64 : i64}

// -----

%0 = plan.buffer 64
// expected-error @below {{expects scratch_bytes above 0 exactly where it has scratch, got 0 with scratch}}
plan.launch "k" grid [1]() access [] scratch %0

// -----

%0 = plan.buffer 64
// expected-error @below {{expects scratch_bytes that are a multiple of 64, got 60}}
plan.launch "k" grid [1]() access [] scratch %0 {scratch_bytes = 60 : i64}

// -----

// expected-error @below {{expects depends of 0 or more, got -1}}
plan.launch "k" grid [1]() access [] {depends = array<i32: -1>}

// -----

// expected-error @below {{expected '<'}}
plan.call "matmul"() access []

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the view of rhs to be of one of 1 addresses, got 1}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 1, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>)>(%0) access [#plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of onednn matmul: lhs: rank 2 with 1 strides}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>)>(%0) access [#plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects dimensions of 1 or more for result, got [4, 0]}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 0], strides = [4, 1]>)>(%0) access [#plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects an epilogue of #plan.eltwise and #plan.binary, got "relu"}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>)
    epilogue ["relu"]>(%0) access [#plan<access write>]

// -----

%0 = plan.buffer 64
// expected-error @below {{expects the address of its result to be written}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>)>(%0) access [#plan<access read>]

// -----

%0 = plan.buffer 64
// expected-error @below {{of onednn matmul: packed rhs: expected a constant}}
plan.call <"onednn" "matmul"(
    lhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    rhs = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>,
    result = <operand = 0, dtype = f32, dims = [4, 4], strides = [4, 1]>) attributes {pack_rhs = 1 : i64}>(%0) access [#plan<access write>]

// -----

// expected-error @below {{expects a status word to be zeroed}}
%0 = plan.buffer 64 {status}

// -----

// expected-error @below {{expects a word of a size to be 4 zeroed bytes and no status word}}
%0 = plan.buffer 4 {size_of = "T"}

// -----

// expected-error @below {{expects a word of a size to be 4 zeroed bytes and no status word}}
%0 = plan.buffer 64 {size_of = "T", zeroed}

// -----

%0 = plan.buffer 64
// expected-error @below {{expects 0 bytes or more, got -8}}
plan.copy %0, %0 bytes = -8

// -----

%0 = plan.buffer 64
// expected-error @below {{expects 0 bytes or more, got -8}}
plan.fill %0 value = 0 bytes = -8

// -----

%0 = plan.buffer 64
// expected-error @below {{expects a value of one byte, got 256}}
plan.fill %0 value = 256 bytes = 8

// -----

// expected-error @below {{expects a fill or unit for each of 1 inputs, got 2}}
plan.function @fills inputs [#plan.tensor_spec<name = "x", type = tensor<4xi64>, alignment = 64>] outputs [] flops = 0 bucket #plan.bucket<entry = "main", dims = [#plan.bucket_dim<name = "N", size = 4, places = [0, 0], result_axes = []>], fills = [unit, 0 : i64]> {}

// -----

// expected-error @below {{expects a fill of 'i64', got 1 : i32}}
plan.function @fills inputs [#plan.tensor_spec<name = "x", type = tensor<4xi64>, alignment = 64>] outputs [] flops = 0 bucket #plan.bucket<entry = "main", dims = [#plan.bucket_dim<name = "N", size = 4, places = [0, 0], result_axes = []>], fills = [1 : i32]> {}
