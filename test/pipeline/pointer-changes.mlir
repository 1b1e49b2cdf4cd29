// explain says of a replayed graph which of the caller's pointers are patched in
// its nodes, and which ones libraries hold that nothing can patch.
//
// RUN: minic %s --target=cuda --device-profile=h200 --mode=reduce-overhead --gemm-backends=aten --tune-db=%t.none -o %t.minic
// RUN: minic explain %t.minic | FileCheck %s
// RUN: minic %s --target=cuda --device-profile=h200 --gemm-backends=aten --tune-db=%t.none -o %t.minic
// RUN: minic explain %t.minic | FileCheck %s --check-prefix=STREAM

// Launched: a library's call; a launch alone is replayed when its stream is idle.
// STREAM: function both
// STREAM-NOT: changed pointers
// STREAM: function kernel
// STREAM: changed pointers of x, y: patched

// CHECK: function both
// CHECK: graph: replayed, nothing measured
// CHECK-NEXT: changed pointers of v, y: patched
// CHECK-NEXT: changed pointers of x, w: staged, and updated to when they come again (not measured)
func.func @both(%x: tensor<3x4xbf16> {graph.name = "x"}, %w: tensor<4x20xbf16> {graph.name = "w"}, %v: tensor<20xbf16> {graph.name = "v"}) -> (tensor<3x20xbf16> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<3x4xbf16>, tensor<4x20xbf16>) -> tensor<3x20xbf16>
  %1 = graph.mul %0, %v : (tensor<3x20xbf16>, tensor<20xbf16>) -> tensor<3x20xbf16>
  return %1 : tensor<3x20xbf16>
}

// CHECK: function kernel
// CHECK: changed pointers of x, y: patched
func.func @kernel(%x: tensor<64xf32> {graph.name = "x"}) -> (tensor<64xf32> {graph.name = "y"}) {
  %0 = graph.relu %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
