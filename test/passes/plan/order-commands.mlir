// RUN: minic-opt %s --split-input-file --plan-order-commands | FileCheck %s

// A reader waits for its writer, a writer for earlier readers and writers;
// what follows from that is not listed, and readers do not wait for readers.
// CHECK-LABEL: plan.function @hazards
plan.function @hazards inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    %x = plan.input 0
    %a = plan.buffer 64
    %b = plan.buffer 64
    %y = plan.output 0
    %z = plan.output 1
    // CHECK: plan.launch "write_a" {{.*}}depends = array<i32>
    plan.launch "write_a" grid [1](%x, %a) access [#plan<access read>, #plan<access write>]
    // CHECK: plan.launch "read_a" {{.*}}depends = array<i32: 0>
    plan.launch "read_a" grid [1](%a, %b) access [#plan<access read>, #plan<access write>]
    // CHECK: plan.launch "read_a_too" {{.*}}depends = array<i32: 0>
    plan.launch "read_a_too" grid [1](%a, %y) access [#plan<access read>, #plan<access write>]
    // CHECK: plan.fill {{.*}}depends = array<i32: 1, 2>
    plan.fill %a value = 0 bytes = 64
    // CHECK: plan.launch "read_x" {{.*}}depends = array<i32>
    plan.launch "read_x" grid [1](%x, %z) access [#plan<access read>, #plan<access write>]
    // CHECK: plan.copy {{.*}}depends = array<i32: 2, 4>
    plan.copy %y, %z bytes = 64
  }
}

// -----

// An output that updates an input in place is written after all have read it.
// CHECK-LABEL: plan.function @in_place
plan.function @in_place
    inputs [#plan.tensor_spec<name = "x", type = tensor<4xf32>, alignment = 64>]
    outputs [#plan.tensor_spec<name = "y", type = tensor<4xf32>, alignment = 64>,
             #plan.tensor_spec<name = "z", type = tensor<4xf32>, alignment = 64, in_place = 0 : i64>]
    flops = 0 {
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    %x = plan.input 0
    %y = plan.output 0
    %z = plan.output 1
    // CHECK: plan.copy {{.*}}depends = array<i32>
    plan.copy %y, %x bytes = 16
    // CHECK: plan.fill {{.*}}depends = array<i32: 0>
    plan.fill %z value = 0 bytes = 16
  }
}

// -----

// Views of one buffer, and buffers that share bytes of the arena, conflict;
// scratch is written.
// CHECK-LABEL: plan.function @overlaps
plan.function @overlaps inputs [] outputs [] flops = 0 {
  plan.variant "cpu" isa [] threads = 1 attributes {arena_bytes = 256 : i64} prepare {} run {
    %a = plan.buffer 128 {offset = 0 : i64}
    %b = plan.buffer 128 {offset = 64 : i64}
    %c = plan.buffer 64 {offset = 192 : i64}
    %v = plan.view %a + 64
    // CHECK: plan.fill {{.*}}value = 0 {{.*}}depends = array<i32>
    plan.fill %a value = 0 bytes = 64
    // CHECK: plan.fill {{.*}}value = 1 {{.*}}depends = array<i32: 0>
    plan.fill %v value = 1 bytes = 64
    // CHECK: plan.fill {{.*}}value = 2 {{.*}}depends = array<i32>
    plan.fill %c value = 2 bytes = 64
    // CHECK: plan.launch "scratch" {{.*}}depends = array<i32: 1>
    plan.launch "scratch" grid [1]() access [] scratch %b {scratch_bytes = 64 : i64}
  }
}
