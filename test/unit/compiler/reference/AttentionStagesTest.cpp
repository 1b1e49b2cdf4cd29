// SPDX-License-Identifier: Apache-2.0
//
// attention and its stages mean the same: both by the float64 evaluator.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "dialects/graph/Graph.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace minic::reference {
namespace {

struct Shape {
  int heads = 2, groups = 2, queries = 17, keys = 17, size = 8, columns = 8;
};

/// What leaves out keys, or changes scores. In `mask`, B, H, T and S stand for
/// the extents.
struct Way {
  std::string mask, length, attributes;
};

const Way kWays[] = {
    {"", "", ""},
    {"", "", "causal = #graph.causal<upper_left>"},
    {"", "", "causal = #graph.causal<lower_right>, window = 5 : i64"},
    {"", "", "window = 3 : i64, scale = 0.5 : f64"},
    {"", "", "soft_cap = 0.5 : f64, scale = 1.0 : f64"},
    {"BxHxTxSxi1", "", ""},
    {"1x1xSxi1", "", "causal = #graph.causal<upper_left>"},
    {"TxSxi1", "", ""},
    {"HxTx1xi1", "", ""},
    {"Bx1x1xSxi1", "", ""},
    {"BxHx1xSxi1", "", ""},
    {"TxSxf32", "", "soft_cap = 2.0 : f64"},
    {"Bx1x1xSxf32", "", "causal = #graph.causal<lower_right>"},
    {"", "i32", ""},
    {"", "Bxi64", "causal = #graph.causal<lower_right>"},
    {"", "Bxi64", "causal = #graph.causal<upper_left>"},
    {"BxHxTxSxi1", "i64", "causal = #graph.causal<lower_right>"},
};

std::string replaceExtents(std::string mask, const Shape &shape) {
  auto replace = [&](char name, int extent) {
    if (size_t at = mask.find(name); at != std::string::npos) {
      mask.replace(at, 1, std::to_string(extent));
    }
  };
  replace('B', 2);
  replace('H', shape.heads);
  replace('T', shape.queries);
  replace('S', shape.keys);
  return mask;
}

class AttentionStagesTest : public ReferenceTest {
protected:
  void SetUp() override {
    for (uint32_t i = 0; i < 1 << 16; ++i) {
      // Mostly true; runs of false longer than a row.
      bits_.push_back(i * 2654435761u >> 30 != 0 && i % 97 > 18);
    }
    floats_ = randomFloats(1 << 16, 4, -2, 2);
    for (size_t i = 5; i < floats_.size(); i += 7) {
      floats_[i] = -HUGE_VALF;
    }
  }

  std::string text(const Shape &s, const Way &way) {
    auto tensor = [](int h, int t, int d) {
      return llvm::formatv("tensor<2x{0}x{1}x{2}xf32>", h, t, d).str();
    };
    std::string q = tensor(s.heads, s.queries, s.size);
    std::string k = tensor(s.groups, s.keys, s.size);
    std::string v = tensor(s.groups, s.keys, s.columns);
    std::string r = tensor(s.heads, s.queries, s.columns);
    std::string l =
        llvm::formatv("tensor<2x{0}x{1}xf32>", s.heads, s.queries).str();
    std::string arguments = "%q: " + q + ", %k: " + k + ", %v: " + v;
    std::string types = q + ", " + k + ", " + v, uses;
    auto add = [&](const char *name, const std::string &dims) {
      if (!dims.empty()) {
        std::string type = "tensor<" + replaceExtents(dims, s) + ">";
        arguments += std::string(", %") + name + ": " + type;
        types += ", " + type;
        uses += std::string(" ") + name + " %" + name;
      }
    };
    add("mask", way.mask);
    add("key_length", way.length);
    std::string more = way.attributes.empty() ? "" : ", " + way.attributes;
    return "func.func @main(" + arguments + ") -> (" + r + ", " + l +
           ") {\n%r, %l = graph.attention %q, %k, %v" + uses +
           " {with_log_sum_exp" + more + "} : (" + types + ") -> (" + r + ", " +
           l + ")\nreturn %r, %l : " + r + ", " + l + "\n}";
  }

  /// Evaluates both, on scores up to `spread`, and compares.
  void compare(const Shape &s, const Way &way, float spread) {
    std::vector<float> q =
        randomFloats(2 * s.heads * s.queries * s.size, 1, -spread, spread);
    std::vector<float> k = randomFloats(2 * s.groups * s.keys * s.size, 2);
    std::vector<float> v = randomFloats(2 * s.groups * s.keys * s.columns, 3);
    int32_t scalar = s.keys / 2;
    int64_t lengths[] = {s.keys - 1, 3}, one = s.keys / 2;
    Inputs inputs;
    inputs.arguments = {q.data(), k.data(), v.data()};
    if (!way.mask.empty()) {
      bool isBool = way.mask.back() == '1';
      inputs.arguments.push_back(isBool ? static_cast<void *>(bits_.data())
                                        : floats_.data());
    }
    if (!way.length.empty()) {
      inputs.arguments.push_back(way.length == "i32"   ? (void *)&scalar
                                 : way.length == "i64" ? (void *)&one
                                                       : (void *)lengths);
    }
    check(parse(text(s, way)), inputs);
  }

  void check(mlir::Block &body, const Inputs &inputs) {
    auto named = evaluate(body, inputs);
    mlir::Operation &first = body.front();
    mlir::OpBuilder builder(&first);
    auto stages =
        llvm::cast<graph::ExpandableOpInterface>(first).expand(builder);
    first.replaceAllUsesWith(stages);
    first.erase();
    auto expanded = evaluate(body, inputs);
    ASSERT_TRUE(succeeded(named) && succeeded(expanded)) << error;
    for (size_t i = 0; i < 2; ++i) {
      const auto &a = (*named)[i].values, &b = (*expanded)[i].values;
      ASSERT_EQ(a.size(), b.size());
      for (size_t j = 0; j < a.size(); ++j) {
        if (std::isinf((*named)[i].tolerances[j])) {
          continue; // of a key that takes part and is not finite
        }
        if (std::isfinite(a[j])) {
          ASSERT_NEAR(a[j], b[j], 1e-6 * (1 + std::abs(a[j]))) << j;
        } else {
          ASSERT_TRUE(a[j] == b[j] || (std::isnan(a[j]) && std::isnan(b[j])))
              << j << ": " << a[j] << " and " << b[j];
        }
      }
    }
  }

  std::vector<uint8_t> bits_;
  std::vector<float> floats_;
};

TEST_F(AttentionStagesTest, MeanWhatTheOpMeans) {
  const Shape shapes[] = {
      {2, 2, 17, 17, 8, 8}, {4, 2, 1, 77, 8, 40}, {1, 1, 17, 1, 40, 8},
      {6, 2, 3, 17, 8, 8},  {4, 1, 1, 17, 40, 1}, {2, 2, 1, 1, 1, 1},
  };
  for (const Shape &shape : shapes) {
    for (const Way &way : kWays) {
      for (float spread : {1.0f, 40.0f}) {
        SCOPED_TRACE(text(shape, way));
        compare(shape, way, spread);
      }
    }
  }
  compare({1, 1, 77, 77, 40, 40}, kWays[1], 1);
  compare({2, 1, 77, 77, 8, 8}, kWays[5], 40);
}

// NaN and infinity in the key and the value of position 2, which queries 0 and
// 1 do not see.
TEST_F(AttentionStagesTest, KeysLeftOutDoNotReachTheResult) {
  std::vector<float> q(2 * 2 * 3 * 2, 1), k(2 * 2 * 3 * 2, 1), v(k);
  for (int head = 0; head < 4; ++head) {
    k[head * 6 + 4] = std::nanf("");
    v[head * 6 + 4] = head % 2 ? std::nanf("") : HUGE_VALF;
  }
  Inputs inputs;
  inputs.arguments = {q.data(), k.data(), v.data()};
  Way causal{"", "", "causal = #graph.causal<upper_left>"};
  check(parse(text({2, 2, 3, 3, 2, 2}, causal)), inputs);
  int32_t length = 2;
  inputs.arguments.push_back(&length);
  check(parse(text({2, 2, 3, 3, 2, 2}, {"", "i32", ""})), inputs);
}

TEST_F(AttentionStagesTest, NoKeys) {
  compare({2, 2, 3, 0, 8, 4}, kWays[0], 1);
  Way none{"", "i32", ""};
  Shape shape{2, 1, 3, 1, 8, 4}; // the length is 1 / 2
  compare(shape, none, 1);
}

} // namespace
} // namespace minic::reference
