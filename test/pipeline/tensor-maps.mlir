// Kernels that copy by TMA, from the plan to the artifact and back; compiled
// without a GPU.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --tune-db=none.db --ptx=off --candidate='generated gemm_sm90 128x96x64 warpgroups=2x1 stages=8 group=8 copies=tma pdl=on' -o %t.minic
// RUN: minic inspect --mlir %t.minic | FileCheck %s

// CHECK: plan.launch "linear_relu_512x768_2304x768_bf16__gemm_sm90_128x96x64_{{[0-9a-z_]+}}" grid [96]
// CHECK-SAME: block = array<i64: 288>
// CHECK-SAME: tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [768, 512], strides = [1536], box = [64, 128], swizzle = 128>, #plan.tensor_map<operand = 1, dtype = bf16, dims = [768, 2304], strides = [1536], box = [64, 96], swizzle = 128>]
func.func @main(%x: tensor<512x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<512x2304xbf16> {
  %0 = graph.linear %x, %w : (tensor<512x768xbf16>, tensor<2304x768xbf16>) -> tensor<512x2304xbf16>
  %1 = graph.relu %0 : tensor<512x2304xbf16>
  return %1 : tensor<512x2304xbf16>
}
