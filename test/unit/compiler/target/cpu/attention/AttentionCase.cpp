// SPDX-License-Identifier: Apache-2.0
//
// Attention in float64, one query at a time.

#include "test/unit/compiler/target/cpu/attention/AttentionCase.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

namespace minic::cpu {

bool AttentionTensors::sees(int64_t batch, int64_t head, int64_t t,
                            int64_t s) const {
  int64_t length = c.lengths.empty()       ? c.keys
                   : c.lengths.size() == 1 ? c.lengths[0]
                                           : c.lengths[size_t(batch)];
  length = std::clamp<int64_t>(length, 0, c.keys);
  int64_t at = c.causal == "lower_right" ? t + length - c.rows : t;
  if (s >= length || (!c.causal.empty() && s > at) ||
      (c.window && std::abs(at - s) >= c.window)) {
    return false;
  }
  return c.maskType != "i1" || inputs[3].broadcastGet({batch, head, t, s}) != 0;
}

double AttentionTensors::score(int64_t batch, int64_t head, int64_t t,
                               int64_t s) const {
  int64_t group = head / (c.heads / c.keyHeads);
  double sum = 0;
  for (int64_t d = 0; d != c.depth; ++d) {
    sum += inputs[0].broadcastGet({batch, head, t, d}) *
           inputs[1].broadcastGet({batch, group, s, d});
  }
  sum *= c.scale != 0 ? c.scale : 1 / std::sqrt(double(c.depth));
  if (c.softCap != 0) {
    sum = c.softCap * std::tanh(sum / c.softCap);
  }
  bool adds = !c.maskType.empty() && c.maskType != "i1";
  return adds ? sum + inputs[3].broadcastGet({batch, head, t, s}) : sum;
}

void AttentionTensors::checkRow(int64_t batch, int64_t head, int64_t t) const {
  int64_t group = head / (c.heads / c.keyHeads);
  double greatest = -HUGE_VAL, largest = 0, total = 0;
  std::vector<double> scores(size_t(c.keys), -HUGE_VAL);
  for (int64_t s = 0; s != c.keys; ++s) {
    if (sees(batch, head, t, s)) {
      scores[size_t(s)] = score(batch, head, t, s);
      greatest = std::max(greatest, scores[size_t(s)]);
      if (std::isfinite(scores[size_t(s)])) {
        largest = std::max(largest, std::fabs(scores[size_t(s)]));
      }
    }
  }
  std::vector<double> want(size_t(c.valueDepth)), sizes(want);
  for (int64_t s = 0; s != c.keys; ++s) {
    if (scores[size_t(s)] == -HUGE_VAL) {
      continue;
    }
    double weight = std::exp(scores[size_t(s)] - greatest);
    total += weight;
    for (int64_t e = 0; e != c.valueDepth; ++e) {
      double term = weight * inputs[2].broadcastGet({batch, group, s, e});
      want[size_t(e)] += term;
      sizes[size_t(e)] += std::fabs(term);
    }
  }
  // What scores are off by, and the sums.
  double slack = 2e-6 * (2 + largest);
  // Tiles multiply weights of bf16.
  double weightRoundoff = c.dtype == "bf16" ? 0x1p-9 : 0;
  int64_t row = (batch * c.heads + head) * c.rows + t;
  for (int64_t e = 0; e != c.valueDepth; ++e) {
    double value = total == 0 ? 0 : want[size_t(e)] / total;
    ASSERT_NEAR(results[0].get(row * c.valueDepth + e), value,
                total == 0
                    ? 0
                    : std::fabs(value) * results[0].roundoff() +
                          sizes[size_t(e)] / total * weightRoundoff + slack)
        << "batch " << batch << " head " << head << " row " << t << " element "
        << e;
  }
  if (c.hasLogSumExp && total == 0) {
    ASSERT_EQ(results[1].get(row), -HUGE_VAL);
  } else if (c.hasLogSumExp) {
    ASSERT_NEAR(results[1].get(row), greatest + std::log(total), slack);
  }
}

void AttentionTensors::check() const {
  for (int64_t b = 0; b != c.batch; ++b) {
    for (int64_t h = 0; h != c.heads; ++h) {
      for (int64_t t = 0; t != c.rows; ++t) {
        checkRow(b, h, t);
        if (testing::Test::HasFatalFailure()) {
          return;
        }
      }
    }
  }
}

} // namespace minic::cpu
