// SPDX-License-Identifier: Apache-2.0
// What may follow a kernel that declares an epilogue: test/kernels/epilogue.test for a
// GPU, where functions such as exp are CUDA's own.
func.func @arithmetic(%x: tensor<24x40xf32>, %column: tensor<24x1xf32>, %row: tensor<40xf32>, %all: tensor<24x40xf32>, %s: tensor<f32>) -> tensor<24x40xf32> {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.add %0, %column : (tensor<24x40xf32>, tensor<24x1xf32>) -> tensor<24x40xf32>
  %2 = graph.mul %1, %row : (tensor<24x40xf32>, tensor<40xf32>) -> tensor<24x40xf32>
  %3 = graph.max %2, %all : tensor<24x40xf32>
  %4 = graph.sub %3, %s : (tensor<24x40xf32>, tensor<f32>) -> tensor<24x40xf32>
  %5 = graph.min %4, %0 : tensor<24x40xf32>
  %6 = graph.neg %5 : tensor<24x40xf32>
  %7 = graph.relu %6 : tensor<24x40xf32>
  %8 = graph.add %7, %1 : tensor<24x40xf32>
  return %8 : tensor<24x40xf32>
}
func.func @functions(%x: tensor<24x40xf32>, %y: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.exp %0 : tensor<24x40xf32>
  %2 = graph.softplus %0 : tensor<24x40xf32>
  %3 = graph.tanh %0 : tensor<24x40xf32>
  %4 = graph.erf %0 : tensor<24x40xf32>
  %5 = graph.pow %1, %y : tensor<24x40xf32>
  %6 = graph.log %2 : tensor<24x40xf32>
  %7 = graph.gelu %0 : tensor<24x40xf32>
  %8 = graph.silu %0 : tensor<24x40xf32>
  %9 = graph.elu %0 : tensor<24x40xf32>
  %10 = graph.sqrt %2 : tensor<24x40xf32>
  %11 = graph.floor %0 : tensor<24x40xf32>
  %12 = graph.round %0 : tensor<24x40xf32>
  %13 = graph.add %3, %4 : tensor<24x40xf32>
  %14 = graph.add %5, %6 : tensor<24x40xf32>
  %15 = graph.add %7, %8 : tensor<24x40xf32>
  %16 = graph.add %9, %10 : tensor<24x40xf32>
  %17 = graph.add %11, %12 : tensor<24x40xf32>
  %18 = graph.add %13, %14 : tensor<24x40xf32>
  %19 = graph.add %15, %16 : tensor<24x40xf32>
  %20 = graph.add %17, %18 : tensor<24x40xf32>
  %21 = graph.add %19, %20 : tensor<24x40xf32>
  return %21 : tensor<24x40xf32>
}
func.func @angles(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %large = graph.constant dense<1.0e6> : tensor<f32>
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.sin %0 : tensor<24x40xf32>
  %2 = graph.mul %0, %large : (tensor<24x40xf32>, tensor<f32>) -> tensor<24x40xf32>
  %3 = graph.cos %2 : tensor<24x40xf32>
  %4 = graph.add %1, %3 : tensor<24x40xf32>
  return %4 : tensor<24x40xf32>
}
func.func @dtypes(%x: tensor<24x40xf32>, %m: tensor<24x40xi1>, %i: tensor<40xi32>, %l: tensor<24x1xi64>, %h: tensor<40xf16>, %b: tensor<24x40xbf16>) -> tensor<24x40xf32> {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.cast %i : tensor<40xi32> to tensor<40xf32>
  %2 = graph.cast %l : tensor<24x1xi64> to tensor<24x1xf32>
  %3 = graph.cast %h : tensor<40xf16> to tensor<40xf32>
  %4 = graph.cast %b : tensor<24x40xbf16> to tensor<24x40xf32>
  %5 = graph.add %0, %1 : (tensor<24x40xf32>, tensor<40xf32>) -> tensor<24x40xf32>
  %6 = graph.mul %5, %2 : (tensor<24x40xf32>, tensor<24x1xf32>) -> tensor<24x40xf32>
  %7 = graph.sub %6, %3 : (tensor<24x40xf32>, tensor<40xf32>) -> tensor<24x40xf32>
  %8 = graph.select %m, %7, %4 : (tensor<24x40xi1>, tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
  return %8 : tensor<24x40xf32>
}
func.func @half(%x: tensor<24x40xf16>, %y: tensor<40xf16>) -> tensor<24x40xf16> {
  %0 = graph.kernel @half(%x) {language = "cuda", files = ["half.cu"], entry = "half", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @h} : (tensor<24x40xf16>) -> tensor<24x40xf16>
  %1 = graph.add %0, %y : (tensor<24x40xf16>, tensor<40xf16>) -> tensor<24x40xf16>
  %2 = graph.sigmoid %1 : tensor<24x40xf16>
  return %2 : tensor<24x40xf16>
}
func.func @brain(%x: tensor<24x40xbf16>, %y: tensor<40xbf16>) -> tensor<24x40xbf16> {
  %0 = graph.kernel @brain(%x) {language = "cuda", files = ["brain.cu"], entry = "brain", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @b} : (tensor<24x40xbf16>) -> tensor<24x40xbf16>
  %1 = graph.add %0, %y : (tensor<24x40xbf16>, tensor<40xbf16>) -> tensor<24x40xbf16>
  return %1 : tensor<24x40xbf16>
}
func.func @scalar(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = graph.kernel @one(%x) {language = "cuda", files = ["one.cu"], entry = "one", grid = "1", block = "1",
      epilogue = "finish", reference = @s} : (tensor<f32>) -> tensor<f32>
  %1 = graph.mul %0, %y : tensor<f32>
  return %1 : tensor<f32>
}
func.func @beside(%x: tensor<24x40xf32>, %y: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %0 = graph.exp %y : tensor<24x40xf32>
  %1 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %2 = graph.add %1, %0 : tensor<24x40xf32>
  return %2 : tensor<24x40xf32>
}
func.func @alone(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}
func.func @twice(%x: tensor<24x40xf32>) -> (tensor<24x40xf32>, tensor<24x40xf32>) {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.exp %0 : tensor<24x40xf32>
  return %0, %1 : tensor<24x40xf32>, tensor<24x40xf32>
}
func.func @wider(%x: tensor<24x40xf32>) -> (tensor<24x40xf32>, tensor<24x40xf16>) {
  %0 = graph.kernel @copy(%x) {language = "cuda", files = ["copy.cu"], entry = "copy", dims = [["M", "N"], ["M", "N"]],
      scalars = ["N"], grid = "M", block = "64", epilogue = "finish", reference = @r} : (tensor<24x40xf32>) -> tensor<24x40xf32>
  %1 = graph.exp %0 : tensor<24x40xf32>
  %2 = graph.cast %1 : tensor<24x40xf32> to tensor<24x40xf16>
  return %1, %2 : tensor<24x40xf32>, tensor<24x40xf16>
}
func.func private @r(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  return %x : tensor<24x40xf32>
}
func.func private @h(%x: tensor<24x40xf16>) -> tensor<24x40xf16> {
  return %x : tensor<24x40xf16>
}
func.func private @b(%x: tensor<24x40xbf16>) -> tensor<24x40xbf16> {
  return %x : tensor<24x40xbf16>
}
func.func private @s(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
