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

func.func @batched_transposed(%a: tensor<3x264x520xbf16>, %b: tensor<3x264x648xbf16>) -> tensor<3x520x648xbf16> {
  %0 = graph.matmul %a, %b {transpose_lhs} : (tensor<3x264x520xbf16>, tensor<3x264x648xbf16>) -> tensor<3x520x648xbf16>
  return %0 : tensor<3x520x648xbf16>
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

func.func @gated(%x: tensor<70x200xbf16>, %w: tensor<96x200xbf16>) -> tensor<70x48xbf16> {
  %0 = graph.linear %x, %w : (tensor<70x200xbf16>, tensor<96x200xbf16>) -> tensor<70x96xbf16>
  %1 = graph.slice %0 [0, 0] to [70, 96] by [1, 2] : tensor<70x96xbf16> -> tensor<70x48xbf16>
  %2 = graph.slice %0 [0, 1] to [70, 96] by [1, 2] : tensor<70x96xbf16> -> tensor<70x48xbf16>
  %3 = graph.silu %1 : tensor<70x48xbf16>
  %4 = graph.mul %3, %2 : (tensor<70x48xbf16>, tensor<70x48xbf16>) -> tensor<70x48xbf16>
  return %4 : tensor<70x48xbf16>
}

func.func @gated_row(%x: tensor<1x2048xbf16>, %w: tensor<96x2048xbf16>) -> tensor<1x48xbf16> {
  %0 = graph.linear %x, %w : (tensor<1x2048xbf16>, tensor<96x2048xbf16>) -> tensor<1x96xbf16>
  %1 = graph.slice %0 [0, 0] to [1, 96] by [1, 2] : tensor<1x96xbf16> -> tensor<1x48xbf16>
  %2 = graph.slice %0 [0, 1] to [1, 96] by [1, 2] : tensor<1x96xbf16> -> tensor<1x48xbf16>
  %3 = graph.silu %1 : tensor<1x48xbf16>
  %4 = graph.mul %3, %2 : (tensor<1x48xbf16>, tensor<1x48xbf16>) -> tensor<1x48xbf16>
  return %4 : tensor<1x48xbf16>
}

func.func @one_row_f32(%x: tensor<1x8192xf32>, %w: tensor<24x8192xf32>) -> tensor<1x24xf32> {
  %0 = graph.linear %x, %w : (tensor<1x8192xf32>, tensor<24x8192xf32>) -> tensor<1x24xf32>
  return %0 : tensor<1x24xf32>
}

func.func @conv_channels(%x: tensor<2x9x11x48xbf16>, %w: tensor<72x48x3x3xbf16>, %r: tensor<2x9x11x72xbf16>) -> tensor<2x9x11x72xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<2x9x11x48xbf16>, tensor<72x48x3x3xbf16>) -> tensor<2x9x11x72xbf16>
  %1 = graph.add %0, %r : (tensor<2x9x11x72xbf16>, tensor<2x9x11x72xbf16>) -> tensor<2x9x11x72xbf16>
  return %1 : tensor<2x9x11x72xbf16>
}

func.func @conv_wide(%x: tensor<4x15x13x64xbf16>, %w: tensor<200x64x3x3xbf16>, %r: tensor<4x15x13x200xbf16>) -> tensor<4x15x13x200xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<4x15x13x64xbf16>, tensor<200x64x3x3xbf16>) -> tensor<4x15x13x200xbf16>
  %1 = graph.add %0, %r : (tensor<4x15x13x200xbf16>, tensor<4x15x13x200xbf16>) -> tensor<4x15x13x200xbf16>
  return %1 : tensor<4x15x13x200xbf16>
}

func.func @conv_planes(%x: tensor<2x24x9x11xf16>, %w: tensor<20x12x3x3xf16>, %b: tensor<20xf16>) -> tensor<2x20x5x6xf16> {
  %0 = graph.conv2d %x, %w, %b {groups = 2 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x24x9x11xf16>, tensor<20x12x3x3xf16>, tensor<20xf16>) -> tensor<2x20x5x6xf16>
  return %0 : tensor<2x20x5x6xf16>
}

func.func @conv_gathered(%x: tensor<1x13x11x3xbf16>, %w: tensor<24x3x5x5xbf16>) -> tensor<1x6x5x24xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x13x11x3xbf16>, tensor<24x3x5x5xbf16>) -> tensor<1x6x5x24xbf16>
  return %0 : tensor<1x6x5x24xbf16>
}

func.func @conv_f32(%x: tensor<2x7x9x6xf32>, %w: tensor<18x6x3x3xf32>) -> tensor<2x7x9x18xf32> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<2x7x9x6xf32>, tensor<18x6x3x3xf32>) -> tensor<2x7x9x18xf32>
  return %0 : tensor<2x7x9x18xf32>
}

func.func @conv_long(%x: tensor<1x5x5x256xf32>, %w: tensor<64x256x3x3xf32>) -> tensor<1x5x5x64xf32> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<1x5x5x256xf32>, tensor<64x256x3x3xf32>) -> tensor<1x5x5x64xf32>
  return %0 : tensor<1x5x5x64xf32>
}

func.func @conv_long_bf16(%x: tensor<1x5x5x512xbf16>, %w: tensor<64x512x3x3xbf16>) -> tensor<1x5x5x64xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", pads = array<i64: 1, 1, 1, 1>} : (tensor<1x5x5x512xbf16>, tensor<64x512x3x3xbf16>) -> tensor<1x5x5x64xbf16>
  return %0 : tensor<1x5x5x64xbf16>
}

func.func @conv_one_pixel(%x: tensor<2x7x9x40xbf16>, %w: tensor<72x40x1x1xbf16>) -> tensor<2x7x9x72xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<2x7x9x40xbf16>, tensor<72x40x1x1xbf16>) -> tensor<2x7x9x72xbf16>
  return %0 : tensor<2x7x9x72xbf16>
}

func.func @conv_pixels(%x: tensor<32x15x13x64xbf16>, %w: tensor<200x64x1x1xbf16>) -> tensor<32x15x13x200xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc"} : (tensor<32x15x13x64xbf16>, tensor<200x64x1x1xbf16>) -> tensor<32x15x13x200xbf16>
  return %0 : tensor<32x15x13x200xbf16>
}

func.func @conv_depthwise_wide(%x: tensor<16x31x29x120xbf16>, %w: tensor<120x1x5x5xbf16>) -> tensor<16x31x29x120xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", groups = 120 : i64, pads = array<i64: 2, 2, 2, 2>} : (tensor<16x31x29x120xbf16>, tensor<120x1x5x5xbf16>) -> tensor<16x31x29x120xbf16>
  return %0 : tensor<16x31x29x120xbf16>
}

func.func @conv_depthwise(%x: tensor<2x9x7x24xbf16>, %w: tensor<24x1x3x3xbf16>) -> tensor<2x9x7x24xbf16> {
  %0 = graph.conv2d %x, %w {layout = "nhwc", groups = 24 : i64, pads = array<i64: 1, 1, 1, 1>} : (tensor<2x9x7x24xbf16>, tensor<24x1x3x3xbf16>) -> tensor<2x9x7x24xbf16>
  return %0 : tensor<2x9x7x24xbf16>
}

func.func @conv_depthwise_planes(%x: tensor<2x5x9x8xf32>, %w: tensor<5x1x5x5xf32>) -> tensor<2x5x9x8xf32> {
  %0 = graph.conv2d %x, %w {groups = 5 : i64, pads = array<i64: 2, 2, 2, 2>} : (tensor<2x5x9x8xf32>, tensor<5x1x5x5xf32>) -> tensor<2x5x9x8xf32>
  return %0 : tensor<2x5x9x8xf32>
}

func.func @group_norm(%x: tensor<2x33x31x80xbf16>, %w: tensor<80xbf16>, %b: tensor<80xbf16>) -> tensor<2x33x31x80xbf16> {
  %t = graph.transpose %x [0, 3, 1, 2] : tensor<2x33x31x80xbf16> -> tensor<2x80x33x31xbf16>
  %n = graph.group_norm %t scale %w bias %b groups = 8 : (tensor<2x80x33x31xbf16>, tensor<80xbf16>, tensor<80xbf16>) -> tensor<2x80x33x31xbf16>
  %y = graph.transpose %n [0, 2, 3, 1] : tensor<2x80x33x31xbf16> -> tensor<2x33x31x80xbf16>
  %0 = graph.silu %y : tensor<2x33x31x80xbf16>
  return %0 : tensor<2x33x31x80xbf16>
}

func.func @means_across(%x: tensor<4x9x11x160xbf16>) -> tensor<4x160xbf16> {
  %0 = graph.reduce mean, %x [1, 2] : tensor<4x9x11x160xbf16> -> tensor<4x160xbf16>
  return %0 : tensor<4x160xbf16>
}

func.func @means_across_cluster(%x: tensor<3x61x47x200xbf16>) -> tensor<3x200xbf16> {
  %0 = graph.reduce mean, %x [1, 2] : tensor<3x61x47x200xbf16> -> tensor<3x200xbf16>
  return %0 : tensor<3x200xbf16>
}

func.func @means_across_split(%x: tensor<2x61x60x264xbf16>) -> tensor<2x264xbf16> {
  %0 = graph.reduce mean, %x [1, 2] : tensor<2x61x60x264xbf16> -> tensor<2x264xbf16>
  return %0 : tensor<2x264xbf16>
}

func.func @decode_step(%q: tensor<1x2x1x32xbf16>, %n: tensor<1x1x1x32xbf16>, %m: tensor<1x1x1x32xbf16>, %c: tensor<16xbf16>, %s: tensor<16xbf16>, %keys: tensor<1x1x90x32xbf16>, %values: tensor<1x1x90x32xbf16>, %x: tensor<i64>)
    -> (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16> {graph.in_place = 5 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 6 : i64}) {
  %at = graph.abs %x : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %length = graph.add %at, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %0 = graph.rotary %q, %c, %s : (tensor<1x2x1x32xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<1x2x1x32xbf16>
  %1 = graph.rotary %n, %c, %s : (tensor<1x1x1x32xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<1x1x1x32xbf16>
  %2 = graph.cache_update %keys, %1 at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %3 = graph.cache_update %values, %m at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %4 = graph.attention %0, %2, %3 key_length %length : (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<i64>) -> tensor<1x2x1x32xbf16>
  return %4, %2, %3 : tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>
}
