// minic-run --check says where tolerances are too wide to find a wrong output:
// x + y - x may be zero as far as f32 goes, so anything may come out.
//
// RUN: minic %s -o %t.minic --threads=1
// RUN: python3 %inputs/write_npy.py %t.x.npy 3 1e8
// RUN: python3 %inputs/write_npy.py %t.y.npy 3 0.5
// RUN: minic-run %t.minic --input=x=%t.x.npy --input=y=%t.y.npy --check | FileCheck %s
// CHECK: check quotient: ok
// CHECK-NEXT: check quotient: vacuous, tolerances are inf of its RMS; the RMS error is {{.+}} of it
// CHECK-NEXT: check sum: ok
// CHECK-NOT: vacuous

func.func @main(%x: tensor<3xf32> {graph.name = "x"}, %y: tensor<3xf32> {graph.name = "y"})
    -> (tensor<3xf32> {graph.name = "quotient"}, tensor<3xf32> {graph.name = "sum"}) {
  %0 = graph.add %x, %y : tensor<3xf32>
  %1 = graph.sub %0, %x : tensor<3xf32>
  %2 = graph.div %y, %1 : tensor<3xf32>
  return %2, %0 : tensor<3xf32>, tensor<3xf32>
}
