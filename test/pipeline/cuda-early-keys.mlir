// The second attention of a step copies old keys before earlier launches are
// done: it is behind the first, which lets it begin only when whatever came
// before the run is done. Not the first one itself, and not where an earlier
// launch computes where the keys belong.
//
// RUN: rm -rf %t && minic %s --target=cuda --device-profile=h200 --shipped-db=off --tune-db=%t.none --gemm-backends=generated --function=step --dump-kernels-to=%t/step -o %t.minic
// RUN: minic inspect %t.minic | FileCheck %s --check-prefix=APART
// RUN: cat %t/step/*attention*_1-sm_90a.ptx | FileCheck %s --check-prefix=EARLY
// RUN: rm %t/step/*_1-sm_90a.ptx && cat %t/step/*attention*.ptx | FileCheck %s --check-prefix=LATE
// RUN: minic %s --target=cuda --device-profile=h200 --shipped-db=off --tune-db=%t.none --gemm-backends=generated --function=computed --dump-kernels-to=%t/computed -o %t.minic
// RUN: cat %t/computed/*attention*.ptx | FileCheck %s --check-prefix=LATE

// APART: function step
// APART: 0: launch [[FIRST:[^ ]*attention[^ ]*]] grid
// APART-NOT: launch [[FIRST]] grid

// EARLY-NOT: griddepcontrol
// EARLY: cp.async
// EARLY: griddepcontrol.wait;
// EARLY: griddepcontrol.launch_dependents;
// LATE-NOT: cp.async
// LATE-NOT: griddepcontrol.launch_dependents
// LATE: griddepcontrol.wait;
// LATE: cp.async

func.func @step(%q: tensor<1x2x1x32xbf16>, %n: tensor<1x1x1x32xbf16>, %m: tensor<1x1x1x32xbf16>, %k0: tensor<1x1x90x32xbf16>, %v0: tensor<1x1x90x32xbf16>, %k1: tensor<1x1x90x32xbf16>, %v1: tensor<1x1x90x32xbf16>, %at: tensor<i64>)
    -> (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16> {graph.in_place = 3 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 4 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 5 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 6 : i64}) {
  %0 = graph.cache_update %k0, %n at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %1 = graph.cache_update %v0, %m at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %2 = graph.attention %q, %0, %1 key_length %at : (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<i64>) -> tensor<1x2x1x32xbf16>
  %n1 = graph.slice %2 [0, 0, 0, 0] to [1, 1, 1, 32] by [1, 1, 1, 1] : tensor<1x2x1x32xbf16> -> tensor<1x1x1x32xbf16>
  %3 = graph.cache_update %k1, %n1 at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %4 = graph.cache_update %v1, %n1 at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %5 = graph.attention %2, %3, %4 key_length %at : (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<i64>) -> tensor<1x2x1x32xbf16>
  return %5, %0, %1, %3, %4 : tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>
}

func.func @computed(%q: tensor<1x2x1x32xbf16>, %n: tensor<1x1x1x32xbf16>, %m: tensor<1x1x1x32xbf16>, %k0: tensor<1x1x90x32xbf16>, %v0: tensor<1x1x90x32xbf16>, %k1: tensor<1x1x90x32xbf16>, %v1: tensor<1x1x90x32xbf16>, %x: tensor<i64>)
    -> (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16> {graph.in_place = 3 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 4 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 5 : i64}, tensor<1x1x90x32xbf16> {graph.in_place = 6 : i64}) {
  %at = graph.abs %x : tensor<i64>
  %0 = graph.cache_update %k0, %n at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %1 = graph.cache_update %v0, %m at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %2 = graph.attention %q, %0, %1 key_length %x : (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<i64>) -> tensor<1x2x1x32xbf16>
  %n1 = graph.slice %2 [0, 0, 0, 0] to [1, 1, 1, 32] by [1, 1, 1, 1] : tensor<1x2x1x32xbf16> -> tensor<1x1x1x32xbf16>
  %3 = graph.cache_update %k1, %n1 at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %4 = graph.cache_update %v1, %n1 at %at axis = 2 : (tensor<1x1x90x32xbf16>, tensor<1x1x1x32xbf16>, tensor<i64>) -> tensor<1x1x90x32xbf16>
  %5 = graph.attention %2, %3, %4 key_length %x : (tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<i64>) -> tensor<1x2x1x32xbf16>
  return %5, %0, %1, %3, %4 : tensor<1x2x1x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>, tensor<1x1x90x32xbf16>
}
