// SPDX-License-Identifier: Apache-2.0
//
// AttentionProblem: attentions to test with, as the plan describes them.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONPROBLEM_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONPROBLEM_H

#include "test/unit/runtime/testing/CallTables.h"
#include "test/unit/runtime/testing/PackedTable.h"

#include <cmath>
#include <optional>
#include <string>

namespace minic::runtime {

struct AttentionProblem {
  std::string name;
  format::DType dtype = format::DType::bf16;
  int64_t batch = 2, heads = 4, keyHeads = 4, rows = 48, keys = 48, depth = 64,
          valueDepth = 64;
  std::string causal = "none";
  double scale = 0; // 0: 1 / sqrt(depth)
  /// Rows of heads beside each other, as a projection leaves them.
  bool isMerged = false;
  std::optional<format::DType> biasType;
  std::vector<int64_t> biasDims;
  std::string engine;
  uint64_t scratchBytes = 32 << 20;

  double scoreScale() const {
    return scale != 0 ? scale : 1 / std::sqrt(double(depth));
  }
  std::vector<int64_t> queryDims() const { return {batch, heads, rows, depth}; }
  std::vector<int64_t> keyDims() const {
    return {batch, keyHeads, keys, depth};
  }
  std::vector<int64_t> valueDims() const {
    return {batch, keyHeads, keys, valueDepth};
  }
  std::vector<int64_t> resultDims() const {
    return {batch, heads, rows, valueDepth};
  }
  /// Of [B, heads, length, elements].
  std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) const {
    if (isMerged) {
      return {dims[1] * dims[2] * dims[3], dims[3], dims[1] * dims[3], 1};
    }
    return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
  }
  std::vector<int64_t> biasStrides() const {
    return {biasDims[1] * biasDims[2] * biasDims[3], biasDims[2] * biasDims[3],
            biasDims[3], 1};
  }

  /// Whether the query sees the key.
  bool takesPart(int64_t row, int64_t key) const {
    return causal == "none" ||
           key <= row + (causal == "lower_right" ? keys - rows : 0);
  }

  /// Query, key, value and bias are inputs 0 to 3; the workspace is the arena.
  format::CallT descriptor() const {
    using namespace minic::testing;
    using format::Base;
    format::CallT call = libraryCall("cudnn", "attention");
    auto add = [&](const char *role, Base base, uint32_t index,
                   const std::vector<int64_t> &dims) {
      setOperand(call, role,
                 tensorView({base, index, 0}, dims, stridesOf(dims), dtype));
    };
    add("query", Base::input, 0, queryDims());
    add("key", Base::input, 1, keyDims());
    add("value", Base::input, 2, valueDims());
    if (biasType) {
      setOperand(
          call, "bias",
          tensorView({Base::input, 3, 0}, biasDims, biasStrides(), *biasType));
    }
    add("result", Base::output, 0, resultDims());
    setNumber(call, "scale", scoreScale());
    setText(call, "causal", causal);
    call.algorithm = engine;
    setScratch(call, {Base::arena, 0, 0}, scratchBytes);
    return call;
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_ATTENTIONPROBLEM_H
