// SPDX-License-Identifier: Apache-2.0
//
// The graph dialect itself, its type constraints and its op base classes.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHBASE
#define MINIC_DIALECTS_GRAPH_GRAPHBASE

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::minic::graph";
  let summary = "Value-semantics neural-network ops named by the maths";
  let description = [{
    A model as its author thinks of it: ops on tensors, no layouts, no memory,
    no target. Ops are real-valued; rounding happens only where a tensor is
    materialized and at `graph.cast`. See docs/rationale/graph.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{
    /// For an op that the dialect lacks: a parser that says so and fails.
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

/// What kernels compute with: 16-bit types are accumulated in f32.
def Graph_FloatType : AnyTypeOf<[F32, BF16, F16],
                                "a supported float dtype (f32, bf16 or f16)">;
def Graph_IntegerType
    : AnyTypeOf<[I1, I8, I32, I64],
                "a supported integer dtype (i1, i8, i32 or i64)">;
def Graph_NumberType
    : AnyTypeOf<[F32, BF16, F16, I8, I32, I64],
                "a supported number dtype (f32, bf16, f16, i8, i32 or i64)">;
def Graph_ElementType
    : AnyTypeOf<[F32, BF16, F16, I1, I8, I32, I64],
                "a supported dtype (f32, bf16, f16, i1, i8, i32 or i64)">;

/// What ops that only move elements, and cast, take. u8 is for storage: what is
/// computed with is cast first.
def Graph_StoredType
    : AnyTypeOf<[F32, BF16, F16, I1, I8, UI8, I32, I64],
                "a supported dtype (f32, bf16, f16, i1, i8, ui8, i32 or i64)">;

def Graph_Tensor : RankedTensorOf<[Graph_ElementType]>;
def Graph_StoredTensor : RankedTensorOf<[Graph_StoredType]>;
def Graph_FloatTensor : RankedTensorOf<[Graph_FloatType]>;
/// Factors of a sum of products, and what such sums are stored as.
def Graph_FactorTensor
    : RankedTensorOf<[AnyTypeOf<[F32, BF16, F16, I8],
                                "a dtype of products (f32, bf16, f16 or i8)">]>;
def Graph_SumTensor
    : RankedTensorOf<[AnyTypeOf<[F32, BF16, F16, I32],
                                "a dtype of sums (f32, bf16, f16 or i32)">]>;
def Graph_BoolTensor : RankedTensorOf<[I1]>;
def Graph_IntegerTensor : RankedTensorOf<[Graph_IntegerType]>;
/// Positions: counted, or in tables of at most 2^31 or 2^63 elements.
def Graph_IndexTensor
    : RankedTensorOf<[AnyTypeOf<[I32, I64],
                                "a supported index dtype (i32 or i64)">]>;
def Graph_MaskTensor
    : RankedTensorOf<[AnyTypeOf<[I1, F32, BF16, F16],
                                "a supported mask dtype (i1, f32, bf16 or f16)">]>;
def Graph_NumberTensor : RankedTensorOf<[Graph_NumberType]>;

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

#endif // MINIC_DIALECTS_GRAPH_GRAPHBASE
