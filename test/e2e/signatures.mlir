// What functions may take and return: inputs and constants returned as they are,
// one value returned twice, reshaped outputs, scalars, nothing taken.
//
// RUN: %check-model %s %t.minic

func.func @identity(%x: tensor<5xf32>) -> tensor<5xf32> {
  return %x : tensor<5xf32>
}

func.func @twice(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5x1xf32>) {
  %0 = graph.relu %x : tensor<5xf32>
  %1 = graph.reshape %0 : tensor<5xf32> to tensor<5x1xf32>
  return %0, %0, %1 : tensor<5xf32>, tensor<5xf32>, tensor<5x1xf32>
}

func.func @constant() -> (tensor<2x3xf32>, tensor<i64>) {
  %0 = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %1 = graph.constant dense<-7> : tensor<i64>
  return %0, %1 : tensor<2x3xf32>, tensor<i64>
}

func.func @folded() -> tensor<3xf32> {
  %0 = graph.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %1 = graph.relu %0 : tensor<3xf32>
  %2 = graph.exp %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

func.func @scalar(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = graph.mul %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @named(%left: tensor<4xf32>, %right: tensor<4xf32>)
    -> (tensor<4xf32> {graph.name = "sum"}, tensor<4xf32> {graph.name = "difference"}) {
  %0 = graph.add %left, %right : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sub %left, %right : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

func.func @unused(%x: tensor<4xf32>, %ignored: tensor<9xi1>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
