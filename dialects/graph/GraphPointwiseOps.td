// SPDX-License-Identifier: Apache-2.0
//
// Pointwise ops: one result element per index, NumPy broadcasting.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHPOINTWISEOPS
#define MINIC_DIALECTS_GRAPH_GRAPHPOINTWISEOPS

include "dialects/graph/GraphAttrs.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op that declares more says so in `extraMembers`.
class Graph_PointwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<Graph_PointwiseOpInterface>,
        Graph_FusibleOpInterface], traits)> {
  string scalarCost = "Simple";
  string extraMembers = "";
  let extraClassDeclaration = [{
    ::minic::graph::IterationSpace getIterationSpace() {
      return ::minic::graph::getPointwiseSpace(*this);
    }
    int64_t getFlopsPerPoint() { return 1; }
    ::minic::graph::ScalarCost getScalarCost() {
      return ::minic::graph::ScalarCost::}] # scalarCost # [{;
    }
  }] # extraMembers;
}

/// Both operands have one dtype, which is the result's; shapes broadcast.
class Graph_BinaryOp<string mnemonic, string formula, Type tensor = Graph_Tensor,
                     list<Trait> traits = [], string example = "f32">
    : Graph_PointwiseOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {
  let summary = formula # ", element by element with NumPy broadcasting";
  let description = "One type is enough where all three are the same.\n"
                    # "```mlir\n%0 = graph." # mnemonic # " %a, %b\n"
                    # "  : (tensor<4x8x" # example # ">, tensor<8x" # example
                    # ">) -> tensor<4x8x" # example # ">\n%1 = graph."
                    # mnemonic # " %a, %c : tensor<4x8x" # example # ">\n```";
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<BinaryTypes>(type($lhs), type($rhs), type($result))
  }];
  let hasFolder = 1;
}

def Graph_AddOp : Graph_BinaryOp<"add", "lhs + rhs", Graph_Tensor, [Commutative]>;
def Graph_SubOp : Graph_BinaryOp<"sub", "lhs - rhs">;
def Graph_MulOp : Graph_BinaryOp<"mul", "lhs * rhs", Graph_Tensor, [Commutative]>;
def Graph_DivOp : Graph_BinaryOp<"div",
    "lhs / rhs; integers truncate, and x / 0 is 0", Graph_NumberTensor> {
  let scalarCost = "Division";
  let hasCanonicalizer = 1;
}
def Graph_ModOp : Graph_BinaryOp<"mod",
    "lhs - rhs * floor(lhs / rhs), of rhs's sign; 0 for integers where rhs is 0; "
    "where rhs is infinite, lhs, or rhs if their signs differ",
    Graph_NumberTensor> {
  let scalarCost = "Division";
}
def Graph_MaxOp : Graph_BinaryOp<"max", "max(lhs, rhs), NaN if either is NaN",
                                 Graph_Tensor, [Commutative]>;
def Graph_MinOp : Graph_BinaryOp<"min", "min(lhs, rhs), NaN if either is NaN",
                                 Graph_Tensor, [Commutative]>;
def Graph_PowOp : Graph_BinaryOp<"pow", "lhs to the power of rhs",
                                 Graph_FloatTensor> {
  let scalarCost = "Transcendental";
  let hasCanonicalizer = 1;
}

def Graph_AndOp : Graph_BinaryOp<"and", "lhs and rhs, bit by bit",
                                 Graph_IntegerTensor, [Commutative], "i32">;
def Graph_OrOp : Graph_BinaryOp<"or", "lhs or rhs, bit by bit",
                                Graph_IntegerTensor, [Commutative], "i32">;
def Graph_XorOp : Graph_BinaryOp<"xor", "either lhs or rhs, bit by bit",
                                 Graph_IntegerTensor, [Commutative], "i32">;

/// The result has the operand's type.
class Graph_UnaryOp<string mnemonic, string formula,
                    Type tensor = Graph_FloatTensor, string example = "f32">
    : Graph_PointwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let summary = formula # ", element by element";
  let description = "```mlir\n%0 = graph." # mnemonic # " %x : tensor<4x8x"
                    # example # ">\n```";
  let arguments = (ins tensor:$input);
  let results = (outs tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Graph_NegOp : Graph_UnaryOp<"neg", "-x", Graph_Tensor> {
  let hasFolder = 1;
}
def Graph_AbsOp : Graph_UnaryOp<"abs", "|x|", Graph_Tensor> {
  let hasFolder = 1;
}
def Graph_SignOp
    : Graph_UnaryOp<"sign", "-1, 0 or 1 as x is negative, zero or positive",
                    Graph_NumberTensor>;
def Graph_NotOp : Graph_UnaryOp<"not", "the complement of x, bit by bit",
                                Graph_IntegerTensor, "i32"> {
  let hasFolder = 1;
}
def Graph_FloorOp : Graph_UnaryOp<"floor", "the next integer at or below x">;
def Graph_CeilOp : Graph_UnaryOp<"ceil", "the next integer at or above x">;
def Graph_RoundOp : Graph_UnaryOp<"round", "the nearest integer, ties to even">;
let scalarCost = "SquareRoot" in {
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", "square root of x">;
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", "1 / sqrt(x + epsilon)"> {
  let arguments = (ins Graph_FloatTensor:$input,
                       DefaultValuedAttr<F64Attr, "0.0">:$epsilon);
}
}
let scalarCost = "Transcendental" in {
def Graph_ExpOp : Graph_UnaryOp<"exp", "e to the power of x">;
def Graph_LogOp : Graph_UnaryOp<"log", "natural logarithm of x">;
def Graph_SinOp : Graph_UnaryOp<"sin", "sine of x radians">;
def Graph_CosOp : Graph_UnaryOp<"cos", "cosine of x radians">;
def Graph_TanhOp : Graph_UnaryOp<"tanh", "hyperbolic tangent of x">;
def Graph_ErfOp : Graph_UnaryOp<"erf", "Gauss error function of x">;
def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def Graph_SiluOp : Graph_UnaryOp<"silu", "x * sigmoid(x)">;
def Graph_SoftplusOp : Graph_UnaryOp<"softplus", "log(1 + exp(x))">;
def Graph_MishOp : Graph_UnaryOp<"mish", "x * tanh(log(1 + exp(x)))">;
}
def Graph_ReluOp : Graph_UnaryOp<"relu", "max(x, 0), NaN if x is NaN"> {
  let hasFolder = 1;
}
def Graph_HardSwishOp
    : Graph_UnaryOp<"hard_swish", "x * min(max(x + 3, 0), 6) / 6">;

def Graph_EluOp
    : Graph_UnaryOp<"elu", "x if x > 0 else alpha * (exp(x) - 1)"> {
  let scalarCost = "Transcendental";
  let arguments = (ins Graph_FloatTensor:$input,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha);
}

def Graph_HardSigmoidOp
    : Graph_UnaryOp<"hard_sigmoid", "min(max(alpha * x + beta, 0), 1)"> {
  let description = [{
    The defaults are PyTorch's; ONNX's `alpha` is 0.2.
    ```mlir
    %0 = graph.hard_sigmoid %x {alpha = 0.2 : f64} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
                       DefaultValuedAttr<F64Attr, "1.0 / 6.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.5">:$beta);
}

def Graph_LeakyReluOp : Graph_UnaryOp<"leaky_relu", "x if x > 0 else alpha * x"> {
  let arguments = (ins Graph_FloatTensor:$input,
                       DefaultValuedAttr<F64Attr, "0.01">:$alpha);
}

def Graph_GeluOp : Graph_UnaryOp<"gelu", "Gaussian error linear unit of x"> {
  let scalarCost = "Transcendental";
  let description = [{
    `approximate = none` is x * (1 + erf(x / sqrt(2))) / 2, PyTorch's default;
    `approximate = tanh` is
    x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.
    ```mlir
    %0 = graph.gelu %x {approximate = #graph.approximation<tanh>} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
      DefaultValuedAttr<Graph_GeluApproximationAttr,
                        "::minic::graph::GeluApproximation::None">:$approximate);
}

def Graph_ClampOp : Graph_UnaryOp<"clamp", "min(max(x, lower), upper)"> {
  let description = [{
    ```mlir
    %0 = graph.clamp %x {lower = 0.0 : f64, upper = 6.0 : f64} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, F64Attr:$lower, F64Attr:$upper);
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_CompareOp : Graph_PointwiseOp<"compare", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "lhs predicate rhs as i1; false where either is NaN (ne: true)";
  let description = [{
    ```mlir
    %0 = graph.compare lt, %a, %b
      : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins Graph_ComparePredicateAttr:$predicate,
                       Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate `,` $lhs `,` $rhs attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_IsNanOp : Graph_PointwiseOp<"is_nan", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "whether x is NaN, as i1, element by element";
  let description = [{
    ```mlir
    %0 = graph.is_nan %x : tensor<4x8xf32> -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Graph_SelectOp : Graph_PointwiseOp<"select", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "on_true where condition holds, else on_false";
  let description = [{
    ```mlir
    %0 = graph.select %c, %a, %b
      : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$on_true,
                       Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:`
    functional-type(operands, results)
  }];
}

def Graph_CastOp : Graph_PointwiseOp<"cast", []> {
  let summary = "Converts to another dtype, rounding to nearest even";
  let description = [{
    Float to integer truncates toward zero; out of range is undefined. To i1
    is `x != 0`, from one integer dtype to another modulo 2^bits.
    ```mlir
    %0 = graph.cast %x : tensor<4x8xf32> to tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHPOINTWISEOPS
