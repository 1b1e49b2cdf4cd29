// Reductions of every kind, over any axes, in every dtype.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1 --gemm-backends=generated

func.func @row_sums(%x: tensor<33x7xf32>) -> tensor<33xf32> {
  %0 = graph.reduce sum, %x [1] : tensor<33x7xf32> -> tensor<33xf32>
  return %0 : tensor<33xf32>
}

func.func @column_means(%x: tensor<33x7xf32>) -> tensor<1x7xf32> {
  %0 = graph.reduce mean, %x [0] {keep_dims} : tensor<33x7xf32> -> tensor<1x7xf32>
  return %0 : tensor<1x7xf32>
}

func.func @outer_axes(%x: tensor<3x5x7x2xbf16>) -> tensor<5x2xbf16> {
  %0 = graph.reduce max, %x [0, 2] : tensor<3x5x7x2xbf16> -> tensor<5x2xbf16>
  return %0 : tensor<5x2xbf16>
}

func.func @everything(%x: tensor<3x5x7xf16>) -> tensor<f16> {
  %0 = graph.reduce min, %x [0, 1, 2] : tensor<3x5x7xf16> -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @product(%x: tensor<33x4xbf16>) -> tensor<33x1xbf16> {
  %0 = graph.reduce prod, %x [1] {keep_dims} : tensor<33x4xbf16> -> tensor<33x1xbf16>
  return %0 : tensor<33x1xbf16>
}

func.func @one_element(%x: tensor<1xf32>) -> tensor<f32> {
  %0 = graph.reduce mean, %x [0] : tensor<1xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @long_rows(%x: tensor<2x50257xf16>) -> tensor<2xf16> {
  %0 = graph.reduce mean, %x [1] : tensor<2x50257xf16> -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

func.func @many_rows(%x: tensor<1000x33xf32>) -> tensor<1000xf32> {
  %0 = graph.reduce max, %x [1] : tensor<1000x33xf32> -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// What is reduced is computed on the way, and what follows as well.
func.func @rms_norm(%x: tensor<7x33xbf16>, %scale: tensor<33xbf16>) -> tensor<7x33xbf16> {
  %wide = graph.cast %x : tensor<7x33xbf16> to tensor<7x33xf32>
  %epsilon = graph.constant dense<0.00001> : tensor<f32>
  %square = graph.mul %wide, %wide : tensor<7x33xf32>
  %mean = graph.reduce mean, %square [1] {keep_dims} : tensor<7x33xf32> -> tensor<7x1xf32>
  %sum = graph.add %mean, %epsilon : (tensor<7x1xf32>, tensor<f32>) -> tensor<7x1xf32>
  %factor = graph.rsqrt %sum : tensor<7x1xf32>
  %normal = graph.mul %wide, %factor : (tensor<7x33xf32>, tensor<7x1xf32>) -> tensor<7x33xf32>
  %narrow = graph.cast %normal : tensor<7x33xf32> to tensor<7x33xbf16>
  %0 = graph.mul %narrow, %scale : (tensor<7x33xbf16>, tensor<33xbf16>) -> tensor<7x33xbf16>
  return %0 : tensor<7x33xbf16>
}

// The sum that a reduction reads is a result as well.
func.func @kept_sum(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5xf32>) {
  %0 = graph.add %x, %y : tensor<5x7xf32>
  %1 = graph.reduce max, %0 [1] : tensor<5x7xf32> -> tensor<5xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5xf32>
}
