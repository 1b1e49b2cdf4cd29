// SPDX-License-Identifier: Apache-2.0
//
// attention against a float32 loop, and the bound: it accepts that loop and
// rejects a dropped key and scores that were rounded to bf16.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::reference {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr int kHeads = 4, kGroups = 2, kQueries = 3, kSize = 8, kColumns = 4;

struct Case {
  int keys = 17;
  float spread = 1; // of the query: large ones make peaked scores
  std::string mask, attributes;
  std::function<bool(int t, int s)> takesPart = [](int, int) { return true; };
};

class AttentionTest : public ReferenceTest {
protected:
  void prepare(const Case &c) {
    q = randomFloats(kHeads * kQueries * kSize, 1, -c.spread, c.spread);
    k = randomFloats(kGroups * c.keys * kSize, 2);
    v = randomFloats(kGroups * c.keys * kColumns, 3);
  }

  std::vector<runtime::ExpectedOutput> reference(const Case &c,
                                                 const void *extra = nullptr) {
    auto shape = [&](int heads, int rows, int columns) {
      return "tensor<1x" + std::to_string(heads) + "x" + std::to_string(rows) +
             "x" + std::to_string(columns) + "xf32>";
    };
    std::string tq = shape(kHeads, kQueries, kSize),
                tk = shape(kGroups, c.keys, kSize),
                tv = shape(kGroups, c.keys, kColumns),
                tr = shape(kHeads, kQueries, kColumns),
                tl = "tensor<1x4x3xf32>";
    bool isLength = c.mask.find('i') != std::string::npos &&
                    c.mask.find("x") == std::string::npos;
    std::string use = c.mask.empty() ? ""
                      : isLength     ? " key_length %m"
                                     : " mask %m";
    std::string text =
        "func.func @main(%q: " + tq + ", %k: " + tk + ", %v: " + tv +
        (c.mask.empty() ? "" : ", %m: " + c.mask) + ") -> (" + tr + ", " + tl +
        ") {\n%r, %l = graph.attention %q, %k, %v" + use +
        " {with_log_sum_exp" + c.attributes + "} : (" + tq + ", " + tk + ", " +
        tv + (c.mask.empty() ? "" : ", " + c.mask) + ") -> (" + tr + ", " + tl +
        ")\nreturn %r, %l : " + tr + ", " + tl + "\n}";
    Inputs inputs;
    inputs.arguments = {q.data(), k.data(), v.data()};
    if (extra) {
      inputs.arguments.push_back(extra);
    }
    auto outputs = evaluate(parse(text), inputs);
    EXPECT_TRUE(mlir::succeeded(outputs)) << error;
    return succeeded(outputs) ? *outputs
                              : std::vector<runtime::ExpectedOutput>(2);
  }

  /// In float32; `score` sees each score before the exponential.
  std::vector<float> naive(
      const Case &c,
      const std::function<float(float)> &score = [](float x) { return x; }) {
    std::vector<float> result;
    for (int h = 0; h < kHeads; ++h) {
      int g = h / (kHeads / kGroups);
      for (int t = 0; t < kQueries; ++t) {
        float sum = 0, sums[kColumns] = {}, greatest = -HUGE_VALF;
        std::vector<float> scores(c.keys, -HUGE_VALF);
        for (int s = 0; s < c.keys; ++s) {
          float dot = 0;
          for (int d = 0; d < kSize; ++d) {
            dot += q[(h * kQueries + t) * kSize + d] *
                   k[(g * c.keys + s) * kSize + d];
          }
          if (c.takesPart(t, s)) {
            scores[s] = score(dot / std::sqrt(float(kSize)));
            greatest = std::max(greatest, scores[s]);
          }
        }
        for (int s = 0; s < c.keys; ++s) {
          float weight =
              scores[s] == -HUGE_VALF ? 0 : std::exp(scores[s] - greatest);
          sum += weight;
          for (int e = 0; e < kColumns; ++e) {
            sums[e] += weight * v[(g * c.keys + s) * kColumns + e];
          }
        }
        for (float total : sums) {
          result.push_back(sum == 0 ? 0 : total / sum);
        }
      }
    }
    return result;
  }

  std::vector<float> q, k, v;
};

TEST_F(AttentionTest, MeetsALoopForEveryWayToLeaveOutKeys) {
  std::vector<uint8_t> bits(kQueries * 17);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = i * 7 % 3 != 0;
  }
  int64_t length = 11;
  struct Way {
    Case c;
    const void *extra = nullptr;
  };
  std::vector<Way> ways = {
      {{17, 1, "", "", [](int, int) { return true; }}},
      {{17, 20, "", "", [](int, int) { return true; }}},
      {{17, 1, "tensor<3x17xi1>", "",
        [&](int t, int s) { return bits[t * 17 + s] != 0; }},
       bits.data()},
      {{17, 1, "tensor<i64>", "", [](int, int s) { return s < 11; }}, &length},
      {{17, 1, "", ", causal = #graph.causal<upper_left>",
        [](int t, int s) { return s <= t; }}},
      {{17, 1, "", ", causal = #graph.causal<lower_right>",
        [](int t, int s) { return s <= t + 14; }}},
      {{17, 1, "tensor<i64>", ", causal = #graph.causal<lower_right>",
        [](int t, int s) { return s <= t + 8; }},
       &length},
      {{17, 1, "", ", window = 2 : i64",
        [](int t, int s) { return std::abs(t - s) < 2; }}},
      {{17, 1, "", ", causal = #graph.causal<lower_right>, window = 3 : i64",
        [](int t, int s) { return s <= t + 14 && s > t + 11; }}}};
  for (auto &[c, extra] : ways) {
    SCOPED_TRACE(c.mask + c.attributes);
    prepare(c);
    runtime::ExpectedOutput expected = reference(c, extra)[0];
    EXPECT_EQ(countMismatches(expected, naive(c)), 0);
    Case wrong = c;
    wrong.takesPart = [&](int t, int s) { return s != 0 && c.takesPart(t, s); };
    if (c.takesPart(0, 0)) {
      EXPECT_GT(countMismatches(expected, naive(wrong)), 0);
    }
  }
}

TEST_F(AttentionTest, RejectsOneDroppedKeyAndNarrowScores) {
  Case c{1024, 4, "", ""};
  prepare(c);
  runtime::ExpectedOutput expected = reference(c)[0];
  EXPECT_EQ(countMismatches(expected, naive(c)), 0);
  int64_t all = expected.values.size();
  EXPECT_GT(countMismatches(expected, naive(c, roundToBf16)), all / 2);
  Case dropped = c;
  dropped.takesPart = [](int, int s) { return s != 1000; };
  EXPECT_GT(countMismatches(expected, naive(dropped)), all / 2);
}

TEST_F(AttentionTest, CapsScores) {
  Case c{17, 10, "", ", soft_cap = 2.0 : f64"};
  prepare(c);
  auto cap = [](float x) { return 2 * std::tanh(x / 2); };
  EXPECT_EQ(countMismatches(reference(c)[0], naive(c, cap)), 0);
  EXPECT_GT(countMismatches(reference(c)[0], naive(c)), 0);
}

TEST_F(AttentionTest, QueriesWithoutKeysAreZero) {
  Case c{17, 1, "tensor<i64>", ""};
  prepare(c);
  v[0] = std::nanf("");
  int64_t none = 0;
  auto outputs = reference(c, &none);
  EXPECT_THAT(outputs[0].values, Each(0));
  EXPECT_THAT(outputs[0].tolerances, Each(0));
  EXPECT_THAT(outputs[1].values, Each(-HUGE_VAL));
  std::vector<float> excluded(17, -HUGE_VALF);
  c.mask = "tensor<17xf32>";
  outputs = reference(c, excluded.data());
  EXPECT_THAT(outputs[0].values, Each(0));
  EXPECT_THAT(outputs[1].values, Each(-HUGE_VAL));
}

TEST_F(AttentionTest, LogarithmOfTheSum) {
  Case c{2, 1, "", ""};
  prepare(c);
  k.assign(k.size(), 0);
  auto outputs = reference(c);
  for (double value : outputs[1].values) {
    EXPECT_NEAR(value, std::log(2.0), 1e-15);
  }
  for (double tolerance : outputs[1].tolerances) {
    EXPECT_LT(tolerance, 1e-5);
  }
}

} // namespace
} // namespace minic::reference
