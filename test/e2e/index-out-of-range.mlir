// Integers in [-8, 8] as indices of a table of 3 rows, which kernel.values asks
// for: they are clamped, the results are right, and minic-run says so in one line.
//
// RUN: minic %s -o %t.minic
// RUN: not minic-run %t.minic --function=rows --check > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t.out
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err
// RUN: not minic-run %t.minic --function=place --check > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t.out
// RUN: FileCheck %s --check-prefix=ERR --input-file=%t.err

// The next run of the same function with indices in range is fine.
// RUN: minic-run %t.minic --function=none --check

// OUT: check result0: ok
// ERR: minic-run: error: run: an index or position was out of range and was clamped
// ERR-NOT: {{.}}

func.func @rows(%table: tensor<3x5xf32>, %ids: tensor<33xi64> {kernel.values = {index = array<i64: -8, 8>}}) -> tensor<33x5xf32> {
  %0 = graph.gather %table, %ids axis = 0 : (tensor<3x5xf32>, tensor<33xi64>) -> tensor<33x5xf32>
  return %0 : tensor<33x5xf32>
}

func.func @place(%cache: tensor<4x5xf32>, %new: tensor<4x5xf32>,
                 %position: tensor<i32> {kernel.values = {index = array<i64: -8, 8>}}) -> tensor<4x5xf32> {
  %one = graph.constant dense<9> : tensor<i32>
  %0 = graph.add %position, %one : tensor<i32>
  %1 = graph.cache_update %cache, %new at %0 axis = 0 : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<i32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

func.func @none(%table: tensor<3x5xf32>) -> tensor<1x5xf32> {
  %last = graph.constant dense<2> : tensor<1xi64>
  %0 = graph.gather %table, %last axis = 0 : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}
