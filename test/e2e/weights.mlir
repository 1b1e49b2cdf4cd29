// Networks with weights from a file, in every float dtype; the first layer's
// weights are used twice, and by two functions.
//
// RUN: %write-safetensors %t.safetensors \
// RUN:   f32.w1:F32:48,48 f32.b1:F32:48 f32.w2:F32:10,48 \
// RUN:   bf16.w1:BF16:48,48 bf16.b1:BF16:48 bf16.w2:BF16:10,48 \
// RUN:   f16.w1:F16:48,48 f16.b1:F16:48 f16.w2:F16:10,48
// RUN: %check-model %s %t.minic --weights=%t.safetensors
// RUN: %check-model %s %t.minic --weights=%t.safetensors --gemm-backends=generated --threads=1
// RUN: %check-model %s %t.minic --weights=%t.safetensors --function=mlp_f32%if onednn-bf16 %{,mlp_bf16%} --gemm-backends=aten
// RUN: %check-model %s %t.minic --weights=%t.safetensors --function=mlp_f32,shared%if onednn-bf16 %{,mlp_bf16%} --gemm-backends=library-fused

func.func @mlp_f32(%x: tensor<19x48xf32>) -> tensor<19x10xf32> {
  %w1 = graph.constant @f32.w1 : tensor<48x48xf32>
  %b1 = graph.constant @f32.b1 : tensor<48xf32>
  %w2 = graph.constant @f32.w2 : tensor<10x48xf32>
  %0 = graph.linear %x, %w1, %b1 : (tensor<19x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<19x48xf32>
  %1 = graph.relu %0 : tensor<19x48xf32>
  %2 = graph.linear %1, %w1, %b1 : (tensor<19x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<19x48xf32>
  %3 = graph.gelu %2 : tensor<19x48xf32>
  %4 = graph.add %3, %1 : (tensor<19x48xf32>, tensor<19x48xf32>) -> tensor<19x48xf32>
  %5 = graph.linear %4, %w2 : (tensor<19x48xf32>, tensor<10x48xf32>) -> tensor<19x10xf32>
  return %5 : tensor<19x10xf32>
}

func.func @mlp_bf16(%x: tensor<19x48xbf16>) -> tensor<19x10xbf16> {
  %w1 = graph.constant @bf16.w1 : tensor<48x48xbf16>
  %b1 = graph.constant @bf16.b1 : tensor<48xbf16>
  %w2 = graph.constant @bf16.w2 : tensor<10x48xbf16>
  %0 = graph.linear %x, %w1, %b1 : (tensor<19x48xbf16>, tensor<48x48xbf16>, tensor<48xbf16>) -> tensor<19x48xbf16>
  %1 = graph.relu %0 : tensor<19x48xbf16>
  %2 = graph.linear %1, %w1, %b1 : (tensor<19x48xbf16>, tensor<48x48xbf16>, tensor<48xbf16>) -> tensor<19x48xbf16>
  %3 = graph.gelu %2 : tensor<19x48xbf16>
  %4 = graph.add %3, %1 : (tensor<19x48xbf16>, tensor<19x48xbf16>) -> tensor<19x48xbf16>
  %5 = graph.linear %4, %w2 : (tensor<19x48xbf16>, tensor<10x48xbf16>) -> tensor<19x10xbf16>
  return %5 : tensor<19x10xbf16>
}

func.func @mlp_f16(%x: tensor<19x48xf16>) -> tensor<19x10xf16> {
  %w1 = graph.constant @f16.w1 : tensor<48x48xf16>
  %b1 = graph.constant @f16.b1 : tensor<48xf16>
  %w2 = graph.constant @f16.w2 : tensor<10x48xf16>
  %0 = graph.linear %x, %w1, %b1 : (tensor<19x48xf16>, tensor<48x48xf16>, tensor<48xf16>) -> tensor<19x48xf16>
  %1 = graph.relu %0 : tensor<19x48xf16>
  %2 = graph.linear %1, %w1, %b1 : (tensor<19x48xf16>, tensor<48x48xf16>, tensor<48xf16>) -> tensor<19x48xf16>
  %3 = graph.gelu %2 : tensor<19x48xf16>
  %4 = graph.add %3, %1 : (tensor<19x48xf16>, tensor<19x48xf16>) -> tensor<19x48xf16>
  %5 = graph.linear %4, %w2 : (tensor<19x48xf16>, tensor<10x48xf16>) -> tensor<19x10xf16>
  return %5 : tensor<19x10xf16>
}

func.func @shared(%x: tensor<1x48xf32>) -> tensor<1x48xf32> {
  %w1 = graph.constant @f32.w1 : tensor<48x48xf32>
  %0 = graph.linear %x, %w1 : (tensor<1x48xf32>, tensor<48x48xf32>) -> tensor<1x48xf32>
  return %0 : tensor<1x48xf32>
}
