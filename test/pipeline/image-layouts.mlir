// The order of images is each target's. On a CPU means over pixels in NHWC are pools.
// RUN: minic %s --target=cpu --cpu-isa=v4 --threads=1 --compile-to=fuse -o - | FileCheck %s --check-prefix=CPU
// CPU: kernel.fusion
// CPU: graph.transpose %{{.+}} [0, 2, 3, 1] : tensor<1x32x28x28xf32>
// CPU: graph.conv2d %{{.+}} {groups = 32 : i64, layout = "nhwc"
// CPU: graph.pool2d average, %{{.+}} window = [28, 28] {layout = "nhwc"} : tensor<1x28x28x32xf32> -> tensor<1x1x1x32xf32>

// Products of f32 without tf32 are as fast in NCHW on a GPU, and stay.
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --compile-to=fuse -o - | FileCheck %s --check-prefix=F32
// F32-NOT: nhwc
// F32-NOT: transpose
// RUN: minic %s --target=cuda:sm_90a --device-profile=h200 --assign-layouts=nhwc --compile-to=fuse -o - | FileCheck %s --check-prefix=FORCED
// FORCED: graph.transpose
// FORCED: layout = "nhwc"
// FORCED: graph.reduce mean, %{{.+}} [1, 2]
// RUN: minic %s --target=cpu --assign-layouts=off --compile-to=fuse -o - | FileCheck %s --check-prefix=F32

// RUN: minic %s --target=cpu -o %t.minic && minic-run %t.minic --check

// What became of them, and what each relayout is for, is said.
// RUN: minic %s --target=cpu --cpu-isa=v4 --threads=1 --log=fusion -o %t.v4.minic 2>&1 | FileCheck %s --check-prefix=LOG
// LOG: minic: images of @main: 2 of 2 convolutions, pools and resizes in another order than the model's, estimated to save {{.+}} us
// LOG-NEXT: minic: images of @main: relayout of pixels (1x32x28x28xf32) to NHWC for conv2d, about {{.+}} us
// RUN: minic explain %t.v4.minic | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: images: 2 of 2 convolutions, pools and resizes in another order
// EXPLAIN-NEXT: images: relayout of pixels (1x32x28x28xf32) to NHWC for conv2d
// The tuner measures the relayouts of a choice; a replay finds them.
// RUN: rm -f %t.db && minic %s --target=cpu --threads=1 --mode=max-autotune --tune-db=%t.db --log=fusion -o %t.minic 2>&1 | FileCheck %s --check-prefix=MEASURED
// MEASURED: minic: images of @main: relayout of pixels (1x32x28x28xf32) to NHWC for conv2d, measured to take {{.+}} us
// RUN: minic-run %t.minic --check
// RUN: minic %s --target=cpu --threads=1 --tune-replay --tune-db=%t.db --log=fusion -o %t.minic 2>&1 | FileCheck %s --check-prefix=MEASURED
// A replay that has no record of a relayout estimates it; the error is of the first problem of the plan.
// RUN: not minic %s --target=cpu --threads=1 --tune-replay --tune-db=%t.none.db --log=fusion -o %t.none.minic 2>&1 | FileCheck %s --check-prefix=MISSING --implicit-check-not=error:
// MISSING: minic: images of @main: relayout of pixels (1x32x28x28xf32) to NHWC for conv2d, about {{.+}} us
// MISSING: minic: error: no tuning record of transpose(1x32x28x28) f32
// Where the tuner fails at a relayout, the first that it is asked about, one error says so.
// RUN: echo no-database > %t.bad.db && not minic %s --target=cpu --mode=max-autotune --tune-db=%t.bad.db --log=fusion -o %t.none.minic 2>&1 | FileCheck %s --check-prefix=FAILED --implicit-check-not=error: --implicit-check-not=fusion
// FAILED: minic: error: tuning database '{{.+}}.bad.db': is not a tuning database
// RUN: minic %s --target=cpu --assign-layouts=off -o %t.minic && minic explain %t.minic | FileCheck %s --check-prefix=OFF --implicit-check-not=images:
// OFF: implemented by
func.func @main(%x: tensor<1x32x28x28xf32> {graph.name = "pixels"}) -> tensor<1x32xf32> {
  %w = graph.constant dense<0.1> : tensor<32x1x5x5xf32>
  %v = graph.constant dense<0.2> : tensor<32x32x3x3xf32>
  %0 = graph.conv2d %x, %w {groups = 32 : i64, pads = array<i64: 2, 2, 2, 2>} : (tensor<1x32x28x28xf32>, tensor<32x1x5x5xf32>) -> tensor<1x32x28x28xf32>
  %1 = graph.relu %0 : tensor<1x32x28x28xf32>
  %2 = graph.conv2d %1, %v {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x28x28xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x28x28xf32>
  %3 = graph.reduce mean, %2 [2, 3] : tensor<1x32x28x28xf32> -> tensor<1x32xf32>
  return %3 : tensor<1x32xf32>
}
