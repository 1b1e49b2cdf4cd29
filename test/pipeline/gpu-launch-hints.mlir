// Why a fusion is several launches on a GPU; compiled without one.
//
// RUN: minic %s --target=cuda --device-profile=h200 --log=perf-hints -o %t.minic > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: FileCheck %s --check-prefix=NOT < %t.log

// One launch was a candidate.
// CHECK-DAG: @prologue {{.*}}: cublas fuses no pointwise ops: pointwise and cublas are 2 launches
// CHECK-DAG: @prologue {{.*}}: 2 launches were chosen by estimate over one of gemm_sm80
// CHECK-DAG: @prologue {{.*}}: gelu before the contraction: fused into it, it is computed again for every tile of columns; apart, it is a launch; at the end of the layer that makes the operand it would cost neither
// NOT-NOT: @prologue {{.*}} refused
// NOT-NOT: @epilogue {{.*}} launch

// One launch is nobody's; who is not about convolutions is not asked.
// CHECK-DAG: @refused {{.*}}: one launch was refused by conv_sm80: an operand that must be relaid has another use in the body; conv_sm90: an operand that must be relaid has another use in the body; cudnn_conv: cuDNN fuses no graph.exp{{$}}
// NOT-NOT: cudnn_conv fuses no pointwise ops

// The command line leaves it out.
// RUN: minic %s --target=cuda --device-profile=h200 --function=epilogue --gemm-backends=aten --log=perf-hints -o %t2.minic 2>&1 | FileCheck %s --check-prefix=ATEN
// ATEN: @epilogue {{.*}}: cublas fuses no pointwise ops: cublas and pointwise are 2 launches
// ATEN: @epilogue {{.*}}: one launch is possible: --gemm-backends leaves out gemm_sm80
// ATEN-NOT: refused

func.func @prologue(%x: tensor<256x4096xbf16>, %w: tensor<8192x4096xbf16>) -> tensor<256x8192xbf16> {
  %0 = graph.gelu %x : tensor<256x4096xbf16>
  %1 = graph.linear %0, %w : (tensor<256x4096xbf16>, tensor<8192x4096xbf16>) -> tensor<256x8192xbf16>
  return %1 : tensor<256x8192xbf16>
}

func.func @epilogue(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.linear %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

func.func @refused(%x: tensor<2x64x14x14xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<2x64x14x14xbf16> {
  %0 = graph.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<2x64x14x14xbf16>, tensor<64x64x3x3xbf16>) -> tensor<2x64x14x14xbf16>
  %1 = graph.exp %0 : tensor<2x64x14x14xbf16>
  %2 = graph.add %1, %x : (tensor<2x64x14x14xbf16>, tensor<2x64x14x14xbf16>) -> tensor<2x64x14x14xbf16>
  return %2 : tensor<2x64x14x14xbf16>
}
