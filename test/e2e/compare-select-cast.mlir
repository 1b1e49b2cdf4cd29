// Predicates, selection and conversion, which cross dtypes inside one kernel.
//
// RUN: %check-model %s %t.minic
// RUN: %check-model %s %t.minic --cpu-isa=v3

func.func @compare(%a: tensor<9x13xf32>, %b: tensor<13xf32>)
    -> (tensor<9x13xi1>, tensor<9x13xi1>, tensor<9x13xi1>, tensor<9x13xi1>,
        tensor<9x13xi1>, tensor<9x13xi1>) {
  %eq = graph.compare eq, %a, %a : (tensor<9x13xf32>, tensor<9x13xf32>) -> tensor<9x13xi1>
  %ne = graph.compare ne, %a, %b : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9x13xi1>
  %lt = graph.compare lt, %a, %b : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9x13xi1>
  %le = graph.compare le, %a, %b : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9x13xi1>
  %gt = graph.compare gt, %a, %b : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9x13xi1>
  %ge = graph.compare ge, %a, %b : (tensor<9x13xf32>, tensor<13xf32>) -> tensor<9x13xi1>
  return %eq, %ne, %lt, %le, %gt, %ge : tensor<9x13xi1>, tensor<9x13xi1>, tensor<9x13xi1>,
    tensor<9x13xi1>, tensor<9x13xi1>, tensor<9x13xi1>
}

func.func @select(%c: tensor<9x1xi1>, %a: tensor<9x13xf32>, %b: tensor<f32>) -> tensor<9x13xf32> {
  %0 = graph.select %c, %a, %b : (tensor<9x1xi1>, tensor<9x13xf32>, tensor<f32>) -> tensor<9x13xf32>
  return %0 : tensor<9x13xf32>
}

func.func @threshold(%a: tensor<41xf32>) -> tensor<41xbf16> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.compare gt, %a, %zero : (tensor<41xf32>, tensor<f32>) -> tensor<41xi1>
  %0 = graph.select %p, %a, %zero : (tensor<41xi1>, tensor<41xf32>, tensor<f32>) -> tensor<41xf32>
  %1 = graph.cast %0 : tensor<41xf32> to tensor<41xbf16>
  return %1 : tensor<41xbf16>
}

func.func @cast(%f: tensor<37xf32>, %i: tensor<37xi32>, %p: tensor<37xi1>)
    -> (tensor<37xf16>, tensor<37xf32>, tensor<37xi64>, tensor<37xi1>, tensor<37xf32>) {
  %0 = graph.cast %f : tensor<37xf32> to tensor<37xf16>
  %1 = graph.cast %i : tensor<37xi32> to tensor<37xf32>
  %2 = graph.cast %i : tensor<37xi32> to tensor<37xi64>
  %3 = graph.cast %i : tensor<37xi32> to tensor<37xi1>
  %4 = graph.cast %p : tensor<37xi1> to tensor<37xf32>
  return %0, %1, %2, %3, %4 : tensor<37xf16>, tensor<37xf32>, tensor<37xi64>, tensor<37xi1>, tensor<37xf32>
}

// Values of 16 bits that are selected and compared as they are.
func.func @joined(%a: tensor<11x1xbf16>, %b: tensor<1x1xbf16>, %c: tensor<11x1xf16>, %d: tensor<1x1xf16>) -> (tensor<12x1xi1>, tensor<12x1xi1>) {
  %0 = graph.concat %a, %b axis = 0 : (tensor<11x1xbf16>, tensor<1x1xbf16>) -> tensor<12x1xbf16>
  %1 = graph.compare ge, %0, %b : (tensor<12x1xbf16>, tensor<1x1xbf16>) -> tensor<12x1xi1>
  %2 = graph.concat %c, %d axis = 0 : (tensor<11x1xf16>, tensor<1x1xf16>) -> tensor<12x1xf16>
  %3 = graph.compare ge, %2, %d : (tensor<12x1xf16>, tensor<1x1xf16>) -> tensor<12x1xi1>
  return %1, %3 : tensor<12x1xi1>, tensor<12x1xi1>
}
