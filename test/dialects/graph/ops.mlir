// RUN: minic-opt %s | minic-opt | FileCheck %s
// RUN: minic-opt %s --mlir-print-op-generic | minic-opt | FileCheck %s

// Every op and attribute prints and parses.

// CHECK-LABEL: func.func @contractions
func.func @contractions(%x: tensor<2x4x8xbf16>, %w: tensor<16x8xbf16>, %b: tensor<16xbf16>, %k: tensor<8x16xbf16>, %r: tensor<2x16x4xbf16>) {
  // CHECK: graph.linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<2x4x16xbf16>
  %0 = graph.linear %x, %w, %b : (tensor<2x4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<2x4x16xbf16>
  // CHECK: graph.linear %{{.+}}, %{{.+}} : (tensor<2x4x8xbf16>, tensor<16x8xbf16>) -> tensor<2x4x16xbf16>
  %1 = graph.linear %x, %w : (tensor<2x4x8xbf16>, tensor<16x8xbf16>) -> tensor<2x4x16xbf16>
  // The batch of the left operand broadcasts against none.
  // CHECK: graph.matmul %{{.+}}, %{{.+}} : (tensor<2x4x8xbf16>, tensor<8x16xbf16>) -> tensor<2x4x16xbf16>
  %2 = graph.matmul %x, %k : (tensor<2x4x8xbf16>, tensor<8x16xbf16>) -> tensor<2x4x16xbf16>
  // CHECK: graph.matmul %{{.+}}, %{{.+}} {transpose_lhs, transpose_rhs} : (tensor<2x4x8xbf16>, tensor<2x16x4xbf16>) -> tensor<2x8x16xbf16>
  %3 = graph.matmul %x, %r {transpose_lhs, transpose_rhs} : (tensor<2x4x8xbf16>, tensor<2x16x4xbf16>) -> tensor<2x8x16xbf16>
  // CHECK: graph.matmul %{{.+}}, %{{.+}} : (tensor<2x4x8xbf16>, tensor<8x16xbf16>) -> tensor<2x4x16xf32>
  %4 = graph.matmul %x, %k : (tensor<2x4x8xbf16>, tensor<8x16xbf16>) -> tensor<2x4x16xf32>
  return
}

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%x: tensor<2x8x5x7xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<16xf32>, %c: tensor<2x5x7x8xf16>, %d: tensor<16x1x3x2xf16>, %any: tensor<?x8x?x7xf32>) {
  // What is left out is one, zero and nchw, and is not printed.
  // CHECK: graph.conv2d %{{.+}}, %{{.+}} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  %0 = graph.conv2d %x, %w {strides = array<i64: 1, 1>, layout = "nchw"} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x3x5xf32>
  // CHECK: graph.conv2d %{{.+}}, %{{.+}}, %{{.+}} {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<2x16x3x4xf32>
  %1 = graph.conv2d %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x8x5x7xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<2x16x3x4xf32>
  // Depthwise with two outputs per input; top and bottom, left and right differ.
  // CHECK: graph.conv2d %{{.+}}, %{{.+}} {dilations = array<i64: 2, 3>, groups = 8 : i64, layout = "nhwc", pads = array<i64: 0, 1, 2, 3>} : (tensor<2x5x7x8xf16>, tensor<16x1x3x2xf16>) -> tensor<2x3x8x16xf16>
  %2 = graph.conv2d %c, %d {layout = "nhwc", groups = 8 : i64, pads = array<i64: 0, 1, 2, 3>, dilations = array<i64: 2, 3>} : (tensor<2x5x7x8xf16>, tensor<16x1x3x2xf16>) -> tensor<2x3x8x16xf16>
  // CHECK: graph.conv2d {{.*}} (tensor<?x8x?x7xf32>, tensor<16x8x3x3xf32>) -> tensor<?x16x?x5xf32>
  %3 = graph.conv2d %any, %w : (tensor<?x8x?x7xf32>, tensor<16x8x3x3xf32>) -> tensor<?x16x?x5xf32>
  return
}

// CHECK-LABEL: func.func @layout
func.func @layout(%x: tensor<2x3x4xf16>, %any: tensor<?x4xf16>) {
  // CHECK: graph.reshape %{{.+}} : tensor<2x3x4xf16> to tensor<6x4xf16>
  %0 = graph.reshape %x : tensor<2x3x4xf16> to tensor<6x4xf16>
  // CHECK: graph.reshape %{{.+}} : tensor<?x4xf16> to tensor<2x?xf16>
  %1 = graph.reshape %any : tensor<?x4xf16> to tensor<2x?xf16>
  // CHECK: graph.transpose %{{.+}} [2, 0, 1] : tensor<2x3x4xf16> -> tensor<4x2x3xf16>
  %2 = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf16> -> tensor<4x2x3xf16>
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: graph.constant @linear1.weight : tensor<4x2xf32>
  %0 = graph.constant @linear1.weight : tensor<4x2xf32>
  // CHECK: graph.constant @"a name/with marks" : tensor<2xf32>
  %1 = graph.constant @"a name/with marks" : tensor<2xf32>
  // CHECK: graph.constant dense<[1, 2]> : tensor<2xi64>
  %2 = graph.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK: graph.constant @both = dense<1.000000e+00> : tensor<2xf32>
  %3 = graph.constant @both = dense<1.0> : tensor<2xf32>
  // CHECK: graph.constant @w : tensor<2xf32, #kernel.layout<order = [0], blocks = {{\[\]}}, padded = [4]>>
  %4 = graph.constant @w : tensor<2xf32, #kernel.layout<order = [0], blocks = [], padded = [4]>>
  // CHECK: graph.constant {note = "kept"} dense<true> : tensor<2xi1>
  %5 = graph.constant {note = "kept"} dense<true> : tensor<2xi1>
  // CHECK: graph.constant dense<2.000000e+00> : tensor<2xf32> as tensor<2xf32, #kernel.layout<order = [0], blocks = {{\[\]}}, padded = [4]>>
  %6 = graph.constant dense<2.0> : tensor<2xf32> as tensor<2xf32, #kernel.layout<order = [0], blocks = [], padded = [4]>>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<4x1x8xf32>, %b: tensor<3x1xf32>, %s: tensor<f32>, %d: tensor<?x8xf32>) {
  // CHECK: graph.add %{{.+}}, %{{.+}} : (tensor<4x1x8xf32>, tensor<3x1xf32>) -> tensor<4x3x8xf32>
  %0 = graph.add %a, %b : (tensor<4x1x8xf32>, tensor<3x1xf32>) -> tensor<4x3x8xf32>
  // CHECK: graph.sub {{.*}} (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  %1 = graph.sub %a, %s : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  // CHECK: graph.mul {{.*}} (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  %2 = graph.mul %d, %s : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  // CHECK: graph.div
  %3 = graph.div %a, %s : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  // CHECK: graph.max
  %4 = graph.max %a, %s : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  // CHECK: graph.min
  %5 = graph.min %a, %s : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  // CHECK: graph.pow
  %6 = graph.pow %a, %s : (tensor<4x1x8xf32>, tensor<f32>) -> tensor<4x1x8xf32>
  return
}

// One type is printed where operands and result have it; both forms are read.
// CHECK-LABEL: func.func @one_type
func.func @one_type(%a: tensor<4x8xf32>, %i: tensor<3xi32>, %s: tensor<f32>, %d: tensor<?xf16>) {
  // CHECK: graph.add %{{.+}}, %{{.+}} : tensor<4x8xf32>{{$}}
  %0 = graph.add %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.add %{{.+}}, %{{.+}} : tensor<4x8xf32>{{$}}
  %1 = graph.add %a, %0 : tensor<4x8xf32>
  // CHECK: graph.sub %{{.+}}, %{{.+}} : tensor<3xi32>{{$}}
  %2 = graph.sub %i, %i : tensor<3xi32>
  // CHECK: graph.pow %{{.+}}, %{{.+}} : tensor<?xf16>{{$}}
  %3 = graph.pow %d, %d : tensor<?xf16>
  // CHECK: graph.mul %{{.+}}, %{{.+}} {note = "kept"} : tensor<f32>{{$}}
  %4 = graph.mul %s, %s {note = "kept"} : tensor<f32>
  // Two equal types are not enough.
  // CHECK: graph.max %{{.+}}, %{{.+}} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %5 = graph.max %a, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // CHECK: graph.neg %{{.+}} : tensor<4xi32>
  %0 = graph.neg %i : tensor<4xi32>
  // CHECK: graph.abs
  %1 = graph.abs %x : tensor<4xf32>
  // CHECK: graph.exp
  %2 = graph.exp %x : tensor<4xf32>
  // CHECK: graph.log
  %3 = graph.log %x : tensor<4xf32>
  // CHECK: graph.sqrt
  %4 = graph.sqrt %x : tensor<4xf32>
  // CHECK: graph.rsqrt
  %5 = graph.rsqrt %x : tensor<4xf32>
  // CHECK: graph.tanh
  %6 = graph.tanh %x : tensor<4xf32>
  // CHECK: graph.erf
  %7 = graph.erf %x : tensor<4xf32>
  // CHECK: graph.sigmoid
  %8 = graph.sigmoid %x : tensor<4xf32>
  // CHECK: graph.relu
  %9 = graph.relu %x : tensor<4xf32>
  // CHECK: graph.silu
  %10 = graph.silu %x : tensor<4xf32>
  // CHECK: graph.hard_swish
  %11 = graph.hard_swish %x : tensor<4xf32>
  // CHECK: graph.leaky_relu %{{.+}} : tensor<4xf32>
  %12 = graph.leaky_relu %x : tensor<4xf32>
  // CHECK: graph.leaky_relu %{{.+}} {alpha = 2.000000e-01 : f64} : tensor<4xf32>
  %13 = graph.leaky_relu %x {alpha = 0.2 : f64} : tensor<4xf32>
  // CHECK: graph.gelu %{{.+}} : tensor<4xf32>
  %14 = graph.gelu %x : tensor<4xf32>
  // CHECK: graph.gelu %{{.+}} {approximate = #graph.approximation<tanh>} : tensor<4xf32>
  %15 = graph.gelu %x {approximate = #graph.approximation<tanh>} : tensor<4xf32>
  // CHECK: graph.clamp %{{.+}} {lower = 0.000000e+00 : f64, upper = 6.000000e+00 : f64} : tensor<4xf32>
  %16 = graph.clamp %x {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<4xf32>
  // CHECK: graph.elu %{{.+}} : tensor<4xf32>
  %17 = graph.elu %x {alpha = 1.0 : f64} : tensor<4xf32>
  // CHECK: graph.hard_sigmoid %{{.+}} : tensor<4xf32>
  %18 = graph.hard_sigmoid %x : tensor<4xf32>
  // CHECK: graph.hard_sigmoid %{{.+}} {alpha = 2.000000e-01 : f64} : tensor<4xf32>
  %19 = graph.hard_sigmoid %x {alpha = 0.2 : f64} : tensor<4xf32>
  // CHECK: graph.sign %{{.+}} : tensor<4xi32>
  %20 = graph.sign %i : tensor<4xi32>
  // CHECK: graph.is_nan %{{.+}} : tensor<4xf32> -> tensor<4xi1>
  %21 = graph.is_nan %x : tensor<4xf32> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @choices
func.func @choices(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %i: tensor<4xi64>) {
  // CHECK: graph.compare eq,
  %0 = graph.compare eq, %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: graph.compare ne,
  %1 = graph.compare ne, %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: graph.compare lt,
  %2 = graph.compare lt, %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: graph.compare le,
  %3 = graph.compare le, %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: graph.compare gt,
  %4 = graph.compare gt, %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: graph.compare ge, %{{.+}}, %{{.+}} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %5 = graph.compare ge, %i, %i : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  // CHECK: graph.select %{{.+}}, %{{.+}}, %{{.+}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %6 = graph.select %0, %x, %y : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: graph.cast %{{.+}} : tensor<4xi64> to tensor<4xbf16>
  %7 = graph.cast %i : tensor<4xi64> to tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<4x8xbf16>) {
  // CHECK: graph.reduce sum, %{{.+}} [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  %0 = graph.reduce sum, %x [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  // CHECK: graph.reduce mean, %{{.+}} [0] {keep_dims} : tensor<4x8xbf16> -> tensor<1x8xbf16>
  %1 = graph.reduce mean, %x [0] {keep_dims} : tensor<4x8xbf16> -> tensor<1x8xbf16>
  // CHECK: graph.reduce max, %{{.+}} [0, 1] : tensor<4x8xbf16> -> tensor<bf16>
  %2 = graph.reduce max, %x [0, 1] : tensor<4x8xbf16> -> tensor<bf16>
  // CHECK: graph.reduce min, %{{.+}} [0]
  %3 = graph.reduce min, %x [0] : tensor<4x8xbf16> -> tensor<8xbf16>
  // CHECK: graph.reduce prod, %{{.+}} [0]
  %4 = graph.reduce prod, %x [0] : tensor<4x8xbf16> -> tensor<8xbf16>
  // CHECK: graph.softmax %{{.+}} axis = 1 : tensor<4x8xbf16>
  %5 = graph.softmax %x axis = 1 : tensor<4x8xbf16>
  return
}
