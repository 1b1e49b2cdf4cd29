// SPDX-License-Identifier: Apache-2.0
//
// AttentionCase: an attention, its fusion as text, and what it computes, in
// double.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONCASE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONCASE_H

#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <cmath>
#include <optional>

namespace minic::cuda {

enum class Causality { None, UpperLeft, LowerRight };

struct AttentionCase {
  int64_t batch = 1, heads = 1, keyHeads = 1, rows = 17, keys = 17, depth = 64,
          valueDepth = 64;
  std::string dtype = "bf16";
  /// Type of the mask; its dimensions, each an extent or 1, after `batch`.
  std::string maskType;
  std::vector<int64_t> maskDims;
  std::string lengthType; // "i32": one for each batch
  Causality causal = Causality::None;
  int64_t window = 0; // 0: none
  double scale = 0;   // 0: the default
  double softCap = 0; // 0: none
  bool logSumExp = false;
  double spread = 1; // of the query: large ones make peaked scores

  std::vector<std::string> arguments() const {
    std::vector<std::string> types = {
        tensor({batch, heads, rows, depth}, dtype),
        tensor({batch, keyHeads, keys, depth}, dtype),
        tensor({batch, keyHeads, keys, valueDepth}, dtype)};
    if (!maskType.empty()) {
      types.push_back(tensor(maskDims, maskType));
    }
    if (!lengthType.empty()) {
      types.push_back(tensor({batch}, lengthType));
    }
    return types;
  }
  std::string result() const {
    return tensor({batch, heads, rows, valueDepth}, dtype);
  }
  std::string results() const {
    return logSumExp ? "(" + result() + ", " +
                           tensor({batch, heads, rows}, "f32") + ")"
                     : result();
  }
  /// "graph.attention %0, %1, %2 ...", without results.
  std::string op() const {
    std::string text = "graph.attention %0, %1, %2", types;
    int next = 3;
    if (!maskType.empty()) {
      text += " mask %" + std::to_string(next++);
    }
    if (!lengthType.empty()) {
      text += " key_length %" + std::to_string(next++);
    }
    text += " {";
    std::string comma;
    auto attribute = [&](const std::string &what) {
      text += comma + what;
      comma = ", ";
    };
    if (causal != Causality::None) {
      attribute(causal == Causality::UpperLeft
                    ? "causal = #graph.causal<upper_left>"
                    : "causal = #graph.causal<lower_right>");
    }
    if (window) {
      attribute("window = " + std::to_string(window) + " : i64");
    }
    if (scale != 0) {
      attribute("scale = " + std::to_string(scale) + " : f64");
    }
    if (softCap != 0) {
      attribute("soft_cap = " + std::to_string(softCap) + " : f64");
    }
    if (logSumExp) {
      attribute("with_log_sum_exp");
    }
    for (const std::string &type : arguments()) {
      types += (types.empty() ? "" : ", ") + type;
    }
    return text + "} : (" + types + ") -> " + results();
  }
  std::string body() const {
    std::string sum = tensor({batch, heads, rows}, "f32");
    return logSumExp ? "%r, %l = " + op() +
                           "\nkernel.yield %r, %l : " + result() + ", " + sum
                     : "%r = " + op() + "\nkernel.yield %r : " + result();
  }
};

/// The case's operands of `run`, and its results computed from them.
class ExpectedAttention {
public:
  ExpectedAttention(const AttentionCase &c, InterpretedFusion &run)
      : c(c), run(run) {}

  struct Row {
    std::vector<double> values, magnitudes; // of each column
    double logSumExp;
  };

  /// What row (b, h, t) is; `magnitudes` are the weighted |values|.
  Row row(int64_t b, int64_t h, int64_t t) {
    int64_t group = h / (c.heads / c.keyHeads);
    double scale = c.scale != 0 ? c.scale : 1 / std::sqrt(double(c.depth));
    std::vector<double> scores;
    std::vector<int64_t> seen;
    double greatest = -HUGE_VAL;
    for (int64_t s = 0; s != c.keys; ++s) {
      if (!takesPart(b, h, t, s)) {
        continue;
      }
      double score = 0;
      for (int64_t d = 0; d != c.depth; ++d) {
        score +=
            run.inputs[0].get(((b * c.heads + h) * c.rows + t) * c.depth + d) *
            run.inputs[1].get(
                ((b * c.keyHeads + group) * c.keys + s) * c.depth + d);
      }
      score *= scale;
      score = c.softCap != 0 ? c.softCap * std::tanh(score / c.softCap) : score;
      if (!c.maskType.empty() && c.maskType != "i1") {
        score += maskAt(b, h, t, s);
      }
      scores.push_back(score);
      seen.push_back(s);
      greatest = std::max(greatest, score);
    }
    Row row{std::vector<double>(size_t(c.valueDepth)),
            std::vector<double>(size_t(c.valueDepth)), -HUGE_VAL};
    if (greatest == -HUGE_VAL) {
      return row;
    }
    double sum = 0;
    for (size_t i = 0; i != seen.size(); ++i) {
      double weight = std::exp(scores[i] - greatest);
      sum += weight;
      for (int64_t e = 0; e != c.valueDepth; ++e) {
        double value = run.inputs[2].get(
            ((b * c.keyHeads + group) * c.keys + seen[i]) * c.valueDepth + e);
        row.values[size_t(e)] += weight * value;
        row.magnitudes[size_t(e)] += weight * std::abs(value);
      }
    }
    for (size_t e = 0; e != row.values.size(); ++e) {
      row.values[e] /= sum;
      row.magnitudes[e] /= sum;
    }
    row.logSumExp = greatest + std::log(sum);
    return row;
  }

  /// Compares the run's results, which are dense unless `at` says where (b, h,
  /// t, e) is.
  void
  check(std::function<int64_t(int64_t, int64_t, int64_t, int64_t)> at = {}) {
    double unit = c.dtype == "bf16" ? 0x1p-8 : 0x1p-11;
    for (int64_t b = 0; b != c.batch; ++b) {
      for (int64_t h = 0; h != c.heads; ++h) {
        for (int64_t t = 0; t != c.rows; ++t) {
          Row want = row(b, h, t);
          int64_t number = (b * c.heads + h) * c.rows + t;
          for (int64_t e = 0; e != c.valueDepth; ++e) {
            double got = run.results[0].get(at ? at(b, h, t, e)
                                               : number * c.valueDepth + e);
            double value = want.values[size_t(e)];
            if (std::isnan(value)) {
              ASSERT_TRUE(std::isnan(got)) << b << " " << h << " " << t;
              continue;
            }
            // The result's rounding, and that of every weight.
            ASSERT_NEAR(got, value,
                        unit * (std::abs(value) + want.magnitudes[size_t(e)]) +
                            1e-5)
                << "batch " << b << " head " << h << " row " << t << " column "
                << e;
          }
          if (c.logSumExp && std::isinf(want.logSumExp)) {
            ASSERT_EQ(run.results[1].get(number), want.logSumExp);
          } else if (c.logSumExp) {
            ASSERT_NEAR(run.results[1].get(number), want.logSumExp,
                        1e-5 * (1 + std::abs(want.logSumExp)));
          }
        }
      }
    }
    for (cpu::TestTensor &result : run.results) {
      EXPECT_TRUE(result.guardIntact());
    }
  }

private:
  double maskAt(int64_t b, int64_t h, int64_t t, int64_t s) {
    int64_t index[] = {b, h, t, s}, at = 0;
    size_t missing = 4 - c.maskDims.size();
    for (size_t i = 0; i != c.maskDims.size(); ++i) {
      int64_t extent = c.maskDims[i];
      at = at * extent + (extent == 1 ? 0 : index[i + missing]);
    }
    return run.inputs[3].get(at);
  }
  bool takesPart(int64_t b, int64_t h, int64_t t, int64_t s) {
    int64_t keys = c.keys;
    if (!c.lengthType.empty()) {
      int64_t length = int64_t(run.inputs[c.maskType.empty() ? 3 : 4].get(b));
      keys = std::clamp<int64_t>(length, 0, c.keys);
    }
    int64_t at = c.causal == Causality::LowerRight ? t + keys - c.rows : t;
    bool isBehind = c.causal != Causality::None && s > at;
    bool isFar = c.window && std::abs(at - s) >= c.window;
    return s < keys && !isBehind && !isFar &&
           (c.maskType != "i1" || maskAt(b, h, t, s) != 0);
  }

  const AttentionCase &c;
  InterpretedFusion &run;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONCASE_H
