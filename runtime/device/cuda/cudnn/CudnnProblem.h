// SPDX-License-Identifier: Apache-2.0
//
// CudnnProblem: what a cuDNN call of a plan computes, whichever op it is,
// without cuDNN's types.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEM_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEM_H

#include "runtime/base/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace minic::runtime {

struct CudnnTensor {
  DType dtype;
  std::vector<int64_t> dims, strides; // elements
  /// Guaranteed alignment of its pointer in every run, by its place in the
  /// plan.
  int64_t alignment;
  const format::Address *address;
};

/// result = activation(lhs * rhs + addend + bias), the product a convolution
/// of input and filter or a batched matmul; or an attention of the query lhs
/// [B, H, T, D] and the key rhs [B, G, S, D], in which the addend is added to
/// the scores.
struct CudnnProblem {
  struct Convolution {
    std::vector<int64_t> strides, padsBegin, padsEnd, dilations;
  };
  /// Keys that take part: all, those up to number t for query t, or the same
  /// with the last query at the last key.
  enum class Causal { none, upperLeft, lowerRight };
  struct Attention {
    CudnnTensor value; ///< [B, G, S, E]
    float scale;       ///< of a score
    Causal causal;
  };
  struct Activation {
    format::EltwiseKind kind;
    float alpha, beta;
  };

  std::optional<Convolution> convolution;
  std::optional<Attention> attention; // neither: a matmul
  CudnnTensor lhs, rhs;
  std::optional<CudnnTensor> addend, bias;
  CudnnTensor result;
  std::optional<Activation> activation;
  /// f32 operands may be rounded to tf32.
  bool allowsTf32;

  /// Of "cudnn convolution", "cudnn matmul" or "cudnn attention".
  static CudnnProblem get(const format::Call &call);

  /// lhs, rhs, value, addend, bias and result, without those that are absent:
  /// the order of the pointers of a run.
  std::vector<const CudnnTensor *> tensors() const;
  /// For messages: "convolution bf16 [32, 256, 14, 14] x [256, 256, 3, 3]".
  std::string describe() const;
  /// Names all that a cuDNN plan for it depends on. Problems with equal keys
  /// may use each other's plans, on other memory.
  std::string key() const;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNPROBLEM_H
