// Kernels that take indices get the variant's status word behind operands and
// results, one for all of them; others get none.
//
// RUN: minic %s --threads=1 --compile-to=plan | FileCheck %s

// CHECK: plan.function @main
// CHECK: %[[STATUS:.+]] = plan.buffer 4 {{.*}}status
// CHECK: plan.launch {{.*}}(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[STATUS]]) {{.*}} label = "pointwise gather"
// CHECK-NOT: status
// CHECK: plan.launch {{.*}}, %[[STATUS]]) {{.*}} label = "loops cache_update"
// CHECK: plan.function @other
// CHECK-NOT: status
func.func @main(%x: tensor<4x8xf32>, %ids: tensor<4xi32>, %at: tensor<i64>) -> tensor<4x8xf32> {
  %0 = graph.gather %x, %ids axis = 0 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %1 = graph.slice %0 [0, 0] to [4, 2] by [1, 1] : tensor<4x8xf32> -> tensor<4x2xf32>
  %2 = graph.cache_update %0, %1 at %at axis = 1 : (tensor<4x8xf32>, tensor<4x2xf32>, tensor<i64>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

func.func @other(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %0 = graph.concat %x, %x axis = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
