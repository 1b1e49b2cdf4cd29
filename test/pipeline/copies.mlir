// What a fusion moves: the hint about a transpose that is a copy, and the bytes
// that a gather takes of its table.

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: minic %s --target=cpu --threads=1 --tune-db=none.db --log=perf-hints -o copies.minic 2>&1 | FileCheck %s --check-prefix=HINT
// RUN: minic explain copies.minic --json | FileCheck %s --check-prefix=BYTES

// HINT: @alone transpose(64x128) f32: a transpose that nothing absorbs is a copy of 65536 bytes
// HINT-NOT: a transpose that

// A launch of its own.
func.func @alone(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// Read as it lies by the addition.
func.func @add(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = graph.transpose %x [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  %1 = graph.add %0, %y : tensor<128x64xf32>
  return %1 : tensor<128x64xf32>
}

// 8 of 1000 rows of 64 floats, read and written, and 8 indices of 64 bits.
// BYTES: "name": "rows"
// BYTES: "bytes": 4160
func.func @rows(%table: tensor<1000x64xf32>, %at: tensor<8xi64>) -> tensor<8x64xf32> {
  %0 = graph.gather %table, %at axis = 0 : (tensor<1000x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
