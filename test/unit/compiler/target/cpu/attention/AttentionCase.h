// SPDX-License-Identifier: Apache-2.0
//
// AttentionCase: one attention as text, its tensors, and its results in
// float64.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONCASE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONCASE_H

#include "test/unit/compiler/target/cpu/pointwise/DenseTensor.h"

#include <string>
#include <vector>

namespace minic::cpu {

struct AttentionCase {
  int64_t batch = 1, heads = 1, keyHeads = 1, rows = 1, keys = 1;
  int64_t depth = 8, valueDepth = 8;
  std::string dtype = "f32";
  double scale = 0; // 0: as it is by default
  double softCap = 0;
  int64_t window = 0;
  std::string causal = {}; // "upper_left", "lower_right"
  std::string maskType = {};
  std::vector<int64_t> mask = {};    // its shape
  std::vector<int64_t> lengths = {}; // one per batch, or one for all
  bool hasLogSumExp = false;
};

/// The tensors of a case.
class AttentionTensors {
public:
  explicit AttentionTensors(const AttentionCase &c) : c(c) {
    add(c.dtype, {c.batch, c.heads, c.rows, c.depth});
    add(c.dtype, {c.batch, c.keyHeads, c.keys, c.depth});
    add(c.dtype, {c.batch, c.keyHeads, c.keys, c.valueDepth});
    if (!c.maskType.empty()) {
      add(c.maskType, c.mask);
    }
    if (!c.lengths.empty()) {
      bool isOne = c.lengths.size() == 1;
      inputs.emplace_back("i64", isOne ? std::vector<int64_t>{}
                                       : std::vector<int64_t>{c.batch});
      for (size_t i = 0; i != c.lengths.size(); ++i) {
        inputs.back().set(int64_t(i), double(c.lengths[i]));
      }
    }
    results.emplace_back(
        c.dtype, std::vector<int64_t>{c.batch, c.heads, c.rows, c.valueDepth});
    if (c.hasLogSumExp) {
      results.emplace_back("f32",
                           std::vector<int64_t>{c.batch, c.heads, c.rows});
    }
  }

  /// The body of a fusion on `inputs`.
  std::string body() const {
    std::string operands = "%0, %1, %2", types;
    size_t next = 3;
    if (!c.maskType.empty()) {
      operands += " mask %" + std::to_string(next++);
    }
    if (!c.lengths.empty()) {
      operands += " key_length %" + std::to_string(next++);
    }
    for (const DenseTensor &input : inputs) {
      types += (types.empty() ? "" : ", ") + input.type();
    }
    std::string y = c.hasLogSumExp ? "%y#0, %y#1" : "%y";
    return std::string(c.hasLogSumExp ? "%y:2" : "%y") + " = graph.attention " +
           operands + attributes() + " : (" + types + ") -> (" + resultTypes() +
           ")\nkernel.yield " + y + " : " + resultTypes();
  }
  std::string resultTypes() const {
    return results[0].type() + (c.hasLogSumExp ? ", " + results[1].type() : "");
  }

  /// Whether query `t` of `batch` sees key `s`.
  bool sees(int64_t batch, int64_t head, int64_t t, int64_t s) const;
  double score(int64_t batch, int64_t head, int64_t t, int64_t s) const;
  /// Checks the results of one query.
  void checkRow(int64_t batch, int64_t head, int64_t t) const;
  /// Checks all, up to the first that is wrong.
  void check() const;

  const AttentionCase c;
  std::vector<DenseTensor> inputs, results;

private:
  void add(const std::string &dtype, const std::vector<int64_t> &dims) {
    inputs.emplace_back(dtype, dims);
    inputs.back().fill(uint32_t(inputs.size()));
  }

  std::string attributes() const {
    std::vector<std::string> all;
    if (c.scale != 0) {
      all.push_back("scale = " + std::to_string(c.scale) + " : f64");
    }
    if (c.softCap != 0) {
      all.push_back("soft_cap = " + std::to_string(c.softCap) + " : f64");
    }
    if (c.window != 0) {
      all.push_back("window = " + std::to_string(c.window) + " : i64");
    }
    if (!c.causal.empty()) {
      all.push_back("causal = #graph.causal<" + c.causal + ">");
    }
    if (c.hasLogSumExp) {
      all.push_back("with_log_sum_exp");
    }
    std::string text;
    for (const std::string &each : all) {
      text += (text.empty() ? " {" : ", ") + each;
    }
    return text.empty() ? "" : text + "}";
  }
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONCASE_H
