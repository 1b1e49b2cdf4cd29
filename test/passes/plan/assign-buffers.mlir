// RUN: minic-opt %s --split-input-file --verify-diagnostics --plan-assign-buffers=remarks | FileCheck %s

// In a chain only neighbours are live together: two places are enough for three
// buffers of equal size.
// CHECK-LABEL: plan.function @chain
plan.function @chain inputs [] outputs [] flops = 0 {
  // CHECK: attributes {arena_bytes = 256 : i64, plan.live_bytes = 256 : i64}
  // expected-remark @below {{arena of 256 bytes for 3 buffers of 384 bytes in all, 256 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 128 {offset = 0 : i64}
    // CHECK: plan.buffer 128 {offset = 128 : i64}
    // CHECK: plan.buffer 128 {offset = 0 : i64}
    %x = plan.input 0
    %a = plan.buffer 128
    %b = plan.buffer 128
    %c = plan.buffer 128
    %y = plan.output 0
    plan.launch "f" grid [1](%x, %a) access [#plan<access read>, #plan<access write>]
    plan.launch "f" grid [1](%a, %b) access [#plan<access read>, #plan<access write>]
    plan.launch "f" grid [1](%b, %c) access [#plan<access read>, #plan<access write>]
    plan.launch "f" grid [1](%c, %y) access [#plan<access read>, #plan<access write>]
  }
}

// -----

// What lives longest lies lowest, and what is live later goes into the gap that a
// larger buffer has left. A view keeps its buffer live.
// CHECK-LABEL: plan.function @gap
plan.function @gap inputs [] outputs [] flops = 0 {
  // expected-remark @below {{arena of 768 bytes for 4 buffers of 1160 bytes in all, 768 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 512 {offset = 256 : i64}
    // CHECK: plan.buffer 256 {offset = 0 : i64}
    // CHECK: plan.buffer 200 {offset = 256 : i64}
    // CHECK: plan.buffer 192 {alignment = 8 : i64, offset = 456 : i64}
    %gone = plan.buffer 512
    %kept = plan.buffer 256
    %first = plan.buffer 200
    %second = plan.buffer 192 {alignment = 8 : i64}
    %view = plan.view %kept + 64
    %y = plan.output 0
    plan.fill %gone value = 0 bytes = 512
    plan.copy %kept, %gone bytes = 256
    plan.copy %first, %kept bytes = 200
    plan.copy %second, %kept bytes = 192
    plan.launch "f" grid [1](%view, %first, %second, %y) access [#plan<access read>, #plan<access read>, #plan<access read>, #plan<access write>]
  }
}

// -----

// Scratch is live during its launch only; what nothing uses is gone; every
// place is a multiple of 64.
// CHECK-LABEL: plan.function @scratch
plan.function @scratch inputs [] outputs [] flops = 0 {
  // expected-remark @below {{arena of 192 bytes for 3 buffers of 140 bytes in all, 134 live at once}}
  plan.variant "cpu" isa [] threads = 2 prepare {} run {
    // CHECK: plan.buffer 6 {offset = 0 : i64}
    // CHECK-NOT: plan.buffer 1000
    // CHECK: plan.buffer 128 {offset = 64 : i64}
    // CHECK: plan.buffer 6 {offset = 64 : i64}
    %a = plan.buffer 6
    %unused = plan.buffer 1000
    %s = plan.buffer 128
    %b = plan.buffer 6
    %y = plan.output 0
    plan.launch "f" grid [1](%a) access [#plan<access write>] scratch %s {scratch_bytes = 64 : i64}
    plan.launch "f" grid [1](%a, %b) access [#plan<access read>, #plan<access write>]
    plan.copy %y, %b bytes = 6
  }
}

// -----

// The status word is one of the zeroed buffers; the variant says where.
// CHECK-LABEL: plan.function @status
plan.function @status inputs [] outputs [] flops = 0 {
  // CHECK: attributes {arena_bytes = 256 : i64, plan.live_bytes = 196 : i64, status = 128 : i64, zeroed_bytes = 192 : i64}
  // expected-remark @below {{arena of 256 bytes for 3 buffers of 196 bytes in all, 196 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 4 {offset = 128 : i64, status, zeroed}
    %status = plan.buffer 4 {status, zeroed}
    %counters = plan.buffer 128 {zeroed}
    %a = plan.buffer 64
    plan.launch "f" grid [1](%status, %counters, %a) access [#plan<access write>, #plan<access write>, #plan<access write>]
  }
}

// -----

// So are words with sizes of a run.
// CHECK-LABEL: plan.function @sizes
plan.function @sizes inputs [] outputs [] flops = 0 {
  // CHECK: sizes = [#plan.size_word<dim = "T", offset = 0>, #plan.size_word<dim = "B", offset = 64>], zeroed_bytes = 128 : i64}
  // expected-remark @below {{arena of 192 bytes for 3 buffers of 72 bytes in all, 72 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    %t = plan.buffer 4 {size_of = "T", zeroed}
    %b = plan.buffer 4 {size_of = "B", zeroed}
    %unused = plan.buffer 4 {size_of = "U", zeroed}
    %a = plan.buffer 64
    plan.launch "f" grid [1](%a, %t) access [#plan<access write>, #plan<access read>]
    plan.launch "f" grid [1](%a, %b) access [#plan<access write>, #plan<access read>]
  }
}

// -----

// What asks for more than 64 bytes gets it behind zeroed buffers, too.
// CHECK-LABEL: plan.function @aligned
plan.function @aligned inputs [] outputs [] flops = 0 {
  // CHECK: attributes {arena_bytes = 320 : i64, plan.live_bytes = 68 : i64, zeroed_bytes = 64 : i64}
  // expected-remark @below {{arena of 320 bytes for 2 buffers of 68 bytes in all, 68 live at once}}
  plan.variant "cuda" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 64 {alignment = 256 : i64, offset = 256 : i64}
    %counters = plan.buffer 4 {zeroed}
    %a = plan.buffer 64 {alignment = 256 : i64}
    plan.launch "f" grid [1](%counters, %a) access [#plan<access write>, #plan<access write>]
  }
}

// -----

// Functions of one entry share an arena: what each keeps zero lies beside what
// the others do, and everything else behind all of it.
// CHECK-LABEL: plan.function @small
plan.function @small inputs [#plan.tensor_spec<name = "x", type = tensor<1xf32>, alignment = 64>] outputs [] flops = 0 bucket #plan.bucket<entry = "main", dims = [#plan.bucket_dim<name = "N", size = 1, places = [0, 0]>]> {
  // CHECK: attributes {arena_bytes = 256 : i64, plan.live_bytes = 68 : i64, zeroed_bytes = 192 : i64}
  // expected-remark @below {{arena of 256 bytes for 2 buffers of 68 bytes in all, 68 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 4 {offset = 0 : i64, zeroed}
    // CHECK: plan.buffer 64 {offset = 192 : i64}
    %counters = plan.buffer 4 {zeroed}
    %a = plan.buffer 64
    plan.launch "f" grid [1](%counters, %a) access [#plan<access write>, #plan<access write>]
  }
}
// CHECK-LABEL: plan.function @large
plan.function @large inputs [#plan.tensor_spec<name = "x", type = tensor<2xf32>, alignment = 64>] outputs [] flops = 0 bucket #plan.bucket<entry = "main", dims = [#plan.bucket_dim<name = "N", size = 2, places = [0, 0]>]> {
  // CHECK: attributes {arena_bytes = 320 : i64, plan.live_bytes = 228 : i64, status = 64 : i64, zeroed_bytes = 192 : i64}
  // expected-remark @below {{arena of 320 bytes for 2 buffers of 228 bytes in all, 228 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 100 {offset = 64 : i64, status, zeroed}
    // CHECK: plan.buffer 128 {offset = 192 : i64}
    %status = plan.buffer 100 {status, zeroed}
    %a = plan.buffer 128
    plan.launch "f" grid [1](%status, %a) access [#plan<access write>, #plan<access write>]
  }
}

// -----

// No buffers, no arena.
// CHECK-LABEL: plan.function @empty
plan.function @empty inputs [] outputs [] flops = 0 {
  // CHECK: attributes {arena_bytes = 0 : i64, plan.live_bytes = 0 : i64}
  // expected-remark @below {{arena of 0 bytes for 0 buffers of 0 bytes in all, 0 live at once}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {}
}

// -----

// On a GPU a buffer of 4 KiB begins at a line of L2 behind counters; a smaller one
// follows at 64 bytes, as all do on a CPU.
// CHECK-LABEL: plan.function @lines
plan.function @lines inputs [] outputs [] flops = 0 {
  // expected-remark @below {{arena of}}
  plan.variant "cuda" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 4 {offset = 0 : i64, zeroed}
    // CHECK: plan.buffer 4096 {offset = 128 : i64}
    %counters = plan.buffer 4 {zeroed}
    %large = plan.buffer 4096
    %y = plan.output 0
    plan.launch "f" grid [1](%large, %counters) access [#plan<access write>, #plan<access read>]
    plan.launch "f" grid [1](%large, %y) access [#plan<access read>, #plan<access write>]
  }
  // expected-remark @below {{arena of}}
  plan.variant "cuda" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 4 {offset = 0 : i64, zeroed}
    // CHECK: plan.buffer 4032 {offset = 64 : i64}
    %counters = plan.buffer 4 {zeroed}
    %small = plan.buffer 4032
    %y = plan.output 0
    plan.launch "f" grid [1](%small, %counters) access [#plan<access write>, #plan<access read>]
    plan.launch "f" grid [1](%small, %y) access [#plan<access read>, #plan<access write>]
  }
  // expected-remark @below {{arena of}}
  plan.variant "cpu" isa [] threads = 1 prepare {} run {
    // CHECK: plan.buffer 4 {offset = 0 : i64, zeroed}
    // CHECK: plan.buffer 4096 {offset = 64 : i64}
    %counters = plan.buffer 4 {zeroed}
    %large = plan.buffer 4096
    %y = plan.output 0
    plan.launch "f" grid [1](%large, %counters) access [#plan<access write>, #plan<access read>]
    plan.launch "f" grid [1](%large, %y) access [#plan<access read>, #plan<access write>]
  }
}
