// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @epilogue_name(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects epilogue to be a name of C, got '2nd'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, epilogue = "2nd"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @epilogue_language(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an epilogue of sources in c or cuda, which minic compiles, got language 'ptx'}}
  %0 = graph.kernel @k(%x) {language = "ptx", sources = [""], entry = "k", reference = @r, block = "1", epilogue = "finish"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @epilogue_of_integers(%x: tensor<4x8xi32>) {
  // expected-error @below {{expects one result of floats with an epilogue, got 'tensor<4x8xi32>'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, epilogue = "finish"}
    : (tensor<4x8xi32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @epilogue_of_several(%x: tensor<4xf32>) {
  // expected-error @below {{expects one result of floats with an epilogue, got 'tensor<4xf32>', 'tensor<4xf32>'}}
  %0:2 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, epilogue = "finish"}
    : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
