// Ops that read several elements of an operand for one of the result: rotary
// embedding and top_k.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @rotary(%x: tensor<2x3x7x8xf32>, %cos: tensor<7x4xf32>, %sin: tensor<7x4xf32>) -> tensor<2x3x7x8xf32> {
  %0 = graph.rotary %x, %cos, %sin : (tensor<2x3x7x8xf32>, tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<2x3x7x8xf32>
  return %0 : tensor<2x3x7x8xf32>
}

func.func @interleaved(%x: tensor<2x7x8xbf16>, %cos: tensor<2x1x4xbf16>, %sin: tensor<2x1x4xbf16>) -> tensor<2x7x8xbf16> {
  %0 = graph.rotary %x, %cos, %sin {interleaved} : (tensor<2x7x8xbf16>, tensor<2x1x4xbf16>, tensor<2x1x4xbf16>) -> tensor<2x7x8xbf16>
  return %0 : tensor<2x7x8xbf16>
}

func.func @partial(%x: tensor<3x33xf16>, %cos: tensor<3x5xf16>, %sin: tensor<3x5xf16>) -> tensor<3x33xf16> {
  %0 = graph.rotary %x, %cos, %sin : (tensor<3x33xf16>, tensor<3x5xf16>, tensor<3x5xf16>) -> tensor<3x33xf16>
  return %0 : tensor<3x33xf16>
}

func.func @partial_interleaved(%x: tensor<3x7xf32>, %cos: tensor<3xf32>, %sin: tensor<3xf32>) -> tensor<3x7xf32> {
  %0 = graph.rotary %x, %cos, %sin {interleaved} : (tensor<3x7xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// Heads of a linear, as Llama has them.
func.func @query(%x: tensor<5x16xf32>, %w: tensor<24x16xf32>, %cos: tensor<5x4xf32>, %sin: tensor<5x4xf32>) -> tensor<3x5x8xf32> {
  %0 = graph.linear %x, %w : (tensor<5x16xf32>, tensor<24x16xf32>) -> tensor<5x24xf32>
  %1 = graph.reshape %0 : tensor<5x24xf32> to tensor<5x3x8xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<5x3x8xf32> -> tensor<3x5x8xf32>
  %3 = graph.rotary %2, %cos, %sin : (tensor<3x5x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<3x5x8xf32>
  return %3 : tensor<3x5x8xf32>
}

func.func @greatest(%x: tensor<3x17xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>) {
  %0, %1 = graph.top_k max, %x axis = 1 k = 4 : tensor<3x17xf32> -> tensor<3x4xf32>, tensor<3x4xi64>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xi64>
}

// Many integers are equal: the lowest index comes first.
func.func @ties(%x: tensor<33x5xi32>) -> (tensor<33x5xi32>, tensor<33x5xi64>) {
  %0, %1 = graph.top_k min, %x axis = 0 k = 33 : tensor<33x5xi32> -> tensor<33x5xi32>, tensor<33x5xi64>
  return %0, %1 : tensor<33x5xi32>, tensor<33x5xi64>
}

func.func @one_of_one(%x: tensor<1xbf16>) -> tensor<1xi64> {
  %0, %1 = graph.top_k max, %x axis = 0 k = 1 : tensor<1xbf16> -> tensor<1xbf16>, tensor<1xi64>
  return %1 : tensor<1xi64>
}

func.func @best_of_computed(%x: tensor<2x3x7xf16>) -> tensor<2x2x7xf16> {
  %0 = graph.neg %x : tensor<2x3x7xf16>
  %1, %2 = graph.top_k max, %0 axis = 1 k = 2 : tensor<2x3x7xf16> -> tensor<2x2x7xf16>, tensor<2x2x7xi64>
  %3 = graph.relu %1 : tensor<2x2x7xf16>
  return %3 : tensor<2x2x7xf16>
}
