// Attention alone, one function per problem. An H200 multiplies the first two
// in about 10 and 45 us; the decode steps read caches of 4 and 32 MiB.
//
//   minic attention.mlir --target=cuda --mode=max-autotune -o attention.minic
//   minic-bench attention.minic --function=b8_h16_s512_d64
//   minic-run attention.minic --function=b8_h16_s512_d64 --check
//
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 -o %t.minic 2>&1 | FileCheck %s
// CHECK: @b8_h16_s512_d64 {{.*}} attention
// CHECK: @causal_b1_h32_s2048_d128 {{.*}} attention
// CHECK: @bert_b1_h12_s128_d64 {{.*}} attention
// CHECK: @gpt2_causal_b1_h12_s512_d64 {{.*}} attention
// CHECK: @vit_b1_h12_s197_d64 {{.*}} attention
// CHECK: @decode_h32_g8_s1024_d128 {{.*}} attention {{.*}} cluster=
// CHECK: @decode_b8_h32_g8_s1024_d128 {{.*}} attention

func.func @b8_h16_s512_d64(%q: tensor<8x16x512x64xbf16>, %k: tensor<8x16x512x64xbf16>, %v: tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16> {
  %0 = graph.attention %q, %k, %v : (tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>, tensor<8x16x512x64xbf16>) -> tensor<8x16x512x64xbf16>
  return %0 : tensor<8x16x512x64xbf16>
}

func.func @causal_b1_h32_s2048_d128(%q: tensor<1x32x2048x128xbf16>, %k: tensor<1x32x2048x128xbf16>, %v: tensor<1x32x2048x128xbf16>) -> tensor<1x32x2048x128xbf16> {
  %0 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x32x2048x128xbf16>, tensor<1x32x2048x128xbf16>, tensor<1x32x2048x128xbf16>) -> tensor<1x32x2048x128xbf16>
  return %0 : tensor<1x32x2048x128xbf16>
}

func.func @bert_b1_h12_s128_d64(%q: tensor<1x12x128x64xbf16>, %k: tensor<1x12x128x64xbf16>, %v: tensor<1x12x128x64xbf16>, %m: tensor<1x1x1x128xbf16>) -> tensor<1x12x128x64xbf16> {
  %0 = graph.attention %q, %k, %v mask %m : (tensor<1x12x128x64xbf16>, tensor<1x12x128x64xbf16>, tensor<1x12x128x64xbf16>, tensor<1x1x1x128xbf16>) -> tensor<1x12x128x64xbf16>
  return %0 : tensor<1x12x128x64xbf16>
}

func.func @gpt2_causal_b1_h12_s512_d64(%q: tensor<1x12x512x64xbf16>, %k: tensor<1x12x512x64xbf16>, %v: tensor<1x12x512x64xbf16>) -> tensor<1x12x512x64xbf16> {
  %0 = graph.attention %q, %k, %v {causal = #graph.causal<upper_left>} : (tensor<1x12x512x64xbf16>, tensor<1x12x512x64xbf16>, tensor<1x12x512x64xbf16>) -> tensor<1x12x512x64xbf16>
  return %0 : tensor<1x12x512x64xbf16>
}

func.func @vit_b1_h12_s197_d64(%q: tensor<1x12x197x64xbf16>, %k: tensor<1x12x197x64xbf16>, %v: tensor<1x12x197x64xbf16>) -> tensor<1x12x197x64xbf16> {
  %0 = graph.attention %q, %k, %v : (tensor<1x12x197x64xbf16>, tensor<1x12x197x64xbf16>, tensor<1x12x197x64xbf16>) -> tensor<1x12x197x64xbf16>
  return %0 : tensor<1x12x197x64xbf16>
}

func.func @decode_h32_g8_s1024_d128(%q: tensor<1x32x1x128xbf16>, %k: tensor<1x8x1024x128xbf16>, %v: tensor<1x8x1024x128xbf16>, %n: tensor<i32>) -> tensor<1x32x1x128xbf16> {
  %0 = graph.attention %q, %k, %v key_length %n : (tensor<1x32x1x128xbf16>, tensor<1x8x1024x128xbf16>, tensor<1x8x1024x128xbf16>, tensor<i32>) -> tensor<1x32x1x128xbf16>
  return %0 : tensor<1x32x1x128xbf16>
}

func.func @decode_b8_h32_g8_s1024_d128(%q: tensor<8x32x1x128xbf16>, %k: tensor<8x8x1024x128xbf16>, %v: tensor<8x8x1024x128xbf16>, %n: tensor<8xi32>) -> tensor<8x32x1x128xbf16> {
  %0 = graph.attention %q, %k, %v key_length %n : (tensor<8x32x1x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<8x8x1024x128xbf16>, tensor<8xi32>) -> tensor<8x32x1x128xbf16>
  return %0 : tensor<8x32x1x128xbf16>
}
