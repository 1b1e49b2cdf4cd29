// Ops that read where data say, choose among operands or count: gather,
// concat, iota, cache_update. Random indices are in range, as the ops that read
// by them say.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @embedding(%table: tensor<9x33xf32>, %ids: tensor<2x7xi64>) -> tensor<2x7x33xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %0 = graph.max %ids, %zero : (tensor<2x7xi64>, tensor<i64>) -> tensor<2x7xi64>
  %1 = graph.gather %table, %0 axis = 0 : (tensor<9x33xf32>, tensor<2x7xi64>) -> tensor<2x7x33xf32>
  return %1 : tensor<2x7x33xf32>
}

// What BERT begins with.
func.func @embeddings(%words: tensor<9x17xbf16>, %positions: tensor<7x17xbf16>, %types: tensor<2x17xbf16>, %ids: tensor<3x7xi32>, %kinds: tensor<3x7xi32>) -> tensor<3x7x17xbf16> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %0 = graph.max %ids, %zero : (tensor<3x7xi32>, tensor<i32>) -> tensor<3x7xi32>
  %1 = graph.max %kinds, %zero : (tensor<3x7xi32>, tensor<i32>) -> tensor<3x7xi32>
  %2 = graph.min %1, %one : (tensor<3x7xi32>, tensor<i32>) -> tensor<3x7xi32>
  %3 = graph.gather %words, %0 axis = 0 : (tensor<9x17xbf16>, tensor<3x7xi32>) -> tensor<3x7x17xbf16>
  %4 = graph.gather %types, %2 axis = 0 : (tensor<2x17xbf16>, tensor<3x7xi32>) -> tensor<3x7x17xbf16>
  %5 = graph.add %3, %4 : tensor<3x7x17xbf16>
  %6 = graph.add %5, %positions : (tensor<3x7x17xbf16>, tensor<7x17xbf16>) -> tensor<3x7x17xbf16>
  return %6 : tensor<3x7x17xbf16>
}

func.func @constant_columns(%x: tensor<5x8x3xf16>) -> tensor<5x4x3xf16> {
  %columns = graph.constant dense<[7, 0, 7, 2]> : tensor<4xi32>
  %0 = graph.gather %x, %columns axis = 1 : (tensor<5x8x3xf16>, tensor<4xi32>) -> tensor<5x4x3xf16>
  return %0 : tensor<5x4x3xf16>
}

func.func @one_row(%x: tensor<5x8xf32>) -> tensor<8xf32> {
  %last = graph.constant dense<4> : tensor<i64>
  %0 = graph.gather %x, %last axis = 0 : (tensor<5x8xf32>, tensor<i64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @integers(%x: tensor<33xi64>, %y: tensor<6xi1>) -> (tensor<3x2xi64>, tensor<3x2xi1>) {
  %at = graph.constant dense<[[32, 0], [1, 31], [17, 17]]> : tensor<3x2xi64>
  %first = graph.constant dense<[[5, 0], [1, 3], [2, 2]]> : tensor<3x2xi32>
  %0 = graph.gather %x, %at axis = 0 : (tensor<33xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  %1 = graph.gather %y, %first axis = 0 : (tensor<6xi1>, tensor<3x2xi32>) -> tensor<3x2xi1>
  return %0, %1 : tensor<3x2xi64>, tensor<3x2xi1>
}

func.func @sum_of_rows(%table: tensor<9x17xf32>, %ids: tensor<5x4xi32>) -> tensor<5x17xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %0 = graph.max %ids, %zero : (tensor<5x4xi32>, tensor<i32>) -> tensor<5x4xi32>
  %1 = graph.gather %table, %0 axis = 0 : (tensor<9x17xf32>, tensor<5x4xi32>) -> tensor<5x4x17xf32>
  %2 = graph.reduce sum, %1 [1] : tensor<5x4x17xf32> -> tensor<5x17xf32>
  return %2 : tensor<5x17xf32>
}

func.func @concat(%a: tensor<2x3x5xf32>, %b: tensor<2x1x5xf32>, %d: tensor<2x7x5xf32>) -> tensor<2x11x5xf32> {
  %0 = graph.concat %a, %b, %d axis = 1 : (tensor<2x3x5xf32>, tensor<2x1x5xf32>, tensor<2x7x5xf32>) -> tensor<2x11x5xf32>
  return %0 : tensor<2x11x5xf32>
}

func.func @halves(%x: tensor<3x8xbf16>) -> tensor<3x8xbf16> {
  %0 = graph.slice %x [0, 4] to [3, 8] by [1, 1] : tensor<3x8xbf16> -> tensor<3x4xbf16>
  %1 = graph.slice %x [0, 0] to [3, 4] by [1, 1] : tensor<3x8xbf16> -> tensor<3x4xbf16>
  %2 = graph.neg %0 : tensor<3x4xbf16>
  %3 = graph.concat %2, %1 axis = 1 : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x8xbf16>
  return %3 : tensor<3x8xbf16>
}

func.func @concat_masks(%a: tensor<3xi1>, %b: tensor<2xi1>) -> tensor<5xi1> {
  %0 = graph.concat %a, %b axis = 0 : (tensor<3xi1>, tensor<2xi1>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}

func.func @ramp(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %0 = graph.iota axis = 1 : tensor<3x7xf32>
  %1 = graph.mul %x, %0 : tensor<3x7xf32>
  return %1 : tensor<3x7xf32>
}

func.func @causal(%x: tensor<2x5x7xf16>) -> tensor<2x5x7xf16> {
  %rows = graph.iota axis = 0 : tensor<5x7xi32>
  %columns = graph.iota axis = 1 : tensor<5x7xi32>
  %low = graph.constant dense<-6.0e+4> : tensor<f16>
  %0 = graph.compare le, %columns, %rows : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi1>
  %1 = graph.select %0, %x, %low : (tensor<5x7xi1>, tensor<2x5x7xf16>, tensor<f16>) -> tensor<2x5x7xf16>
  return %1 : tensor<2x5x7xf16>
}

func.func @cache(%cache: tensor<2x9x5xbf16>, %new: tensor<2x1x5xbf16>, %position: tensor<i32>) -> tensor<2x9x5xbf16> {
  %zero = graph.constant dense<0> : tensor<i32>
  %0 = graph.max %position, %zero : tensor<i32>
  %1 = graph.cache_update %cache, %new at %0 axis = 1 : (tensor<2x9x5xbf16>, tensor<2x1x5xbf16>, tensor<i32>) -> tensor<2x9x5xbf16>
  return %1 : tensor<2x9x5xbf16>
}

func.func @last_cache(%cache: tensor<3x33xf32>, %new: tensor<3x33xf32>) -> tensor<3x33xf32> {
  %0 = graph.constant dense<0> : tensor<i64>
  %1 = graph.cache_update %cache, %new at %0 axis = 1 : (tensor<3x33xf32>, tensor<3x33xf32>, tensor<i64>) -> tensor<3x33xf32>
  return %1 : tensor<3x33xf32>
}
