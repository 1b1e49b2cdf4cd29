// Reductions of lengths that threads of a GPU share: less than a warp has, around
// a block, many blocks; along rows and along columns, followed by other ops.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1

func.func @places(%x: tensor<3x50257xf16>) -> tensor<3xi64> {
  %0 = graph.arg_reduce max, %x axis = 1 : tensor<3x50257xf16> -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

func.func @least_places(%x: tensor<5x77x3xbf16>) -> tensor<5x1x3xi64> {
  %0 = graph.arg_reduce min, %x axis = 1 {keep_dims} : tensor<5x77x3xbf16> -> tensor<5x1x3xi64>
  return %0 : tensor<5x1x3xi64>
}

func.func @columns(%x: tensor<4097x7xf32>) -> tensor<7xf32> {
  %0 = graph.reduce sum, %x [0] : tensor<4097x7xf32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func @planes(%x: tensor<33x3x129xbf16>) -> tensor<3xf32> {
  %0 = graph.cast %x : tensor<33x3x129xbf16> to tensor<33x3x129xf32>
  %1 = graph.reduce mean, %0 [0, 2] : tensor<33x3x129xf32> -> tensor<3xf32>
  %2 = graph.exp %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

func.func @warps(%x: tensor<7x197xf16>) -> tensor<7x1xf16> {
  %0 = graph.reduce max, %x [1] {keep_dims} : tensor<7x197xf16> -> tensor<7x1xf16>
  return %0 : tensor<7x1xf16>
}

func.func @blocks(%x: tensor<2x4097xf32>) -> tensor<2xf32> {
  %0 = graph.mul %x, %x : tensor<2x4097xf32>
  %1 = graph.reduce sum, %0 [1] : tensor<2x4097xf32> -> tensor<2xf32>
  %2 = graph.sqrt %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}

func.func @running(%x: tensor<3x1500xf32>) -> tensor<3x1500xf32> {
  %0 = graph.cumsum %x axis = 1 {exclusive, reverse} : tensor<3x1500xf32>
  return %0 : tensor<3x1500xf32>
}

func.func @norm(%x: tensor<3x4097xbf16>, %scale: tensor<4097xbf16>) -> tensor<3x4097xbf16> {
  %0 = graph.rms_norm %x scale %scale axis = 1 : (tensor<3x4097xbf16>, tensor<4097xbf16>) -> tensor<3x4097xbf16>
  return %0 : tensor<3x4097xbf16>
}

func.func @softmax(%x: tensor<7x1000xf16>) -> tensor<7x1000xf16> {
  %0 = graph.softmax %x axis = 1 : tensor<7x1000xf16>
  return %0 : tensor<7x1000xf16>
}
