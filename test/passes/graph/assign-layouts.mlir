// RUN: minic-opt %s --graph-assign-layouts --graph-fold-constants --canonicalize --split-input-file | FileCheck %s
// RUN: not minic-opt %s --graph-assign-layouts=layout=nhcw --split-input-file 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: graph-assign-layouts expects layout=nchw or layout=nhwc, got nhcw

// A chain of convolutions, a pool, a norm over channels, a residual and a global
// mean: one relayout of the input, none of the result, which is no image.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.+]]: tensor<1x3x8x8xf32>
// CHECK-DAG: %[[SCALE:.+]] = graph.constant dense<{{.+}}> : tensor<1x1x1x4xf32>
// CHECK: %[[IMAGE:.+]] = graph.transpose %[[X]] [0, 2, 3, 1]
// CHECK-NEXT: %[[STEM:.+]] = graph.conv2d %[[IMAGE]], %{{.+}} {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>}
// CHECK-NEXT: %[[SCALED:.+]] = graph.mul %[[STEM]], %[[SCALE]] : (tensor<1x8x8x4xf32>, tensor<1x1x1x4xf32>)
// CHECK-NEXT: %[[POOL:.+]] = graph.pool2d max, %[[SCALED]] window = [2, 2] {layout = "nhwc", strides = array<i64: 2, 2>}
// CHECK-NEXT: %[[CONV:.+]] = graph.conv2d %[[POOL]], %{{.+}} {layout = "nhwc"}
// CHECK-NEXT: %[[SUM:.+]] = graph.add %[[CONV]], %[[POOL]] : tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[MEAN:.+]] = graph.reduce mean, %[[SUM]] [1, 2]
// CHECK-NEXT: return %[[MEAN]]
func.func @chain(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x1x1xf32>) -> tensor<1x4xf32> {
  %scale = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %0 = graph.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.mul %0, %scale : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.pool2d max, %1 window = [2, 2] {strides = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>
  %3 = graph.conv2d %2, %v : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %4 = graph.add %3, %2 : tensor<1x4x4x4xf32>
  %5 = graph.reduce mean, %4 [2, 3] : tensor<1x4x4x4xf32> -> tensor<1x4xf32>
  return %5 : tensor<1x4xf32>
}

// -----

// Squeeze and excitation: the image of one pixel is the same in both orders. The
// relayout of the result stands behind what its kernel computes besides.
// CHECK-LABEL: func.func @squeezed
// CHECK: graph.transpose %{{.+}} [0, 2, 3, 1]
// CHECK-NEXT: %[[X:.+]] = graph.conv2d
// CHECK-NEXT: %[[MEAN:.+]] = graph.reduce mean, %[[X]] [1, 2] {keep_dims} : tensor<1x8x8x4xf32> -> tensor<1x1x1x4xf32>
// CHECK-NEXT: %[[FACTOR:.+]] = graph.conv2d %[[MEAN]], %{{.+}} {layout = "nhwc"}
// CHECK-NEXT: %[[GATE:.+]] = graph.sigmoid %[[FACTOR]] : tensor<1x1x1x4xf32>
// CHECK-NEXT: %[[PRODUCT:.+]] = graph.mul %[[X]], %[[GATE]] : (tensor<1x8x8x4xf32>, tensor<1x1x1x4xf32>)
// CHECK-NEXT: %[[RESULT:.+]] = graph.transpose %[[PRODUCT]] [0, 3, 1, 2]
// CHECK-NEXT: return %[[RESULT]]
func.func @squeezed(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.reduce mean, %0 [2, 3] {keep_dims} : tensor<1x4x8x8xf32> -> tensor<1x4x1x1xf32>
  %2 = graph.conv2d %1, %v : (tensor<1x4x1x1xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %3 = graph.sigmoid %2 : tensor<1x4x1x1xf32>
  %4 = graph.mul %0, %3 : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %4 : tensor<1x4x8x8xf32>
}

// -----

// Attributes that name dimensions follow: of a concat, a pad, a slice, a softmax
// over channels and a resize. An integer image is relaid before it is cast.
// CHECK-LABEL: func.func @dimensions
// CHECK: %[[BYTES:.+]] = graph.transpose %{{.+}} [0, 2, 3, 1] : tensor<1x4x8x8xi8>
// CHECK-NEXT: %[[X:.+]] = graph.cast %[[BYTES]]
// CHECK-NEXT: graph.pad %[[X]] before [0, 1, 2, 0] after [0, 3, 4, 0]
// CHECK-NEXT: graph.conv2d
// CHECK-NEXT: graph.slice %{{.+}} [0, 1, 2, 0] to [1, 9, 10, 4] by [1, 1, 1, 1]
// CHECK-NEXT: graph.concat %{{.+}}, %[[X]] axis = 3
// CHECK-NEXT: graph.softmax %{{.+}} axis = 3
// CHECK-NEXT: graph.resize nearest asymmetric, %{{.+}} to [16, 16] {layout = "nhwc"}
func.func @dimensions(%bytes: tensor<1x4x8x8xi8>, %w: tensor<4x4x1x1xf32>) -> tensor<1x8x16x16xf32> {
  %x = graph.cast %bytes : tensor<1x4x8x8xi8> to tensor<1x4x8x8xf32>
  %0 = graph.pad %x before [0, 0, 1, 2] after [0, 0, 3, 4] : tensor<1x4x8x8xf32> -> tensor<1x4x12x14xf32>
  %1 = graph.conv2d %0, %w : (tensor<1x4x12x14xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x12x14xf32>
  %2 = graph.slice %1 [0, 0, 1, 2] to [1, 4, 9, 10] by [1, 1, 1, 1] : tensor<1x4x12x14xf32> -> tensor<1x4x8x8xf32>
  %3 = graph.concat %2, %x axis = 1 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  %4 = graph.softmax %3 axis = 1 : tensor<1x8x8x8xf32>
  %5 = graph.resize nearest asymmetric, %4 to [16, 16] : tensor<1x8x8x8xf32> -> tensor<1x8x16x16xf32>
  return %5 : tensor<1x8x16x16xf32>
}

// -----

// Transposes that the model has between the orders disappear, also around a sum
// of images that it has in NCHW; so do rows that are made of pixels, and pixels
// of rows.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.+]]: tensor<1x16x8xf32>
// CHECK-NEXT: %[[PIXELS:.+]] = graph.reshape %[[X]] : tensor<1x16x8xf32> to tensor<1x4x4x8xf32>
// CHECK-NEXT: %[[CONV:.+]] = graph.conv2d %[[PIXELS]], %{{.+}} {groups = 8 : i64, layout = "nhwc"}
// CHECK-NEXT: %[[NORM:.+]] = graph.rms_norm %[[CONV]] axis = 3
// CHECK-NEXT: %[[SUM:.+]] = graph.add %[[NORM]], %[[PIXELS]] : tensor<1x4x4x8xf32>
// CHECK-NEXT: %[[SECOND:.+]] = graph.conv2d %[[SUM]], %{{.+}} {groups = 8 : i64, layout = "nhwc"}
// CHECK-NEXT: %[[ROWS:.+]] = graph.reshape %[[SECOND]] : tensor<1x4x4x8xf32> to tensor<1x16x8xf32>
// CHECK-NEXT: return %[[ROWS]]
func.func @rows(%x: tensor<1x16x8xf32>, %w: tensor<8x1x1x1xf32>) -> tensor<1x16x8xf32> {
  %0 = graph.transpose %x [0, 2, 1] : tensor<1x16x8xf32> -> tensor<1x8x16xf32>
  %1 = graph.reshape %0 : tensor<1x8x16xf32> to tensor<1x8x4x4xf32>
  %2 = graph.conv2d %1, %w {groups = 8 : i64} : (tensor<1x8x4x4xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x4x4xf32>
  %3 = graph.transpose %2 [0, 2, 3, 1] : tensor<1x8x4x4xf32> -> tensor<1x4x4x8xf32>
  %4 = graph.rms_norm %3 axis = 3 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %5 = graph.transpose %4 [0, 3, 1, 2] : tensor<1x4x4x8xf32> -> tensor<1x8x4x4xf32>
  %6 = graph.add %5, %1 : tensor<1x8x4x4xf32>
  %7 = graph.conv2d %6, %w {groups = 8 : i64} : (tensor<1x8x4x4xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x4x4xf32>
  %8 = graph.reshape %7 : tensor<1x8x4x4xf32> to tensor<1x8x16xf32>
  %9 = graph.transpose %8 [0, 2, 1] : tensor<1x8x16xf32> -> tensor<1x16x8xf32>
  return %9 : tensor<1x16x8xf32>
}

// -----

// What is bound to an order is a border, as a flattened image. An image that
// several read in the other order is relaid once.
// CHECK-LABEL: func.func @borders
// CHECK: graph.transpose %{{.+}} [0, 2, 3, 1]
// CHECK-NEXT: %[[CONV:.+]] = graph.conv2d
// CHECK-NEXT: %[[BACK:.+]] = graph.transpose %[[CONV]] [0, 3, 1, 2]
// CHECK-NEXT: %[[FLAT:.+]] = graph.reshape %[[BACK]]
// CHECK-NEXT: return %[[BACK]], %[[FLAT]]
func.func @borders(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x256xf32>) {
  %0 = graph.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.reshape %0 : tensor<1x4x8x8xf32> to tensor<1x256xf32>
  return %0, %1 : tensor<1x4x8x8xf32>, tensor<1x256xf32>
}

// -----

// Images that are NHWC already stay, and what no image op is near.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT: graph.conv2d %{{.+}}, %{{.+}} {layout = "nhwc"} : (tensor<1x8x8x4xf32>
// CHECK-NEXT: graph.transpose %{{.+}} [0, 2, 3, 1] : tensor<2x3x4x5xf32>
// CHECK-NEXT: graph.relu %{{.+}} : tensor<2x4x5x3xf32>
// CHECK-NEXT: return
func.func @stays(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x1x1xf32>, %y: tensor<2x3x4x5xf32>) -> (tensor<1x8x8x4xf32>, tensor<2x4x5x3xf32>) {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<1x8x8x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x8x8x4xf32>
  %1 = graph.transpose %y [0, 2, 3, 1] : tensor<2x3x4x5xf32> -> tensor<2x4x5x3xf32>
  %2 = graph.relu %1 : tensor<2x4x5x3xf32>
  return %0, %2 : tensor<1x8x8x4xf32>, tensor<2x4x5x3xf32>
}

// -----

// An operand that is broadcast and whose bytes differ in the two orders binds the
// sum to its order.
// CHECK-LABEL: func.func @plane
// CHECK: graph.conv2d %{{.+}} {layout = "nhwc"}
// CHECK-NEXT: %[[BACK:.+]] = graph.transpose %{{.+}} [0, 3, 1, 2]
// CHECK-NEXT: graph.add %[[BACK]], %{{.+}} : (tensor<1x4x8x8xf32>, tensor<4x8x8xf32>)
func.func @plane(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %plane: tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.add %0, %plane : (tensor<1x4x8x8xf32>, tensor<4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// -----

// A reduction stays one here: as a pool it would cost the same.
// CHECK-LABEL: func.func @reduced
// CHECK: graph.conv2d
// CHECK-NEXT: graph.reduce sum, %{{.+}} [1, 2]
func.func @reduced(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4xf32> {
  %0 = graph.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.reduce sum, %0 [2, 3] : tensor<1x4x8x8xf32> -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// -----

// A group norm stays NCHW between transposes, which its kernel reads as strides.
// CHECK-LABEL: func.func @normed
// CHECK: graph.transpose %{{.+}} [0, 2, 3, 1]
// CHECK-NEXT: %[[CONV:.+]] = graph.conv2d
// CHECK-NEXT: %[[NCHW:.+]] = graph.transpose %[[CONV]] [0, 3, 1, 2]
// CHECK-NEXT: %[[NORM:.+]] = graph.group_norm %[[NCHW]] groups = 2
// CHECK-NEXT: %[[NHWC:.+]] = graph.transpose %[[NORM]] [0, 2, 3, 1]
// CHECK-NEXT: %[[SILU:.+]] = graph.silu %[[NHWC]] : tensor<1x8x8x4xf32>
// CHECK-NEXT: graph.conv2d %[[SILU]], %{{.+}} {layout = "nhwc"}
func.func @normed(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %0 = graph.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.group_norm %0 groups = 2 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.silu %1 : tensor<1x4x8x8xf32>
  %3 = graph.conv2d %2, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %3 : tensor<1x4x8x8xf32>
}

// -----

// Channels that become pixels do so in one move, of whole pixels.
// CHECK-LABEL: func.func @shuffled
// CHECK: %[[CONV:.+]] = graph.conv2d %{{.+}} -> tensor<1x3x5x8xf32>
// CHECK-NEXT: %[[SPLIT:.+]] = graph.reshape %[[CONV]] : tensor<1x3x5x8xf32> to tensor<1x3x5x2x2x2xf32>
// CHECK-NEXT: %[[MOVED:.+]] = graph.transpose %[[SPLIT]] [0, 1, 4, 2, 5, 3]
// CHECK-NEXT: %[[PIXELS:.+]] = graph.reshape %[[MOVED]] : tensor<1x3x2x5x2x2xf32> to tensor<1x6x10x2xf32>
// CHECK-NEXT: graph.conv2d %[[PIXELS]], %{{.+}} {layout = "nhwc"}
func.func @shuffled(%x: tensor<1x4x3x5xf32>, %w: tensor<8x4x1x1xf32>, %v: tensor<4x2x1x1xf32>) -> tensor<1x4x6x10xf32> {
  %0 = graph.conv2d %x, %w : (tensor<1x4x3x5xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x3x5xf32>
  %1 = graph.reshape %0 : tensor<1x8x3x5xf32> to tensor<1x2x2x2x3x5xf32>
  %2 = graph.transpose %1 [0, 1, 4, 2, 5, 3] : tensor<1x2x2x2x3x5xf32> -> tensor<1x2x3x2x5x2xf32>
  %3 = graph.reshape %2 : tensor<1x2x3x2x5x2xf32> to tensor<1x2x6x10xf32>
  %4 = graph.conv2d %3, %v : (tensor<1x2x6x10xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x6x10xf32>
  return %4 : tensor<1x4x6x10xf32>
}
