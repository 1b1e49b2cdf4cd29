// RUN: minic-opt %s --graph-lower-unsigned | FileCheck %s

// CHECK-LABEL: func @image
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xi8> {graph.unsigned}) -> tensor<2x3xbf16>
func.func @image(%x: tensor<2x3xui8>) -> tensor<2x3xbf16> {
  // CHECK: %[[WIDE:.*]] = graph.cast %[[X]] : tensor<2x3xi8> to tensor<2x3xi32>
  // CHECK: %[[MASK:.*]] = graph.constant dense<255> : tensor<i32>
  // CHECK: %[[BITS:.*]] = graph.and %[[WIDE]], %[[MASK]]
  // CHECK: graph.cast %[[BITS]] : tensor<2x3xi32> to tensor<2x3xbf16>
  %0 = graph.cast %x : tensor<2x3xui8> to tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}

// CHECK-LABEL: func @rounded
// CHECK-SAME: -> (tensor<4xi8> {graph.unsigned})
func.func @rounded(%x: tensor<4xf32>) -> tensor<4xui8> {
  // CHECK: %[[WIDE:.*]] = graph.cast %{{.*}} : tensor<4xf32> to tensor<4xi32>
  // CHECK: graph.cast %[[WIDE]] : tensor<4xi32> to tensor<4xi8>
  %0 = graph.cast %x : tensor<4xf32> to tensor<4xui8>
  return %0 : tensor<4xui8>
}

// What moves keeps its ops; numbers above 127 are their bits.
// CHECK-LABEL: func @moved
func.func @moved(%x: tensor<2x3xui8>) -> tensor<5x2xui8> {
  // CHECK: graph.constant dense<[-1, 0, -128]> : tensor<3xi8>
  // CHECK: graph.transpose {{.*}} : tensor<2x3xi8> -> tensor<3x2xi8>
  // CHECK: graph.pad {{.*}}value = -6.000000e+01 : f64} : tensor<3x2xi8> -> tensor<4x2xi8>
  // CHECK: graph.concat {{.*}} -> tensor<5x2xi8>
  %c = graph.constant dense<[255, 0, 128]> : tensor<3xui8>
  %first = graph.slice %c [0] to [2] by [1] : tensor<3xui8> -> tensor<2xui8>
  %row = graph.reshape %first : tensor<2xui8> to tensor<1x2xui8>
  %t = graph.transpose %x [1, 0] : tensor<2x3xui8> -> tensor<3x2xui8>
  %p = graph.pad %t before [1, 0] after [0, 0] {value = 196.0 : f64} : tensor<3x2xui8> -> tensor<4x2xui8>
  %0 = graph.concat %p, %row axis = 0 : (tensor<4x2xui8>, tensor<1x2xui8>) -> tensor<5x2xui8>
  return %0 : tensor<5x2xui8>
}

// Bits stay, and what is not 0 is true.
// CHECK-LABEL: func @same_bits
func.func @same_bits(%x: tensor<4xui8>, %i: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi1>, tensor<4xui8>) {
  // CHECK: graph.cast %{{.*}} : tensor<4xi8> to tensor<4xi1>
  // CHECK: graph.cast %{{.*}} : tensor<4xi32> to tensor<4xi8>
  %0 = graph.cast %x : tensor<4xui8> to tensor<4xi8>
  %1 = graph.cast %x : tensor<4xui8> to tensor<4xi1>
  %2 = graph.cast %i : tensor<4xi32> to tensor<4xui8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi1>, tensor<4xui8>
}
