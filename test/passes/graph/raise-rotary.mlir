// RUN: minic-opt %s --split-input-file --graph-raise | FileCheck %s

// x * cos + concat(-second half, first half) * sin, where cos and sin are
// computed from angles that are there twice.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3x5x8xf32>, %[[ANGLES:[^:]+]]: tensor<5x4xf32>
// CHECK-DAG:  %[[C:.+]] = graph.cos %[[ANGLES]] : tensor<5x4xf32>
// CHECK-DAG:  %[[COS:.+]] = graph.reshape %[[C]] : tensor<5x4xf32> to tensor<1x1x5x4xf32>
// CHECK-DAG:  %[[S:.+]] = graph.sin %[[ANGLES]] : tensor<5x4xf32>
// CHECK-DAG:  %[[SIN:.+]] = graph.reshape %[[S]] : tensor<5x4xf32> to tensor<1x1x5x4xf32>
// CHECK:      %[[R:.+]] = graph.rotary %[[X]], %[[COS]], %[[SIN]] :
// CHECK-NEXT: return %[[R]]
func.func @halves(%x: tensor<2x3x5x8xf32>, %angles: tensor<5x4xf32>) -> tensor<2x3x5x8xf32> {
  %twice = graph.concat %angles, %angles axis = 1 : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x8xf32>
  %c = graph.cos %twice : tensor<5x8xf32>
  %cos = graph.reshape %c : tensor<5x8xf32> to tensor<1x1x5x8xf32>
  %s = graph.sin %twice : tensor<5x8xf32>
  %sin = graph.reshape %s : tensor<5x8xf32> to tensor<1x1x5x8xf32>
  %first = graph.slice %x [0, 0, 0, 0] to [2, 3, 5, 4] by [1, 1, 1, 1] : tensor<2x3x5x8xf32> -> tensor<2x3x5x4xf32>
  %second = graph.slice %x [0, 0, 0, 4] to [2, 3, 5, 8] by [1, 1, 1, 1] : tensor<2x3x5x8xf32> -> tensor<2x3x5x4xf32>
  %minus = graph.neg %second : tensor<2x3x5x4xf32>
  %turned = graph.concat %minus, %first axis = 3 : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x8xf32>
  %0 = graph.mul %x, %cos : (tensor<2x3x5x8xf32>, tensor<1x1x5x8xf32>) -> tensor<2x3x5x8xf32>
  %1 = graph.mul %turned, %sin : (tensor<2x3x5x8xf32>, tensor<1x1x5x8xf32>) -> tensor<2x3x5x8xf32>
  %2 = graph.add %0, %1 : tensor<2x3x5x8xf32>
  return %2 : tensor<2x3x5x8xf32>
}

// -----

// Constants are cut in half, and operands may be in any order. The table that
// positions are taken from is cut, not what is taken.
// CHECK-LABEL: func.func @constants
// CHECK-DAG:  %[[COS:.+]] = graph.slice %{{.+}} [0, 0] to [2, 1] by [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-DAG:  %[[TABLE:.+]] = graph.slice %{{.+}} [0, 0] to [3, 1] by [1, 1] : tensor<3x2xf32> -> tensor<3x1xf32>
// CHECK-DAG:  %[[SIN:.+]] = graph.gather %[[TABLE]], %{{.+}} axis = 0 : {{.*}} -> tensor<2x1xf32>
// CHECK:      graph.rotary %{{.+}}, %[[COS]], %[[SIN]]
func.func @constants(%x: tensor<1x2x2xf32>, %positions: tensor<2xi64>) -> tensor<1x2x2xf32> {
  %cos = graph.constant dense<[[0.5, 0.5], [0.25, 0.25]]> : tensor<2x2xf32>
  %table = graph.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]> : tensor<3x2xf32>
  %sin = graph.gather %table, %positions axis = 0 : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %first = graph.slice %x [0, 0, 0] to [1, 2, 1] by [1, 1, 1] : tensor<1x2x2xf32> -> tensor<1x2x1xf32>
  %second = graph.slice %x [0, 0, 1] to [1, 2, 2] by [1, 1, 1] : tensor<1x2x2xf32> -> tensor<1x2x1xf32>
  %minus = graph.neg %second : tensor<1x2x1xf32>
  %turned = graph.concat %minus, %first axis = 2 : (tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x2xf32>
  %0 = graph.mul %sin, %turned : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %1 = graph.mul %cos, %x : (tensor<2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %2 = graph.add %0, %1 : tensor<1x2x2xf32>
  return %2 : tensor<1x2x2xf32>
}

// -----

// Both halves on their own, of the first dimensions alone.
// CHECK-LABEL: func.func @apart
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x5x6xf32>, %[[COS:[^:]+]]: tensor<5x2xf32>, %[[SIN:[^:]+]]: tensor<5x2xf32>
// CHECK-NEXT: %[[R:.+]] = graph.rotary %[[X]], %[[COS]], %[[SIN]] :
// CHECK-NEXT: return %[[R]]
func.func @apart(%x: tensor<2x5x6xf32>, %cos: tensor<5x2xf32>, %sin: tensor<5x2xf32>) -> tensor<2x5x6xf32> {
  %some = graph.slice %x [0, 0, 0] to [2, 5, 4] by [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x4xf32>
  %rest = graph.slice %x [0, 0, 4] to [2, 5, 6] by [1, 1, 1] : tensor<2x5x6xf32> -> tensor<2x5x2xf32>
  %a = graph.slice %some [0, 0, 0] to [2, 5, 2] by [1, 1, 1] : tensor<2x5x4xf32> -> tensor<2x5x2xf32>
  %b = graph.slice %some [0, 0, 2] to [2, 5, 4] by [1, 1, 1] : tensor<2x5x4xf32> -> tensor<2x5x2xf32>
  %0 = graph.mul %a, %cos : (tensor<2x5x2xf32>, tensor<5x2xf32>) -> tensor<2x5x2xf32>
  %1 = graph.mul %b, %sin : (tensor<2x5x2xf32>, tensor<5x2xf32>) -> tensor<2x5x2xf32>
  %2 = graph.sub %0, %1 : tensor<2x5x2xf32>
  %3 = graph.mul %b, %cos : (tensor<2x5x2xf32>, tensor<5x2xf32>) -> tensor<2x5x2xf32>
  %4 = graph.mul %a, %sin : (tensor<2x5x2xf32>, tensor<5x2xf32>) -> tensor<2x5x2xf32>
  %5 = graph.add %3, %4 : tensor<2x5x2xf32>
  %6 = graph.concat %2, %5 axis = 2 : (tensor<2x5x2xf32>, tensor<2x5x2xf32>) -> tensor<2x5x4xf32>
  %7 = graph.concat %6, %rest axis = 2 : (tensor<2x5x4xf32>, tensor<2x5x2xf32>) -> tensor<2x5x6xf32>
  return %7 : tensor<2x5x6xf32>
}

// -----

// cos is not the same for both halves, and the first half is turned instead of
// the second.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.rotary
func.func @others(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %cos = graph.constant dense<[[0.5, 0.5], [0.25, 0.125]]> : tensor<2x2xf32>
  %sin = graph.constant dense<[[1.0, 1.0], [2.0, 2.0]]> : tensor<2x2xf32>
  %first = graph.slice %x [0, 0] to [2, 1] by [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
  %second = graph.slice %x [0, 1] to [2, 2] by [1, 1] : tensor<2x2xf32> -> tensor<2x1xf32>
  %minus = graph.neg %second : tensor<2x1xf32>
  %turned = graph.concat %minus, %first axis = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %0 = graph.mul %x, %cos : tensor<2x2xf32>
  %1 = graph.mul %turned, %sin : tensor<2x2xf32>
  %2 = graph.add %0, %1 : tensor<2x2xf32>
  %minus_first = graph.neg %first : tensor<2x1xf32>
  %wrong = graph.concat %second, %minus_first axis = 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %3 = graph.mul %x, %sin : tensor<2x2xf32>
  %4 = graph.mul %wrong, %sin : tensor<2x2xf32>
  %5 = graph.add %3, %4 : tensor<2x2xf32>
  return %2, %5 : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// GPT-J: pairs are neighbours, and so are their angles, which are computed or
// constant.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: %[[X:[^:]+]]: tensor<1x2x4xf32>, %[[ANGLES:[^:]+]]: tensor<2x2xf32>
// CHECK-DAG:  %[[COS:.+]] = graph.cos %[[ANGLES]] : tensor<2x2xf32>
// CHECK-DAG:  %[[SIN:.+]] = graph.slice %{{.+}} [0, 0] to [2, 4] by [1, 2] : tensor<2x4xf32> -> tensor<2x2xf32>
// CHECK:      %[[R:.+]] = graph.rotary %[[X]], %[[COS]], %[[SIN]] {interleaved}
// CHECK-NEXT: return %[[R]]
func.func @pairs(%x: tensor<1x2x4xf32>, %angles: tensor<2x2xf32>) -> tensor<1x2x4xf32> {
  %c = graph.cos %angles : tensor<2x2xf32>
  %column = graph.reshape %c : tensor<2x2xf32> to tensor<2x2x1xf32>
  %two = graph.broadcast %column : tensor<2x2x1xf32> to tensor<2x2x2xf32>
  %cos = graph.reshape %two : tensor<2x2x2xf32> to tensor<2x4xf32>
  %sin = graph.constant dense<[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]> : tensor<2x4xf32>
  %even = graph.slice %x [0, 0, 0] to [1, 2, 4] by [1, 1, 2] : tensor<1x2x4xf32> -> tensor<1x2x2xf32>
  %odd = graph.slice %x [0, 0, 1] to [1, 2, 4] by [1, 1, 2] : tensor<1x2x4xf32> -> tensor<1x2x2xf32>
  %minus = graph.neg %odd : tensor<1x2x2xf32>
  %first = graph.reshape %minus : tensor<1x2x2xf32> to tensor<1x2x2x1xf32>
  %second = graph.reshape %even : tensor<1x2x2xf32> to tensor<1x2x2x1xf32>
  %stack = graph.concat %first, %second axis = 3 : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> tensor<1x2x2x2xf32>
  %turned = graph.reshape %stack : tensor<1x2x2x2xf32> to tensor<1x2x4xf32>
  %0 = graph.mul %x, %cos : (tensor<1x2x4xf32>, tensor<2x4xf32>) -> tensor<1x2x4xf32>
  %1 = graph.mul %turned, %sin : (tensor<1x2x4xf32>, tensor<2x4xf32>) -> tensor<1x2x4xf32>
  %2 = graph.add %0, %1 : tensor<1x2x4xf32>
  return %2 : tensor<1x2x4xf32>
}

// -----

// Angles of halves with a rotation of pairs, and the even elements turned instead
// of the odd ones.
// CHECK-LABEL: func.func @other_pairs
// CHECK-NOT: graph.rotary
func.func @other_pairs(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %halves = graph.constant dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xf32>
  %pairs = graph.constant dense<[[1.0, 1.0, 2.0, 2.0], [3.0, 3.0, 4.0, 4.0]]> : tensor<2x4xf32>
  %even = graph.slice %x [0, 0] to [2, 4] by [1, 2] : tensor<2x4xf32> -> tensor<2x2xf32>
  %odd = graph.slice %x [0, 1] to [2, 4] by [1, 2] : tensor<2x4xf32> -> tensor<2x2xf32>
  %minus = graph.neg %odd : tensor<2x2xf32>
  %first = graph.reshape %minus : tensor<2x2xf32> to tensor<2x2x1xf32>
  %second = graph.reshape %even : tensor<2x2xf32> to tensor<2x2x1xf32>
  %stack = graph.concat %first, %second axis = 2 : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
  %turned = graph.reshape %stack : tensor<2x2x2xf32> to tensor<2x4xf32>
  %0 = graph.mul %x, %halves : tensor<2x4xf32>
  %1 = graph.mul %turned, %halves : tensor<2x4xf32>
  %2 = graph.add %0, %1 : tensor<2x4xf32>
  %minus_even = graph.neg %even : tensor<2x2xf32>
  %third = graph.reshape %minus_even : tensor<2x2xf32> to tensor<2x2x1xf32>
  %fourth = graph.reshape %odd : tensor<2x2xf32> to tensor<2x2x1xf32>
  %wrong_stack = graph.concat %third, %fourth axis = 2 : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
  %wrong = graph.reshape %wrong_stack : tensor<2x2x2xf32> to tensor<2x4xf32>
  %3 = graph.mul %x, %pairs : tensor<2x4xf32>
  %4 = graph.mul %wrong, %pairs : tensor<2x4xf32>
  %5 = graph.add %3, %4 : tensor<2x4xf32>
  return %2, %5 : tensor<2x4xf32>, tensor<2x4xf32>
}
