// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// As T5, Llama and Qwen3 export it.
// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[W:.+]] = graph.constant
// CHECK-NEXT: %[[Y:.+]] = graph.rms_norm %[[X]] scale %[[W]] axis = 2 {epsilon = 9.9999999747524271E-7 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @rms_norm(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %epsilon = graph.constant dense<1.0e-6> : tensor<f32>
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.pow %x, %two : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %1 = graph.reduce mean, %0 [2] {keep_dims} : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %2 = graph.add %1, %epsilon : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %3 = graph.sqrt %2 : tensor<2x3x1xf32>
  %4 = graph.div %one, %3 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.mul %x, %4 : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %6 = graph.mul %w, %5 : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %6 : tensor<2x3x4xf32>
}

// -----

// A sum that is divided, rsqrt with an epsilon of its own, a product as square.
// CHECK-LABEL: func.func @rms_norm_of_sums
// CHECK-SAME: %[[X:.+]]: tensor
// CHECK-NEXT: %[[Y:.+]] = graph.rms_norm %[[X]] axis = 1 {epsilon = 7.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @rms_norm_of_sums(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %fifth = graph.constant dense<0.2> : tensor<f32>
  %0 = graph.mul %x, %x : tensor<3x5xf32>
  %1 = graph.reduce sum, %0 [1] {keep_dims} : tensor<3x5xf32> -> tensor<3x1xf32>
  %2 = graph.mul %1, %fifth : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %3 = graph.add %quarter, %2 : (tensor<f32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %4 = graph.rsqrt %3 {epsilon = 0.5 : f64} : tensor<3x1xf32>
  %5 = graph.mul %4, %x : (tensor<3x1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %5 : tensor<3x5xf32>
}

// -----

// A model of 16 bits whose norm is f32: the cast in front of the scale rounds,
// and stays.
// CHECK-LABEL: func.func @rms_norm_bf16
// CHECK:      %[[WIDE:.+]] = graph.cast %{{.+}} : tensor<3x4xbf16> to tensor<3x4xf32>
// CHECK-NEXT: %[[NORM:.+]] = graph.rms_norm %[[WIDE]] axis = 1
// CHECK-NEXT: %[[NARROW:.+]] = graph.cast %[[NORM]]
// CHECK-NEXT: %[[Y:.+]] = graph.mul %[[NARROW]]
// CHECK-NEXT: return %[[Y]]
func.func @rms_norm_bf16(%x: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xbf16>
  %0 = graph.cast %x : tensor<3x4xbf16> to tensor<3x4xf32>
  %1 = graph.mul %0, %0 : tensor<3x4xf32>
  %2 = graph.reduce mean, %1 [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %3 = graph.add %2, %epsilon : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %4 = graph.sqrt %3 : tensor<3x1xf32>
  %5 = graph.div %0, %4 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %6 = graph.cast %5 : tensor<3x4xf32> to tensor<3x4xbf16>
  %7 = graph.mul %w, %6 : (tensor<4xbf16>, tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %7 : tensor<3x4xbf16>
}

// -----

// Up to opset 16. The mean is subtracted twice.
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:[^:]+]]: tensor<3x4xf32>, %[[W:[^:]+]]: tensor<4xf32>
// CHECK:      %[[B:.+]] = graph.reshape %{{.+}} : tensor<1x4xf32> to tensor<4xf32>
// CHECK-NEXT: %[[Y:.+]] = graph.layer_norm %[[X]] scale %[[W]] bias %[[B]] axis = 1 {epsilon = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<3x4xf32>, %w: tensor<4xf32>) -> tensor<3x4xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %epsilon = graph.constant dense<0.25> : tensor<f32>
  %b = graph.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %0 = graph.reduce mean, %x [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %1 = graph.sub %x, %0 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %2 = graph.reduce mean, %x [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %3 = graph.sub %x, %2 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %4 = graph.pow %3, %two : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %5 = graph.reduce mean, %4 [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %6 = graph.add %5, %epsilon : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  %7 = graph.sqrt %6 : tensor<3x1xf32>
  %8 = graph.div %1, %7 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %9 = graph.mul %8, %w : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %10 = graph.add %9, %b : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  return %10 : tensor<3x4xf32>
}

// -----

// The norm is a result too: it is computed once, and scaled apart.
// CHECK-LABEL: func.func @norm_used
// CHECK:      %[[Y:.+]] = graph.rms_norm %{{.+}} axis = 1
// CHECK-NEXT: %[[Z:.+]] = graph.mul %[[Y]]
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @norm_used(%x: tensor<3x4xf32>, %w: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = graph.rms_norm %x axis = 1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = graph.mul %0, %w : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// Scales that are no row: one number, one a row, a computed one that varies in
// no other dimension; a scale behind the bias.
// CHECK-LABEL: func.func @other_scales
// CHECK-NOT: scale %
func.func @other_scales(%x: tensor<4x4xf32>, %row: tensor<1x4xf32>, %b: tensor<4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %one = graph.constant dense<3.0> : tensor<f32>
  %rows = graph.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = graph.rms_norm %x axis = 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.mul %0, %one : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %2 = graph.rms_norm %x axis = 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = graph.mul %2, %rows : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %4 = graph.rms_norm %x axis = 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = graph.mul %4, %row : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %6 = graph.layer_norm %x bias %b axis = 1 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %7 = graph.mul %6, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %1, %3, %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Epsilon behind the root, the mean of another dimension, of another value's
// square, of too few elements, and rows that are read as columns.
// CHECK-LABEL: func.func @no_rms_norm
// CHECK-NOT: graph.rms_norm
func.func @no_rms_norm(%x: tensor<5x5xf32>, %y: tensor<5x5xf32>)
    -> (tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>) {
  %epsilon = graph.constant dense<1.0e-5> : tensor<f32>
  %quarter = graph.constant dense<0.25> : tensor<f32>
  %square = graph.mul %x, %x : tensor<5x5xf32>
  %mean = graph.reduce mean, %square [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %0 = graph.sqrt %mean : tensor<5x1xf32>
  %1 = graph.add %0, %epsilon : (tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xf32>
  %2 = graph.div %x, %1 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %3 = graph.reduce mean, %square [0] {keep_dims} : tensor<5x5xf32> -> tensor<1x5xf32>
  %4 = graph.rsqrt %3 : tensor<1x5xf32>
  %5 = graph.mul %x, %4 : (tensor<5x5xf32>, tensor<1x5xf32>) -> tensor<5x5xf32>
  %6 = graph.rsqrt %mean : tensor<5x1xf32>
  %7 = graph.mul %y, %6 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %8 = graph.reduce sum, %square [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %9 = graph.mul %8, %quarter : (tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xf32>
  %10 = graph.rsqrt %9 : tensor<5x1xf32>
  %11 = graph.mul %x, %10 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %12 = graph.reduce mean, %square [1] : tensor<5x5xf32> -> tensor<5xf32>
  %13 = graph.rsqrt %12 : tensor<5xf32>
  %14 = graph.mul %x, %13 : (tensor<5x5xf32>, tensor<5xf32>) -> tensor<5x5xf32>
  return %2, %5, %7, %11, %14 : tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>, tensor<5x5xf32>
}

// -----

// The middle of three dimensions is no row.
// CHECK-LABEL: func.func @middle
// CHECK-NOT: graph.rms_norm
func.func @middle(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.mul %x, %x : tensor<2x3x4xf32>
  %1 = graph.reduce mean, %0 [1] {keep_dims} : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
  %2 = graph.rsqrt %1 : tensor<2x1x4xf32>
  %3 = graph.mul %x, %2 : (tensor<2x3x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// -----

// What is centred has another mean.
// CHECK-LABEL: func.func @no_layer_norm
// CHECK-NOT: graph.layer_norm
func.func @no_layer_norm(%x: tensor<5x5xf32>, %y: tensor<5x5xf32>) -> (tensor<5x5xf32>, tensor<5x5xf32>) {
  %0 = graph.reduce mean, %y [1] {keep_dims} : tensor<5x5xf32> -> tensor<5x1xf32>
  %1 = graph.sub %x, %0 : (tensor<5x5xf32>, tensor<5x1xf32>) -> tensor<5x5xf32>
  %2 = graph.rms_norm %1 axis = 1 : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %3 = graph.reduce mean, %x [0, 1] {keep_dims} : tensor<5x5xf32> -> tensor<1x1xf32>
  %4 = graph.sub %x, %3 : (tensor<5x5xf32>, tensor<1x1xf32>) -> tensor<5x5xf32>
  %5 = graph.rms_norm %4 axis = 1 : (tensor<5x5xf32>) -> tensor<5x5xf32>
  return %2, %5 : tensor<5x5xf32>, tensor<5x5xf32>
}

// -----

// Keras, as TensorFlow computes it: the scale over the root is a factor of both the
// input and the mean.
// CHECK-LABEL: func.func @factored
// CHECK-SAME:  %[[X:[^:]+]]: tensor<2x3x4xf32>, %[[SCALE:[^:]+]]: tensor<4xf32>, %[[BIAS:[^:]+]]: tensor<4xf32>
// CHECK-NEXT:  %[[Y:.+]] = graph.layer_norm %[[X]] scale %[[SCALE]] bias %[[BIAS]] axis = 2 {epsilon = 0.00100000004{{[0-9]+}} : f64}
// CHECK-NEXT:  return %[[Y]]
func.func @factored(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %eps = graph.constant dense<0.001> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %mean = graph.reduce mean, %x [2] {keep_dims} : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %centred = graph.sub %x, %mean : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %square = graph.mul %centred, %centred : tensor<2x3x4xf32>
  %variance = graph.reduce mean, %square [2] {keep_dims} : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %sum = graph.add %variance, %eps : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %root = graph.sqrt %sum : tensor<2x3x1xf32>
  %inverse = graph.div %one, %root : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %factor = graph.mul %inverse, %scale : (tensor<2x3x1xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %scaled = graph.mul %x, %factor : tensor<2x3x4xf32>
  %shift = graph.mul %mean, %factor : (tensor<2x3x1xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %offset = graph.sub %bias, %shift : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %y = graph.add %scaled, %offset : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Not where the mean is of something else, or the factors differ.
// CHECK-LABEL: func.func @other_factors
// CHECK-NOT:   layer_norm
func.func @other_factors(%x: tensor<3x4xf32>, %z: tensor<3x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %eps = graph.constant dense<0.001> : tensor<f32>
  %mean = graph.reduce mean, %x [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %other = graph.reduce mean, %z [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %centred = graph.sub %x, %mean : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %square = graph.mul %centred, %centred : tensor<3x4xf32>
  %variance = graph.reduce mean, %square [1] {keep_dims} : tensor<3x4xf32> -> tensor<3x1xf32>
  %root = graph.rsqrt %variance {epsilon = 0.001 : f64} : tensor<3x1xf32>
  %factor = graph.mul %root, %scale : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %scaled = graph.mul %x, %factor : tensor<3x4xf32>
  %shift = graph.mul %other, %factor : (tensor<3x1xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %offset = graph.sub %bias, %shift : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %y = graph.add %scaled, %offset : tensor<3x4xf32>
  %shift2 = graph.mul %mean, %root : tensor<3x1xf32>
  %offset2 = graph.sub %bias, %shift2 : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %y2 = graph.add %scaled, %offset2 : tensor<3x4xf32>
  return %y, %y2 : tensor<3x4xf32>, tensor<3x4xf32>
}
