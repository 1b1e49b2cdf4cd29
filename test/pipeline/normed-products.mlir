// The norm of few rows may be in one launch with the product that reads it on a
// GPU, and in one of its own on a CPU or for more rows. On an H100 one launch took
// 2.9 us, and two 3.4.
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=decode --compile-to=plan | FileCheck %s --check-prefix=DECODE
// RUN: minic %s --target=cuda:sm_80 --device-profile=h200 --function=decode --compile-to=plan | FileCheck %s --check-prefix=DECODE
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=decode --fuse-prologues=off --compile-to=plan | FileCheck %s --check-prefix=APART
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=decode --gemm-backends=aten --compile-to=plan | FileCheck %s --check-prefix=ATEN
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=prefill --compile-to=plan | FileCheck %s --check-prefix=APART
// RUN: minic %s --target=cpu --threads=1 --function=decode --compile-to=plan | FileCheck %s --check-prefix=APART
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --function=gated --compile-to=plan | FileCheck %s --check-prefix=GATED

// DECODE-COUNT-1: plan.launch
// DECODE-NOT: plan.launch
// APART-COUNT-2: plan.{{launch|call}}
// APART-NOT: plan.{{launch|call}}
// ATEN: plan.launch
// ATEN: plan.call
// ATEN: plan.launch
func.func @decode(%x: tensor<1x1x768xbf16>) -> tensor<1x1x3072xbf16> {
  %g = graph.constant dense<1.5> : tensor<768xbf16>
  %b = graph.constant dense<0.5> : tensor<768xbf16>
  %w = graph.constant dense<0.25> : tensor<3072x768xbf16>
  %0 = graph.layer_norm %x scale %g bias %b axis = 2 : (tensor<1x1x768xbf16>, tensor<768xbf16>, tensor<768xbf16>) -> tensor<1x1x768xbf16>
  %1 = graph.linear %0, %w : (tensor<1x1x768xbf16>, tensor<3072x768xbf16>) -> tensor<1x1x3072xbf16>
  %2 = graph.gelu %1 : tensor<1x1x3072xbf16>
  return %2 : tensor<1x1x3072xbf16>
}

func.func @prefill(%x: tensor<1x128x768xbf16>) -> tensor<1x128x3072xbf16> {
  %w = graph.constant dense<0.25> : tensor<3072x768xbf16>
  %0 = graph.layer_norm %x axis = 2 : (tensor<1x128x768xbf16>) -> tensor<1x128x768xbf16>
  %1 = graph.linear %0, %w : (tensor<1x128x768xbf16>, tensor<3072x768xbf16>) -> tensor<1x128x3072xbf16>
  %2 = graph.relu %1 : tensor<1x128x3072xbf16>
  return %2 : tensor<1x128x3072xbf16>
}

// What makes the few rows of a product is in its launch, too.
// GATED-COUNT-1: plan.launch
// GATED-NOT: plan.launch
func.func @gated(%x: tensor<1x8192xbf16>, %y: tensor<1x8192xbf16>) -> tensor<1x2048xbf16> {
  %w = graph.constant dense<0.25> : tensor<2048x8192xbf16>
  %0 = graph.silu %x : tensor<1x8192xbf16>
  %1 = graph.mul %0, %y : tensor<1x8192xbf16>
  %2 = graph.linear %1, %w : (tensor<1x8192xbf16>, tensor<2048x8192xbf16>) -> tensor<1x2048xbf16>
  return %2 : tensor<1x2048xbf16>
}
