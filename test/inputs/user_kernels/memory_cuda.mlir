// SPDX-License-Identifier: Apache-2.0
// What results begin with, results that nobody reads, an operand that is used twice,
// and other dtypes: test/kernels/memory.test for a GPU. A kernel of memory.cu that
// finds something else in its result stops the device, so each sample counts.
func.func @updates(%x: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
  %0 = graph.kernel @updates(%x, %x) {language = "cuda", files = ["memory.cu"],
      entry = "add_in_place", dims = [["R", "C"], ["R", "C"], ["R", "C"]],
      scalars = ["R * C"], configs = [{BLOCK = [64, 256]}],
      grid = "ceildiv(R * C, BLOCK)", block = "BLOCK",
      updates = array<i64: 0>, reference = @twice}
    : (tensor<4x1000xf32>, tensor<4x1000xf32>) -> tensor<4x1000xf32>
  return %0 : tensor<4x1000xf32>
}
func.func private @twice(%x: tensor<4x1000xf32>, %y: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
  %0 = graph.add %x, %y : tensor<4x1000xf32>
  return %0 : tensor<4x1000xf32>
}
func.func @zeros(%x: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
  %0 = graph.kernel @zeros(%x) {language = "cuda", files = ["memory.cu"],
      entry = "positive", dims = [["R", "C"], ["R", "C"]],
      scalars = ["R * C"], configs = [{BLOCK = [64, 256]}],
      grid = "ceildiv(R * C, BLOCK)", block = "BLOCK",
      initial = [0.0 : f32], reference = @relu}
    : (tensor<4x1000xf32>) -> tensor<4x1000xf32>
  return %0 : tensor<4x1000xf32>
}
func.func private @relu(%x: tensor<4x1000xf32>) -> tensor<4x1000xf32> {
  %0 = graph.relu %x : tensor<4x1000xf32>
  return %0 : tensor<4x1000xf32>
}
func.func @unread(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0:3 = graph.kernel @unread(%x) {language = "cuda", files = ["memory.cu"],
      entry = "three", configs = [{BLOCK = 64}], grid = "1", block = "BLOCK",
      reference = @three}
    : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %0#1 : tensor<64xf32>
}
func.func private @three(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = graph.add %x, %x : tensor<64xf32>
  %1 = graph.neg %x : tensor<64xf32>
  %2 = graph.abs %x : tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @integers(%x: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi1>) {
  %0:2 = graph.kernel @integers(%x) {language = "cuda", files = ["memory.cu"],
      entry = "integers", configs = [{BLOCK = 64}], grid = "1", block = "BLOCK",
      initial = [-1 : i32, unit], reference = @minus}
    : (tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi1>)
  return %0#0, %0#1 : tensor<64xi32>, tensor<64xi1>
}
func.func private @minus(%x: tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi1>) {
  %one = graph.constant dense<1> : tensor<i32>
  %zero = graph.constant dense<0> : tensor<i32>
  %0 = graph.sub %x, %one : (tensor<64xi32>, tensor<i32>) -> tensor<64xi32>
  %1 = graph.compare gt, %x, %zero : (tensor<64xi32>, tensor<i32>) -> tensor<64xi1>
  return %0, %1 : tensor<64xi32>, tensor<64xi1>
}
