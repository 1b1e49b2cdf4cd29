// A function for each way in which a generated CUDA kernel reads, multiplies or
// adds up, at small awkward sizes: what the sanitize stage runs.
// test/pipeline/kernels.test shows that default mode takes those kernels.

func.func @pointwise(%a: tensor<3x1x17xf32>, %b: tensor<5x17xf32>) -> (tensor<3x5x17xf32>, tensor<3x5x17xbf16>) {
  %0 = graph.mul %a, %b : (tensor<3x1x17xf32>, tensor<5x17xf32>) -> tensor<3x5x17xf32>
  %1 = graph.gelu %0 : tensor<3x5x17xf32>
  %2 = graph.cast %1 : tensor<3x5x17xf32> to tensor<3x5x17xbf16>
  return %1, %2 : tensor<3x5x17xf32>, tensor<3x5x17xbf16>
}

func.func @short(%x: tensor<37x31xf32>, %w: tensor<65x31xf32>) -> tensor<37x65xf32> {
  %0 = graph.linear %x, %w : (tensor<37x31xf32>, tensor<65x31xf32>) -> tensor<37x65xf32>
  return %0 : tensor<37x65xf32>
}

func.func @long(%x: tensor<40x2048xf32>, %w: tensor<72x2048xf32>) -> tensor<40x72xf32> {
  %0 = graph.linear %x, %w : (tensor<40x2048xf32>, tensor<72x2048xf32>) -> tensor<40x72xf32>
  return %0 : tensor<40x72xf32>
}

func.func @long_bf16(%x: tensor<40x4096xbf16>, %w: tensor<72x4096xbf16>, %b: tensor<72xbf16>) -> tensor<40x72xbf16> {
  %0 = graph.linear %x, %w, %b : (tensor<40x4096xbf16>, tensor<72x4096xbf16>, tensor<72xbf16>) -> tensor<40x72xbf16>
  return %0 : tensor<40x72xbf16>
}

func.func @longer(%x: tensor<40x16384xf32>, %w: tensor<72x16384xf32>) -> tensor<40x72xf32> {
  %0 = graph.linear %x, %w : (tensor<40x16384xf32>, tensor<72x16384xf32>) -> tensor<40x72xf32>
  return %0 : tensor<40x72xf32>
}

func.func @longer_bf16(%x: tensor<40x32768xbf16>, %w: tensor<72x32768xbf16>) -> tensor<40x72xbf16> {
  %0 = graph.linear %x, %w : (tensor<40x32768xbf16>, tensor<72x32768xbf16>) -> tensor<40x72xbf16>
  return %0 : tensor<40x72xbf16>
}

func.func @prologue(%x: tensor<37x72xf16>, %v: tensor<72xf16>, %w: tensor<40x72xf16>) -> tensor<37x40xf16> {
  %0 = graph.mul %x, %v : (tensor<37x72xf16>, tensor<72xf16>) -> tensor<37x72xf16>
  %1 = graph.exp %0 : tensor<37x72xf16>
  %2 = graph.linear %1, %w : (tensor<37x72xf16>, tensor<40x72xf16>) -> tensor<37x40xf16>
  return %2 : tensor<37x40xf16>
}

func.func @unaligned(%x: tensor<40x65xbf16>, %w: tensor<71x65xbf16>) -> tensor<40x71xbf16> {
  %0 = graph.linear %x, %w : (tensor<40x65xbf16>, tensor<71x65xbf16>) -> tensor<40x71xbf16>
  return %0 : tensor<40x71xbf16>
}

func.func @batched_transposed(%a: tensor<3x64x40xbf16>, %b: tensor<3x64x48xbf16>) -> tensor<3x40x48xbf16> {
  %0 = graph.matmul %a, %b {transpose_lhs} : (tensor<3x64x40xbf16>, tensor<3x64x48xbf16>) -> tensor<3x40x48xbf16>
  return %0 : tensor<3x40x48xbf16>
}

func.func @wide_unaligned(%x: tensor<520x420xbf16>, %w: tensor<680x420xbf16>, %b: tensor<680xbf16>) -> tensor<520x680xbf16> {
  %0 = graph.linear %x, %w, %b : (tensor<520x420xbf16>, tensor<680x420xbf16>, tensor<680xbf16>) -> tensor<520x680xbf16>
  %1 = graph.relu %0 : tensor<520x680xbf16>
  return %1 : tensor<520x680xbf16>
}

func.func @wide_long(%x: tensor<256x4100xf16>, %w: tensor<520x4100xf16>) -> tensor<256x520xf16> {
  %0 = graph.linear %x, %w : (tensor<256x4100xf16>, tensor<520x4100xf16>) -> tensor<256x520xf16>
  return %0 : tensor<256x520xf16>
}

func.func @one_row(%x: tensor<1x8192xbf16>, %w: tensor<24x8192xbf16>) -> tensor<1x24xbf16> {
  %0 = graph.linear %x, %w : (tensor<1x8192xbf16>, tensor<24x8192xbf16>) -> tensor<1x24xbf16>
  return %0 : tensor<1x24xbf16>
}

func.func @one_row_f32(%x: tensor<1x8192xf32>, %w: tensor<24x8192xf32>) -> tensor<1x24xf32> {
  %0 = graph.linear %x, %w : (tensor<1x8192xf32>, tensor<24x8192xf32>) -> tensor<1x24xf32>
  return %0 : tensor<1x24xf32>
}
