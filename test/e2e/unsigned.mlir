// Bytes of an image, 0 to 255, normalized in the kernel that reads them; bytes as
// results, as constants, moved, and written into a cache.
//
// RUN: %check-model %s %t.minic
func.func @image(%x: tensor<2x16x16x3xui8>, %w: tensor<8x3x3x3xf32>, %mean: tensor<3xf32>, %scale: tensor<3xf32>) -> tensor<2x14x14x8xf32> {
  %0 = graph.cast %x : tensor<2x16x16x3xui8> to tensor<2x16x16x3xf32>
  %1 = graph.sub %0, %mean : (tensor<2x16x16x3xf32>, tensor<3xf32>) -> tensor<2x16x16x3xf32>
  %2 = graph.mul %1, %scale : (tensor<2x16x16x3xf32>, tensor<3xf32>) -> tensor<2x16x16x3xf32>
  %3 = graph.conv2d %2, %w {layout = "nhwc"} : (tensor<2x16x16x3xf32>, tensor<8x3x3x3xf32>) -> tensor<2x14x14x8xf32>
  return %3 : tensor<2x14x14x8xf32>
}

func.func @cache(%c: tensor<6x8xui8>, %new: tensor<2x8xui8>, %at: tensor<i64>) -> tensor<6x8xui8> {
  %0 = graph.cache_update %c, %new at %at axis = 0 : (tensor<6x8xui8>, tensor<2x8xui8>, tensor<i64>) -> tensor<6x8xui8>
  return %0 : tensor<6x8xui8>
}

func.func @bytes(%x: tensor<5x7xui8>, %ids: tensor<3xi64>) -> (tensor<3x7xui8>, tensor<8x7xui8>, tensor<5x7xui8>) {
  %c = graph.constant dense<[[255, 0, 128, 127, 1, 2, 3]]> : tensor<1x7xui8>
  %0 = graph.gather %x, %ids axis = 0 : (tensor<5x7xui8>, tensor<3xi64>) -> tensor<3x7xui8>
  %1 = graph.concat %x, %c axis = 0 : (tensor<5x7xui8>, tensor<1x7xui8>) -> tensor<6x7xui8>
  %2 = graph.pad %1 before [1, 0] after [1, 0] {value = 200.0 : f64} : tensor<6x7xui8> -> tensor<8x7xui8>
  %3 = graph.cast %x : tensor<5x7xui8> to tensor<5x7xf32>
  %4 = graph.mul %3, %3 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %5 = graph.sqrt %4 : tensor<5x7xf32>
  %6 = graph.round %5 : tensor<5x7xf32>
  %7 = graph.cast %6 : tensor<5x7xf32> to tensor<5x7xui8>
  return %0, %2, %7 : tensor<3x7xui8>, tensor<8x7xui8>, tensor<5x7xui8>
}
