// SPDX-License-Identifier: Apache-2.0
//
// The rows, one block per library.

#include "runtime/format/CallTable.h"

#include "runtime/format/CallRelations.h"

namespace minic::format {

// Rows are in the order in which plans print operands.

static constexpr uint32_t kAnyEltwise = ~0u;
static constexpr uint32_t bit(EltwiseKind kind) { return 1u << int(kind); }

static constexpr RoleRule optional(RoleRule rule) {
  rule.isRequired = false;
  return rule;
}

// Libraries take windows as int32.
static constexpr int64_t kMaxWindow = (int64_t(1) << 31) - 1;
static constexpr int64_t kMaxGroups = int64_t(1) << 47;

static constexpr AttributeRule windows(const char *name, int64_t min) {
  return {name, AttributeKind::integers, true, min, kMaxWindow};
}

static constexpr const char *kComputeTypes[] = {"f32", "tf32"};
/// Arithmetic of f32 operands; others accumulate in f32.
static constexpr AttributeRule kCompute = {
    "compute", AttributeKind::text, true, 0, 0, kComputeTypes};

//===----------------------------------------------------------------------===//
// oneDNN: result = epilogue(op + bias)
//===----------------------------------------------------------------------===//

// Batched over leading dimensions; transposes are in the strides. oneDNN says
// itself which dtypes it takes on a machine.
static constexpr RoleRule kOnednnMatmul[] = {
    {"lhs", true, false, 2, 12, false},
    {"rhs", true, false, 2, 12, false, ShapeRule::free, nullptr, "pack_rhs"},
    optional({"bias", true, false, 2, 12, false, ShapeRule::broadcasts}),
    {"result", true, true, 2, 12, false},
};
static constexpr AttributeRule kOnednnMatmulAttributes[] = {
    {"pack_rhs", AttributeKind::integer, false, 0, 1}};
static constexpr CallRelation kProduct[] = {relateProduct};

// Views are [N, C, spatial...] and [K, C / groups, spatial...] whatever the
// order in memory, which is in the strides.
static constexpr RoleRule kOnednnConvolution[] = {
    {"input", true, false, 3, 5, false},
    {"filter", true, false, 3, 5, false, ShapeRule::free, nullptr,
     "pack_filter"},
    optional({"bias", true, false, 1, 1, false, ShapeRule::perChannel}),
    {"result", true, true, 3, 5, false},
};
static constexpr AttributeRule kOnednnConvolutionAttributes[] = {
    windows("strides", 1),
    windows("pads_begin", 0),
    windows("pads_end", 0),
    windows("dilations", 1),
    {"groups", AttributeKind::integer, true, 1, kMaxGroups},
    {"pack_filter", AttributeKind::integer, false, 0, 1}};
static constexpr CallRelation kConvolution[] = {relateConvolution};

static constexpr EpilogueRule kPostOps = {32, kAnyEltwise, true};

// Along dimension `axis`.
static constexpr RoleRule kOnednnSoftmax[] = {
    {"input", true, false, 1, 12, false, ShapeRule::asResult},
    {"result", true, true, 1, 12, false},
};
static constexpr AttributeRule kOnednnSoftmaxAttributes[] = {
    {"axis", AttributeKind::integer, true, 0, 11}};
static constexpr CallRelation kSoftmax[] = {relateSoftmax};

// Along the last dimension; (x - mean) / sqrt(variance + epsilon) * scale +
// bias.
static constexpr RoleRule kOnednnLayerNorm[] = {
    {"input", true, false, 2, 5, false, ShapeRule::asResult},
    optional({"scale", true, false, 1, 1, false, ShapeRule::perColumn}),
    optional({"bias", true, false, 1, 1, false, ShapeRule::perColumn}),
    {"result", true, true, 2, 5, false},
};
static constexpr AttributeRule kOnednnLayerNormAttributes[] = {
    {"epsilon", AttributeKind::number}};
static constexpr CallRelation kLayerNorm[] = {relateLayerNorm};

// Over the dimensions of which the result has one index.
static constexpr RoleRule kOnednnReduction[] = {
    {"input", true, false, 1, 12, false},
    {"result", true, true, 1, 12, false},
};
static constexpr const char *kReductions[] = {"sum", "mean", "max", "min",
                                              "prod"};
static constexpr AttributeRule kOnednnReductionAttributes[] = {
    {"kind", AttributeKind::text, true, 0, 0, kReductions}};
static constexpr CallRelation kReduction[] = {relateReduction};

//===----------------------------------------------------------------------===//
// cuBLAS: GemmEx, whose algorithm the library chooses
//===----------------------------------------------------------------------===//

static constexpr RoleRule kCublasGemm[] = {
    {"lhs"},
    {"rhs", true, false, 2, 12, true, ShapeRule::free, "lhs"},
    {"result", true, true},
};
static constexpr AttributeRule kComputeAlone[] = {kCompute};
static constexpr CallRelation kGpuProduct[] = {relateProduct, relateCompute};

//===----------------------------------------------------------------------===//
// cuBLASLt: result = epilogue(lhs * rhs + bias + addend); `aux` receives what
// the epilogue is applied to
//===----------------------------------------------------------------------===//

static constexpr RoleRule kCublasltMatmul[] = {
    {"lhs"},
    {"rhs", true, false, 2, 12, true, ShapeRule::free, "lhs"},
    optional({"bias", true, false, 1, 1, true, ShapeRule::perColumn}),
    optional({"addend", true, false, 2, 12, true, ShapeRule::asResult}),
    {"result", true, true},
    optional({"aux", true, true, 2, 12, true, ShapeRule::asResult}),
};
static constexpr EpilogueRule kReluOrGelu = {
    1, bit(EltwiseKind::relu) | bit(EltwiseKind::gelu_tanh)};
static constexpr CallRelation kProductWithAux[] = {relateProduct, relateCompute,
                                                   relateAux};

//===----------------------------------------------------------------------===//
// cuDNN's graph API: result = epilogue(op + bias + addend)
//===----------------------------------------------------------------------===//

static constexpr RoleRule kCudnnConvolution[] = {
    {"input", true, false, 3, 5},
    {"filter", true, false, 3, 5, true, ShapeRule::free, "input"},
    optional({"bias", true, false, 3, 5, true, ShapeRule::perChannelOfRank}),
    optional({"addend", true, false, 3, 5, true, ShapeRule::asResult}),
    {"result", true, true, 3, 5},
};
static constexpr AttributeRule kCudnnConvolutionAttributes[] = {
    windows("strides", 1),
    windows("pads_begin", 0),
    windows("pads_end", 0),
    windows("dilations", 1),
    {"groups", AttributeKind::integer, true, 1, kMaxGroups},
    kCompute};
static constexpr CallRelation kGpuConvolution[] = {relateConvolution,
                                                   relateCompute};

static constexpr RoleRule kCudnnMatmul[] = {
    {"lhs"},
    {"rhs", true, false, 2, 12, true, ShapeRule::free, "lhs"},
    optional({"bias", true, false, 1, 1, true, ShapeRule::perColumn}),
    {"result", true, true},
};
static constexpr EpilogueRule kActivation = {1, kAnyEltwise};

// result = softmax(query * transpose(key) * scale + bias) * value, with causal
// without the keys behind the query.
static constexpr RoleRule kCudnnAttention[] = {
    {"query", true, false, 4, 4},
    {"key", true, false, 4, 4, true, ShapeRule::free, "query"},
    {"value", true, false, 4, 4, true, ShapeRule::free, "query"},
    optional({"bias", true, false, 4, 4}),
    {"result", true, true, 4, 4, true, ShapeRule::free, "query"},
};
static constexpr const char *kCausal[] = {"none", "upper_left", "lower_right"};
static constexpr AttributeRule kCudnnAttentionAttributes[] = {
    {"scale", AttributeKind::number},
    {"causal", AttributeKind::text, true, 0, 0, kCausal}};
static constexpr CallRelation kAttention[] = {relateAttention};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr CallRule kTable[] = {
    {"onednn", "matmul", "oneDNN", "cpu", kOnednnMatmul,
     kOnednnMatmulAttributes, kPostOps, AlgorithmRule::none, kProduct},
    {"onednn", "convolution", "oneDNN", "cpu", kOnednnConvolution,
     kOnednnConvolutionAttributes, kPostOps, AlgorithmRule::none, kConvolution},
    {"onednn",
     "softmax",
     "oneDNN",
     "cpu",
     kOnednnSoftmax,
     kOnednnSoftmaxAttributes,
     {},
     AlgorithmRule::none,
     kSoftmax},
    {"onednn",
     "layer_norm",
     "oneDNN",
     "cpu",
     kOnednnLayerNorm,
     kOnednnLayerNormAttributes,
     {},
     AlgorithmRule::none,
     kLayerNorm},
    {"onednn",
     "reduction",
     "oneDNN",
     "cpu",
     kOnednnReduction,
     kOnednnReductionAttributes,
     {},
     AlgorithmRule::none,
     kReduction},
    {"cublas",
     "gemm",
     "cuBLAS",
     "cuda",
     kCublasGemm,
     kComputeAlone,
     {},
     AlgorithmRule::none,
     kGpuProduct},
    {"cublaslt", "matmul", "cuBLASLt", "cuda", kCublasltMatmul, kComputeAlone,
     kReluOrGelu, AlgorithmRule::bytes64, kProductWithAux},
    {"cudnn", "convolution", "cuDNN", "cuda", kCudnnConvolution,
     kCudnnConvolutionAttributes, kActivation, AlgorithmRule::text,
     kGpuConvolution},
    {"cudnn", "matmul", "cuDNN", "cuda", kCudnnMatmul, kComputeAlone,
     kActivation, AlgorithmRule::text, kGpuProduct},
    {"cudnn",
     "attention",
     "cuDNN",
     "cuda",
     kCudnnAttention,
     kCudnnAttentionAttributes,
     {},
     AlgorithmRule::text,
     kAttention},
};

absl::Span<const CallRule> callTable() { return kTable; }

const CallRule *findCall(absl::string_view library, absl::string_view op) {
  for (const CallRule &rule : kTable) {
    if (rule.library == library && rule.op == op) {
      return &rule;
    }
  }
  return nullptr;
}

} // namespace minic::format
