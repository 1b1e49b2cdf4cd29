// SPDX-License-Identifier: Apache-2.0
// The same in CUDA C++, for each listed size:
//   minic --mode=max-autotune --target=cuda vector_add_cuda.mlir
module attributes {graph.buckets = {N = array<i64: 1000, 1048576>}} {
  func.func @main(%a: tensor<?xf32> {graph.dims = ["N"]},
                  %b: tensor<?xf32> {graph.dims = ["N"]}) -> tensor<?xf32> {
    %0 = graph.kernel @vector_add(%a, %b) {
        language = "cuda", files = ["vector_add.cu"], entry = "vector_add",
        dims = [["N"], ["N"], ["N"]], key = ["N"],
        configs = [{BLOCK = [64, 128, 256, 512]}], where = ["BLOCK < 2 * N"],
        grid = "ceildiv(N, 4 * BLOCK)", block = "BLOCK", reference = @sum}
      : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @sum(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
    %0 = graph.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
