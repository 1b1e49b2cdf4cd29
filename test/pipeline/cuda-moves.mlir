// On a GPU, moves are vectors of the pointwise family, which needs no scalar loops
// for them: pieces one after another, heads turned by angles, new keys written
// into a cache, and the halves of a gate ahead of a product.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --tune-db=%t.db --compile-to=plan | FileCheck %s
// RUN: minic %s --threads=1 -o %t.minic
// RUN: minic-run %t.minic --function=class_token --check
// RUN: minic-run %t.minic --function=gate --check

// CHECK-LABEL: plan.function @class_token
// CHECK: label = "pointwise concat_add"
// CHECK-NOT: label =
func.func @class_token(%x: tensor<2x1x48xbf16>, %y: tensor<2x6x48xbf16>, %z: tensor<7x48xbf16>) -> tensor<2x7x48xbf16> {
  %0 = graph.concat %x, %y axis = 1 : (tensor<2x1x48xbf16>, tensor<2x6x48xbf16>) -> tensor<2x7x48xbf16>
  %1 = graph.add %0, %z : (tensor<2x7x48xbf16>, tensor<7x48xbf16>) -> tensor<2x7x48xbf16>
  return %1 : tensor<2x7x48xbf16>
}

// CHECK-LABEL: plan.function @heads
// CHECK: label = "pointwise slice_transpose_rotary"
// CHECK-NOT: label =
func.func @heads(%heads: tensor<1x3x6x16xbf16>, %cos: tensor<3x8xbf16>, %sin: tensor<3x8xbf16>) -> tensor<1x4x3x16xbf16> {
  %0 = graph.slice %heads [0, 0, 2, 0] to [1, 3, 6, 16] by [1, 1, 1, 1] : tensor<1x3x6x16xbf16> -> tensor<1x3x4x16xbf16>
  %1 = graph.transpose %0 [0, 2, 1, 3] : tensor<1x3x4x16xbf16> -> tensor<1x4x3x16xbf16>
  %2 = graph.rotary %1, %cos, %sin : (tensor<1x4x3x16xbf16>, tensor<3x8xbf16>, tensor<3x8xbf16>) -> tensor<1x4x3x16xbf16>
  return %2 : tensor<1x4x3x16xbf16>
}

// CHECK-LABEL: plan.function @keys
// CHECK: label = "pointwise gather_gather_rotary_cache_update"
// CHECK-NOT: label =
func.func @keys(%cache: tensor<1x4x32x16xbf16>, %new: tensor<1x4x1x16xbf16>, %cos: tensor<32x8xbf16>, %sin: tensor<32x8xbf16>, %at: tensor<i64>) -> (tensor<1x4x32x16xbf16> {graph.in_place = 0 : i64}) {
  %0 = graph.gather %cos, %at axis = 0 : (tensor<32x8xbf16>, tensor<i64>) -> tensor<8xbf16>
  %1 = graph.gather %sin, %at axis = 0 : (tensor<32x8xbf16>, tensor<i64>) -> tensor<8xbf16>
  %2 = graph.rotary %new, %0, %1 : (tensor<1x4x1x16xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> tensor<1x4x1x16xbf16>
  %3 = graph.cache_update %cache, %2 at %at axis = 2 : (tensor<1x4x32x16xbf16>, tensor<1x4x1x16xbf16>, tensor<i64>) -> tensor<1x4x32x16xbf16>
  return %3 : tensor<1x4x32x16xbf16>
}

// Of a part of each row, and where the old elements are copied, loops compute one
// by one.
// CHECK-LABEL: plan.function @part_of_rows
// CHECK: label = "loops rotary"
// CHECK: label = "loops cache_update"
func.func @part_of_rows(%cache: tensor<9x16xbf16>, %x: tensor<2x16xbf16>, %cos: tensor<6xbf16>, %at: tensor<i64>) -> (tensor<2x16xbf16>, tensor<9x16xbf16>) {
  %0 = graph.rotary %x, %cos, %cos : (tensor<2x16xbf16>, tensor<6xbf16>, tensor<6xbf16>) -> tensor<2x16xbf16>
  %1 = graph.cache_update %cache, %x at %at axis = 0 : (tensor<9x16xbf16>, tensor<2x16xbf16>, tensor<i64>) -> tensor<9x16xbf16>
  return %0, %1 : tensor<2x16xbf16>, tensor<9x16xbf16>
}

// CHECK-LABEL: plan.function @gate
// CHECK: label = "pointwise slice_silu_slice_mul"
// CHECK-NOT: label = "pointwise
func.func @gate(%x: tensor<64x96xbf16>, %w: tensor<24x48xbf16>, %y: tensor<64x24xbf16>) -> tensor<64x24xbf16> {
  %0 = graph.slice %x [0, 0] to [64, 48] by [1, 1] : tensor<64x96xbf16> -> tensor<64x48xbf16>
  %1 = graph.slice %x [0, 48] to [64, 96] by [1, 1] : tensor<64x96xbf16> -> tensor<64x48xbf16>
  %2 = graph.silu %0 : tensor<64x48xbf16>
  %3 = graph.mul %2, %1 : tensor<64x48xbf16>
  %4 = graph.linear %3, %w : (tensor<64x48xbf16>, tensor<24x48xbf16>) -> tensor<64x24xbf16>
  %5 = graph.add %4, %y : tensor<64x24xbf16>
  return %5 : tensor<64x24xbf16>
}
