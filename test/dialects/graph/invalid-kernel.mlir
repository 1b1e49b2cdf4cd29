// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @language(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects language to be c, llvm, cuda, ptx or cubin, got 'rust'}}
  %0 = graph.kernel @k(%x) {language = "rust", sources = [""], entry = "k", reference = @r}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @entry(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects the name of an entry}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "", reference = @r}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @reference(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects either a reference or a body}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @source(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects files or sources}}
  %0 = graph.kernel @k(%x) {language = "c", entry = "k", reference = @r}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_source(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects at least one source}}
  %0 = graph.kernel @k(%x) {language = "c", entry = "k", sources = [], reference = @r}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @source_per_config(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects one source or one for each of its 3 configurations, got 2}}
  %0 = graph.kernel @k(%x) {language = "c", entry = "k", sources = ["", ""], reference = @r, configs = [{A = [1, 2, 3]}]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dims_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects dims of its 2 operands and results, got 1 lists}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"]]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dims_rank(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a list of 2 dims}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M"], ["M", "N"]]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dims_name(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects names of dims that are letters, digits and _, got "max"}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["max", "N"], ["M", "N"]]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dims_size(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a name or the size of each dim}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [[5, "N"], ["M", "N"]]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @dims_differ(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects one size of dim "M", got 4 and 8}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "M"], ["M", "N"]]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @key(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects names of `dims` in its key, got 'K'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"], ["M", "N"]], key = ["K"]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @configs_empty(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects at least one configuration}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = []}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @configs_kind(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects configurations that are dictionaries, got 1}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [1]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @configs_names(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects the same parameters in all configurations}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [{A = 1}, {B = 1}]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @parameter_name(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects parameters that are named otherwise than dims and words of formulas, got 'M'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"], ["M", "N"]], configs = [{M = 1}]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @parameter_value(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an integer or a list of them for parameter 'A', got "x"}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [{A = "x"}]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @configs_many(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects at most 1024 configurations, got more}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [{A = [1,2,3,4,5,6,7,8,9,10,11,12], B = [1,2,3,4,5,6,7,8,9,10,11,12], C = [1,2,3,4,5,6,7,8]}]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @derived_cycle(%x: tensor<4x8xf32>) {
  // expected-error @below {{derived parameters depend on each other in a cycle: A, B}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, derived = {A = "B + 1", B = "A", C = "1"}}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @derived_name(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects derived parameters with names of their own, got 'A'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [{A = 1}], derived = {A = "1"}}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @derived_text(%x: tensor<4x8xf32>) {
  // expected-error @below {{derived parameter 'A': expected a formula in quotes}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, derived = {A = 1}}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @derived_formula(%x: tensor<4x8xf32>) {
  // expected-error @below {{derived parameter 'A': expected a number, a name or '(' at character 3, got the end}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, derived = {A = "1+"}}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @derived_key(%x: tensor<4x8xf32>) {
  // expected-error @below {{derived parameter 'A' 'N * 2' depends on dim 'N', which its key lacks}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"], ["M", "N"]], derived = {A = "N * 2"}}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @where_key(%x: tensor<4x8xf32>) {
  // expected-error @below {{where 'N % A == 0' depends on dim 'N', which its key lacks}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"], ["M", "N"]], key = ["M"], configs = [{A = 1}], where = ["N % A == 0"]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @where_formula(%x: tensor<4x8xf32>) {
  // expected-error @below {{where: expected ')' at character 3, got the end of '(A'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, configs = [{A = 1}], where = ["(A"]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @unknown(%x: tensor<4x8xf32>) {
  // expected-error @below {{grid 'K' uses 'K', which is no dim and no parameter}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, dims = [["M", "N"], ["M", "N"]], grid = "K"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scalar(%x: tensor<4x8xf32>) {
  // expected-error @below {{scalars: expected 1 to 1 formulas, got '1, 2'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, scalars = ["1, 2"]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @grid_of_cpu(%x: tensor<4x8xf32>) {
  // expected-error @below {{grid: expected 1 to 1 formulas, got '1, 2'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, grid = "1, 2"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @block_of_cpu(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a block of threads for a kernel of a GPU, and only there}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, block = "32"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_block_of_gpu(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a block of threads for a kernel of a GPU, and only there}}
  %0 = graph.kernel @k(%x) {language = "cuda", sources = [""], entry = "k", reference = @r}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @shared_of_cpu(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects shared memory only of a kernel of a GPU}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, shared = "32"}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @updates_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects updates of its 1 results, got 2}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, updates = array<i64: 0, 0>}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @updates_range(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects updates to be numbers of operands or -1, got 1}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, updates = array<i64: 1>}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @updates_type(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a result that updates operand 0 to have its type}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, updates = array<i64: 0>}
    : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @initial_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects initial contents of its 1 results, got 0}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, initial = []}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @initial_value(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects initial contents that are 0, -1 of integers or unit for none, got 1.0}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, initial = [1.0 : f32]}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @initial_and_updates(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a result to begin as an operand or as a number, got both for result 0}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k", reference = @r, initial = [0.0 : f32], updates = array<i64: 0>}
    : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @body_op(%x: tensor<4xf32>) {
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> tensor<4xf32> body {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{is not allowed in the body of a graph.kernel}}
    %1 = arith.constant dense<1.0> : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @body_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{expects a body that takes 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> tensor<4xf32> body {
  ^bb0(%a: tensor<5xf32>):
    graph.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @body_results(%x: tensor<4xf32>) {
  // expected-error @below {{expects a body that yields 'tensor<4xi32>'}}
  %0 = graph.kernel @k(%x) {language = "c", sources = [""], entry = "k"}
      : (tensor<4xf32>) -> tensor<4xi32> body {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return
}
