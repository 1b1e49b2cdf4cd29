// Queries that see none of the last keys, by a mask: blocks of keys without a
// score of their own leave sums as they are. One query, as in a decode step, and
// many.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --threads=1

func.func @one(%q: tensor<1x2x1x64xf32>, %k: tensor<1x2x2048x64xf32>, %v: tensor<1x2x2048x64xf32>) -> tensor<1x2x1x64xf32> {
  %i = graph.iota axis = 1 : tensor<1x2048xi32>
  %end = graph.constant dense<700> : tensor<1x1xi32>
  %gap = graph.constant dense<3> : tensor<1x1xi32>
  %0 = graph.compare lt, %i, %end : (tensor<1x2048xi32>, tensor<1x1xi32>) -> tensor<1x2048xi1>
  %1 = graph.compare ne, %i, %gap : (tensor<1x2048xi32>, tensor<1x1xi32>) -> tensor<1x2048xi1>
  %m = graph.and %0, %1 : (tensor<1x2048xi1>, tensor<1x2048xi1>) -> tensor<1x2048xi1>
  %r = graph.attention %q, %k, %v mask %m : (tensor<1x2x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2048xi1>) -> tensor<1x2x1x64xf32>
  return %r : tensor<1x2x1x64xf32>
}

func.func @many(%q: tensor<1x2x50x40xbf16>, %k: tensor<1x2x700x40xbf16>, %v: tensor<1x2x700x72xbf16>) -> tensor<1x2x50x72xbf16> {
  %i = graph.iota axis = 1 : tensor<1x700xi32>
  %end = graph.constant dense<100> : tensor<1x1xi32>
  %gap = graph.constant dense<3> : tensor<1x1xi32>
  %0 = graph.compare lt, %i, %end : (tensor<1x700xi32>, tensor<1x1xi32>) -> tensor<1x700xi1>
  %1 = graph.compare ne, %i, %gap : (tensor<1x700xi32>, tensor<1x1xi32>) -> tensor<1x700xi1>
  %m = graph.and %0, %1 : (tensor<1x700xi1>, tensor<1x700xi1>) -> tensor<1x700xi1>
  %r = graph.attention %q, %k, %v mask %m : (tensor<1x2x50x40xbf16>, tensor<1x2x700x40xbf16>, tensor<1x2x700x72xbf16>, tensor<1x700xi1>) -> tensor<1x2x50x72xbf16>
  return %r : tensor<1x2x50x72xbf16>
}
