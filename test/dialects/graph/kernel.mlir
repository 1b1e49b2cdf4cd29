// RUN: minic-opt %s | minic-opt | FileCheck %s
// RUN: minic-opt %s --emit-bytecode | minic-opt | FileCheck %s

// With the name of its reference, as people write it.
// CHECK-LABEL: func.func @by_name
// CHECK: graph.kernel @scale(%{{.*}}) {configs = {{.*}}reference = @body{{.*}}} : (tensor<?xf32>) -> tensor<?xf32>
func.func @by_name(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.kernel @scale(%x) {
      language = "c", files = ["scale.c"], entry = "scale",
      dims = [["N"], ["N"]], key = ["N"], scalars = ["N"],
      configs = [{TILE = [64, 256]}], derived = {HALF = "TILE / 2"},
      where = ["TILE <= N"], grid = "ceildiv(N, TILE)", reference = @body}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// With its body, as the compiler keeps it.
// CHECK-LABEL: func.func @with_body
// CHECK: graph.kernel @scale
// CHECK-SAME: body {
// CHECK: ^bb0(%[[X:.*]]: tensor<4xf32>):
// CHECK: %[[Y:.*]] = graph.relu %[[X]]
// CHECK: graph.yield %[[Y]] : tensor<4xf32>
func.func @with_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.kernel @scale(%x) {
      language = "llvm", sources = [""], entry = "scale"}
      : (tensor<4xf32>) -> tensor<4xf32> body {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.relu %a : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
