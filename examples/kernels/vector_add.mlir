// SPDX-License-Identifier: Apache-2.0
// A kernel in C with four configurations, for each listed size:
//   minic --mode=max-autotune vector_add.mlir
//   minic --mode=max-autotune vector_add.mlir --dim=N=1000,100000
module attributes {graph.buckets = {N = array<i64: 1000>}} {
  func.func @main(%a: tensor<?xf32> {graph.dims = ["N"]},
                  %b: tensor<?xf32> {graph.dims = ["N"]}) -> tensor<?xf32> {
    %0 = graph.kernel @vector_add(%a, %b) {
        language = "c", files = ["vector_add.c"], entry = "vector_add",
        dims = [["N"], ["N"], ["N"]], key = ["N"],
        configs = [{BLOCK = [256, 1024, 4096, 16384]}],
        where = ["BLOCK < 2 * N"], grid = "ceildiv(N, BLOCK)",
        reference = @sum} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
    %0 = graph.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
