// RUN: minic --target=cpu --cpu-isa=v3 --threads=1 --gemm-backends=generated --tune-db=%t.db %s -o %t.minic
// RUN: minic-run %t.minic --input=x=%S/x.npy --output=y=%t.npy
// RUN: cmp %t.npy %S/y.npy

// What the kept artifacts hold: constants, a function whose runs keep a value in
// the arena, and one that updates a state in place. All values are small
// multiples of 1/8, so that every order of summation gives the same bits.
func.func @main(%x: tensor<3x8xf32> {graph.name = "x"})
    -> (tensor<3x4xf32> {graph.name = "y"}) {
  %w1 = graph.constant dense<[
    [1.0, -2.0, 0.5, 3.0, -1.0, 0.25, 2.0, -0.5],
    [0.0, 1.5, -3.0, 1.0, 2.0, -0.25, 0.5, 1.0],
    [-1.0, 0.125, 2.0, -2.0, 0.5, 1.0, -1.5, 3.0],
    [2.0, 0.5, 1.0, -0.5, -3.0, 1.0, 0.25, -2.0],
    [0.5, -1.0, 0.0, 2.0, 1.0, -2.0, 3.0, 0.125]]> : tensor<5x8xf32>
  %b1 = graph.constant dense<[0.5, -1.0, 2.0, 0.0, -0.25]> : tensor<5xf32>
  %w2 = graph.constant dense<[
    [1.0, -1.0, 0.5, 2.0, -0.5], [0.5, 2.0, -2.0, 1.0, 0.25],
    [-3.0, 1.0, 1.0, -0.5, 2.0], [0.125, 0.0, 3.0, -1.0, 1.0]]>
    : tensor<4x5xf32>
  %b2 = graph.constant dense<[1.0, -0.5, 0.25, 2.0]> : tensor<4xf32>
  %0 = graph.linear %x, %w1, %b1
    : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %1 = graph.relu %0 : tensor<3x5xf32>
  %2 = graph.linear %1, %w2, %b2
    : (tensor<3x5xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}
func.func @step(%cache: tensor<5x3xf32> {graph.name = "cache"},
                %new: tensor<1x3xf32> {graph.name = "new"},
                %position: tensor<i64> {graph.name = "position"})
    -> (tensor<5x3xf32> {graph.name = "state", graph.in_place = 0 : i64}) {
  %0 = graph.cache_update %cache, %new at %position axis = 0
    : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i64>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
