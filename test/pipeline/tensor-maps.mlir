// Kernels that copy by TMA, from the plan to the artifact and back; compiled
// without a GPU.
//
// RUN: minic %s --function=main --target=cuda:sm_90a --device-profile=h200 --tune-db=none.db --ptx=off --candidate='generated gemm_sm90 128x96x64 warpgroups=2x1 stages=8 group=8 copies=tma pdl=on' -o %t.minic
// RUN: minic inspect --mlir %t.minic | FileCheck %s

// CHECK: plan.launch "linear_relu_512x768_2304x768_bf16__gemm_sm90_128x96x64_{{[0-9a-z_]+}}" grid [96]
// CHECK-SAME: block = array<i64: 288>
// CHECK-SAME: tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [768, 512], strides = [1536], box = [64, 128], swizzle = 128>, #plan.tensor_map<operand = 1, dtype = bf16, dims = [768, 2304], strides = [1536], box = [64, 96], swizzle = 128>]
// Windows of a convolution: filters of 2 lines and 3 columns, in steps of 2, a
// column and a line of pads on one side.
// RUN: minic %s --function=images --target=cuda:sm_90a --device-profile=h200 --tune-db=none.db --ptx=off --candidate='generated conv_sm90 64x96x64 warpgroups=1x1 stages=8 group=8 copies=tma pdl=on' -o %t.images.minic
// RUN: minic inspect --mlir %t.images.minic | FileCheck %s --check-prefix=IMAGES
// RUN: minic %s --function=images --target=cuda:sm_90a --device-profile=h200 --tune-db=none.db --ptx=off --candidate='generated conv_sm90 64x96x64 warpgroups=1x1 stages=8 group=8 copies=tma pdl=on' --dump-kernels-to %t.kernels -o %t.images.minic
// RUN: cat %t.kernels/*.ptx | FileCheck %s --check-prefix=PTX

// IMAGES: tensor_maps = [#plan.tensor_map<operand = 0, dtype = bf16, dims = [128, 32, 30, 8], strides = [256, 8192, 245760], box = [64, 64], swizzle = 128, im2col = <lower = [-1, 0], upper = [-2, -1], steps = [2, 2]>>, #plan.tensor_map<operand = 1, dtype = bf16, dims = [768, 192], strides = [1536], box = [64, 96], swizzle = 128>]
// PTX: cp.async.bulk.tensor.4d.shared::c{{[a-z]+}}.global.im2col
func.func @images(%x: tensor<8x30x32x128xbf16>) -> tensor<8x15x16x192xbf16> {
  %w = graph.constant dense<0.1> : tensor<192x128x2x3xbf16>
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 0, 1, 0, 0>, strides = array<i64: 2, 2>} : (tensor<8x30x32x128xbf16>, tensor<192x128x2x3xbf16>) -> tensor<8x15x16x192xbf16>
  return %0 : tensor<8x15x16x192xbf16>
}
func.func @main(%x: tensor<512x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<512x2304xbf16> {
  %0 = graph.linear %x, %w : (tensor<512x768xbf16>, tensor<2304x768xbf16>) -> tensor<512x2304xbf16>
  %1 = graph.relu %0 : tensor<512x2304xbf16>
  return %1 : tensor<512x2304xbf16>
}
