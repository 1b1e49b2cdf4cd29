// RUN: minic-opt %s --split-input-file --verify-diagnostics --plan-verify

// A plan that keeps all promises.
plan.function @sound inputs [#plan.tensor_spec<name = "x", type = tensor<16xf32>, alignment = 64>] outputs [#plan.tensor_spec<name = "y", type = tensor<16xf32>, alignment = 64>] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64} prepare {} run {
    %x = plan.input 0
    %a = plan.buffer 64 {offset = 0 : i64}
    %w = plan.constant_address @w
    %y = plan.output 0
    plan.launch "k" grid [1](%x, %w, %a) access [#plan<access read>, #plan<access read>, #plan<access write>] {depends = array<i32>}
    plan.copy %y, %a bytes = 64 {depends = array<i32: 0>}
  }
}
plan.constant @w : tensor<4xf32>
plan.kernel @k target "cpu" entries ["k"] {
^bb0(%x: tensor<4xf32>):
  %0 = kernel.fusion (%x0 = %x : tensor<4xf32>) -> tensor<4xf32> attributes {impl = #kernel.impl<family = "f", schedule = {}>} {
    %1 = graph.exp %x0 : tensor<4xf32>
    kernel.yield %1 : tensor<4xf32>
  }
}

// -----

plan.function @no_kernel inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // expected-error @below {{internal: no kernel has the entry 'absent'}}
    plan.launch "absent" grid [1]() access []
  }
}

// -----

// Once kernels are generated, entries are looked up in the binary.
plan.function @generated inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    plan.launch "inside" grid [1]() access []
  }
}
plan.binary @code "elf_shared_object" "x86-64-v4" = dense<0> : tensor<1xi8>

// -----

plan.kernel @one target "cpu" entries ["same"] {
^bb0(%x: tensor<4xf32>):
  %0 = kernel.relayout %x : tensor<4xf32> to tensor<4xf32>
}
// expected-error @below {{internal: entry 'same' belongs to two kernels}}
plan.kernel @two target "cpu" entries ["same"] {
^bb0(%x: tensor<5xf32>):
  %0 = kernel.relayout %x : tensor<5xf32> to tensor<5xf32>
}

// -----

plan.function @no_place inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64} prepare {} run {
    // expected-error @below {{internal: has no place in the arena}}
    %a = plan.buffer 64
    plan.fill %a value = 0 bytes = 64
  }
}

// -----

plan.function @outside inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64} prepare {} run {
    // expected-error @below {{internal: ends at 128 in an arena of 64 bytes}}
    %a = plan.buffer 64 {offset = 64 : i64}
    plan.fill %a value = 0 bytes = 64
  }
}

// -----

// Zeros are there from the start.
plan.function @zeroed inputs [] outputs [] flops = 0 {
  plan.variant "cuda" isa [] threads = 1 attributes {arena_bytes = 512 : i64, zeroed_bytes = 256 : i64} prepare {} run {
    %a = plan.buffer 64 {offset = 0 : i64, zeroed}
    %b = plan.buffer 64 {offset = 256 : i64}
    plan.copy %b, %a bytes = 64
  }
}

// -----

plan.function @never_written inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 128 : i64} prepare {} run {
    %a = plan.buffer 64 {offset = 0 : i64}
    %b = plan.buffer 64 {offset = 64 : i64}
    // expected-error @below {{internal: reads a buffer that nothing has written}}
    plan.copy %a, %b bytes = 64
  }
}

// -----

plan.function @shared inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 128 : i64} prepare {} run {
    // expected-error @below {{internal: shares memory with a buffer that is live at the same time}}
    %a = plan.buffer 64 {offset = 0 : i64}
    // expected-note @below {{the other buffer}}
    %b = plan.buffer 128 {offset = 0 : i64}
    plan.fill %a value = 0 bytes = 64
    plan.copy %b, %a bytes = 64 {depends = array<i32: 0>}
  }
}

// -----

plan.function @writes_input inputs [#plan.tensor_spec<name = "x", type = tensor<16xf32>, alignment = 64>] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {
    %x = plan.input 0
    // expected-error @below {{internal: writes input 0}}
    plan.fill %x value = 0 bytes = 64
  }
}

// -----

plan.function @writes_constant inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {
    %w = plan.constant_address @w
    // expected-error @below {{internal: writes constant @w}}
    plan.fill %w value = 0 bytes = 64
  }
}
plan.constant @w : tensor<16xf32>

// -----

plan.function @no_constant inputs [] outputs [#plan.tensor_spec<name = "y", type = tensor<16xf32>, alignment = 64>] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {
    // expected-error @below {{internal: names no plan.constant}}
    %w = plan.constant_address @absent
    %y = plan.output 0
    plan.copy %y, %w bytes = 64
  }
}

// -----

plan.function @no_such_input inputs [] outputs [#plan.tensor_spec<name = "y", type = tensor<16xf32>, alignment = 64>] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {
    %x = plan.input 0
    %y = plan.output 0
    // expected-error @below {{internal: uses input 0 of 0}}
    plan.copy %y, %x bytes = 64
  }
}

// -----

plan.function @no_such_output inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {
    %y = plan.output 3
    // expected-error @below {{internal: uses output 3 of 0}}
    plan.fill %y value = 0 bytes = 64
  }
}

// -----

plan.function @output_missing inputs [] outputs [#plan.tensor_spec<name = "y", type = tensor<16xf32>, alignment = 64>] flops = 0 {
  // expected-error @below {{internal: output 0 is never written}}
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 0 : i64} prepare {} run {}
}

// -----

plan.function @unordered inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 128 : i64} prepare {} run {
    %a = plan.buffer 64 {offset = 0 : i64}
    %b = plan.buffer 64 {offset = 64 : i64}
    plan.fill %a value = 0 bytes = 64
    // expected-error @below {{internal: command 1 does not wait for command 0, which touches the same memory}}
    plan.copy %b, %a bytes = 64
  }
}

// -----

plan.function @waits_for_later inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 64 : i64} prepare {} run {
    %a = plan.buffer 64 {offset = 0 : i64}
    // expected-error @below {{internal: command 0 depends on command 1, which is not before it}}
    plan.fill %a value = 0 bytes = 64 {depends = array<i32: 1>}
    plan.fill %a value = 0 bytes = 64
  }
}
