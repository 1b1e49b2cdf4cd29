// RUN: minic-opt %s --split-input-file --verify-diagnostics

func.func @linear_rank(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @below {{expects input [..., K] and weight [N, K], got [4, 8] and [8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.linear"(%x, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @linear_k(%x: tensor<4x8xf32>, %w: tensor<16x7xf32>) {
  // expected-error @below {{expects K of input and weight to agree, got 8 and 7}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.linear"(%x, %w) : (tensor<4x8xf32>, tensor<16x7xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @linear_dtype(%x: tensor<4x8xf32>, %w: tensor<16x8xbf16>) {
  // expected-error @below {{expects operands of one dtype, got 'f32' and 'bf16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.linear"(%x, %w) : (tensor<4x8xf32>, tensor<16x8xbf16>) -> tensor<4x16xf32>
  return
}

// -----

func.func @linear_bias(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expects bias [16], got [8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.linear"(%x, %w, %b) : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @linear_integer(%x: tensor<4x8xi32>, %w: tensor<16x8xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of a dtype of products (f32, bf16, f16 or i8) values, but got 'tensor<4x8xi32>'}}
  %0 = "graph.linear"(%x, %w) : (tensor<4x8xi32>, tensor<16x8xi32>) -> tensor<4x16xi32>
  return
}

// -----

func.func @linear_integer_bias(%x: tensor<4x8xi8>, %w: tensor<16x8xi8>, %b: tensor<16xf32>) {
  // expected-error @below {{'graph.linear' op expects a bias of 'i32', got 'f32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.linear"(%x, %w, %b) : (tensor<4x8xi8>, tensor<16x8xi8>, tensor<16xf32>) -> tensor<4x16xi32>
  return
}

// -----

func.func @matmul_integer_result(%x: tensor<4x8xi8>, %y: tensor<8x4xi8>) {
  // expected-error @below {{'graph.matmul' op inferred type(s) 'tensor<4x4xi32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<4x8xi8>, tensor<8x4xi8>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_unsigned(%x: tensor<4x8xui8>, %y: tensor<8x4xui8>) {
  // expected-error @below {{operand #0 must be ranked tensor of a dtype of products (f32, bf16, f16 or i8) values, but got 'tensor<4x8xui8>'}}
  %0 = "graph.matmul"(%x, %y) : (tensor<4x8xui8>, tensor<8x4xui8>) -> tensor<4x4xi32>
  return
}

// -----

func.func @matmul_rank(%x: tensor<8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expects operands of rank 2 or more, got [8] and [8, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_dtype(%x: tensor<4x8xf16>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expects operands of one dtype, got 'f16' and 'f32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<4x8xf16>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// The result may be wider, not narrower, and has no other shape.
func.func @matmul_result(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{incompatible with return type(s)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xbf16>
  return
}

// -----

func.func @matmul_result_shape(%x: tensor<4x8xbf16>, %y: tensor<8x4xbf16>) {
  // expected-error @below {{incompatible with return type(s)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x5xf32>
  return
}

// -----

// Transposed operands have K where it is after transposing.
func.func @matmul_k(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @below {{expects K of lhs and rhs to agree, got 4 and 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) {transpose_lhs} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @matmul_batch(%x: tensor<2x4x8xf32>, %y: tensor<3x8x4xf32>) {
  // expected-error @below {{expects batch dimensions that broadcast, got [2] and [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.matmul"(%x, %y) : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.add' op expects shapes that broadcast, got [4, 8] and [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.add"(%x, %y) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @binary_dtype(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @below {{'graph.mul' op expects operands of one dtype, got 'f32' and 'i32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.mul"(%x, %y) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// A declared result that is not the inferred one.
func.func @result(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error @below {{'graph.sub' op inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<4x9xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.sub"(%x, %y) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x9xf32>
  return
}

// -----

// One type for all is as wrong as three where shapes are broadcast.
func.func @short_type(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%y' expects different type than prior uses: 'tensor<4x8xf32>' vs 'tensor<8xf32>'}}
  %0 = graph.add %x, %y : tensor<4x8xf32>
  return
}

// -----

func.func @type_count(%x: tensor<4xf32>) {
  // expected-error @below {{expects one type, or two operand types and a result type, got '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = graph.add %x, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unknown_op(%x: tensor<4xf32>) {
  // expected-error @below {{no op 'graph.matmull'; did you mean 'graph.matmul'? docs/ops.md lists all ops}}
  %0 = graph.matmull %x, %x : tensor<4xf32>
  return
}

// -----

func.func @unsupported_dtype(%x: tensor<4xf64>) {
  // expected-error @below {{must be ranked tensor of a supported float dtype (f32, bf16 or f16) values, but got 'tensor<4xf64>'}}
  %0 = "graph.exp"(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @unary_type(%x: tensor<4xf32>) {
  // expected-error @below {{requires the same type for all operands and results}}
  %0 = "graph.relu"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @compare_dtype(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @below {{'graph.compare' op expects operands of one dtype, got 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.compare"(%x, %y) {predicate = #graph<predicate lt>} : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

func.func @select_condition(%c: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = "graph.select"(%c, %x, %x) : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_shape(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.select' op expects shapes that broadcast, got [3] and [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.select"(%c, %x, %x) : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error @below {{expects the shape to stay [4], got [5]}}
  %0 = graph.cast %x : tensor<4xf32> to tensor<5xbf16>
  return
}

// -----

func.func @clamp_order(%x: tensor<4xf32>) {
  // expected-error @below {{expects lower <= upper, got}}
  %0 = graph.clamp %x {lower = 1.0 : f64, upper = 0.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @clamp_nan(%x: tensor<4xf32>) {
  // expected-error @below {{expects lower <= upper, got}}
  %0 = graph.clamp %x {lower = 0x7FF8000000000000 : f64, upper = 0.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @reshape_count(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects the number of elements to stay 32, got 33}}
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<33xf32>
  return
}

// -----

func.func @reshape_dtype(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects the dtype to stay 'f32', got 'f16'}}
  %0 = graph.reshape %x : tensor<4x8xf32> to tensor<32xf16>
  return
}

// -----

func.func @permutation(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects a permutation of 0 to rank - 1 for 'tensor<4x8xf32>', got [0, 2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x [0, 2] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @nameless() {
  // expected-error @below {{expects a name, a value or both}}
  %0 = "graph.constant"() : () -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_constant() {
  // expected-error @below {{expects a static shape, got 'tensor<?xf32>'}}
  %0 = graph.constant @w : tensor<?xf32>
  return
}

// -----

func.func @constant_value() {
  // expected-error @below {{expects a value of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = graph.constant dense<1.0> : tensor<5xf32> as tensor<4xf32>
  return
}

// -----

func.func @constant_text() {
  // expected-error @below {{expects a name or a tensor value}}
  %0 = graph.constant "text"
  return
}

// -----

func.func @reduce_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects ascending axes, one or more, from 0 to rank - 1 for 'tensor<4x8xf32>', got [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x [2] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @bits_of_floats(%x: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be ranked tensor of a supported integer dtype (i1, i8, i32 or i64) values, but got 'tensor<4xf32>'}}
  %0 = graph.and %x, %x : tensor<4xf32>
  return
}

// -----

// ui8 is for storage.
func.func @unsigned_sum(%x: tensor<4xui8>) -> tensor<4xui8> {
  // expected-error @below {{operand #0 must be ranked tensor of a supported dtype (f32, bf16, f16, i1, i8, i32 or i64) values, but got 'tensor<4xui8>'}}
  %0 = graph.add %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

func.func @unsigned_pad(%x: tensor<4xui8>) -> tensor<5xui8> {
  // expected-error @below {{expects a value of dtype 'ui8', got -1}}
  %0 = graph.pad %x before [1] after [0] {value = -1.0 : f64} : tensor<4xui8> -> tensor<5xui8>
  return %0 : tensor<5xui8>
}

// -----

func.func @quotient_of_predicates(%p: tensor<4xi1>) {
  // expected-error @below {{operand #0 must be ranked tensor of a supported number dtype (f32, bf16, f16, i8, i32 or i64) values, but got 'tensor<4xi1>'}}
  %0 = graph.mod %p, %p : tensor<4xi1>
  return
}

// -----

func.func @mod_dtype(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error @below {{expects operands of one dtype, got 'i32' and 'i64'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "graph.mod"(%x, %y) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

func.func @reduce_no_axes(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects ascending axes, one or more, from 0 to rank - 1 for 'tensor<4x8xf32>', got []}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x [] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @reduce_twice(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects ascending axes, one or more, from 0 to rank - 1 for 'tensor<4x8xf32>', got [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x [1, 1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{expects something to reduce along axis 1, got 'tensor<4x0xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce max, %x [1] : tensor<4x0xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_mean_of_integers(%x: tensor<4x8xi32>) {
  // expected-error @below {{expects floats to take the mean of, got 'tensor<4x8xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce mean, %x [1] : tensor<4x8xi32> -> tensor<4xi32>
  return
}

// -----

func.func @reduce_type(%x: tensor<4x8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<4x1xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce sum, %x [1] {keep_dims} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @softmax_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{expects an axis from 0 to rank - 1 for 'tensor<4x8xf32>', got -1}}
  %0 = graph.softmax %x axis = -1 : tensor<4x8xf32>
  return
}

// -----

func.func @softmax_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{expects one element or more along axis 1, got 'tensor<4x0xf32>'}}
  %0 = graph.softmax %x axis = 1 : tensor<4x0xf32>
  return
}

// -----

func.func @is_nan_result(%x: tensor<4xf32>) {
  // expected-error @below {{result #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xf32>'}}
  %0 = "graph.is_nan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
