// SPDX-License-Identifier: Apache-2.0
//
// Random chains of pointwise ops, computed in float32 as kernels do: fused
// (rounded at the end) or op by op (rounded to the declared dtype each time),
// are always within the bound, overflow and NaN included.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace minic::reference {
namespace {

struct Op {
  const char *name;
  const char *attributes;
  std::function<float(float, float)> compute;
  bool isBinary = false;
};

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

float larger(float x, float y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y);
}

const std::vector<Op> &ops() {
  static const std::vector<Op> list = {
      {"add", "", std::plus<>(), true},
      {"sub", "", std::minus<>(), true},
      {"mul", "", std::multiplies<>(), true},
      {"div", "", std::divides<>(), true},
      {"max", "", larger, true},
      {"min", "", [](float x, float y) { return -larger(-x, -y); }, true},
      {"neg", "", [](float x, float) { return -x; }},
      {"abs", "", [](float x, float) { return std::fabs(x); }},
      {"exp", "", [](float x, float) { return std::exp(x); }},
      {"log", "", [](float x, float) { return std::log(x); }},
      {"sqrt", "", [](float x, float) { return std::sqrt(x); }},
      {"rsqrt", "", [](float x, float) { return 1 / std::sqrt(x); }},
      {"tanh", "", [](float x, float) { return std::tanh(x); }},
      {"erf", "", [](float x, float) { return std::erf(x); }},
      {"sigmoid", "", [](float x, float) { return sigmoid(x); }},
      {"relu", "", [](float x, float) { return x < 0 ? 0 : x; }},
      {"silu", "", [](float x, float) { return x * sigmoid(x); }},
      {"hard_swish", "",
       [](float x, float) {
         float gate = x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3;
         return x * (gate * (1.0f / 6));
       }},
      {"leaky_relu", " {alpha = 0.1 : f64}",
       [](float x, float) { return x < 0 ? 0.1f * x : x; }},
      {"clamp", " {lower = -1.1 : f64, upper = 2.3 : f64}",
       [](float x, float) { return x < -1.1f  ? -1.1f
                                   : x > 2.3f ? 2.3f
                                              : x; }},
      {"gelu", "",
       [](float x, float) {
         return 0.5f * x * (1 + std::erf(x * 0.70710678f));
       }},
      {"gelu", " {approximate = #graph.approximation<tanh>}",
       [](float x, float) {
         return 0.5f * x *
                (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
       }}};
  return list;
}

/// A chain over x and y; step i computes value i + 2 from earlier values.
struct Chain {
  struct Step {
    const Op *op;
    size_t lhs, rhs;
  };
  std::vector<Step> steps;

  Chain(uint64_t seed, size_t length) {
    std::mt19937_64 generator(seed);
    for (size_t i = 0; i < length; ++i) {
      size_t values = i + 2;
      // The last value goes on most of the time.
      size_t lhs = generator() % 4 ? values - 1 : generator() % values;
      steps.push_back(
          {&ops()[generator() % ops().size()], lhs, generator() % values});
    }
  }

  std::string text(const std::string &type) const {
    std::string text = "func.func @main(%v0: " + type + ", %v1: " + type +
                       ") -> " + type + " {\n";
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step &step = steps[i];
      text += "%v" + std::to_string(i + 2) + " = graph." + step.op->name +
              " %v" + std::to_string(step.lhs);
      text += step.op->isBinary
                  ? ", %v" + std::to_string(step.rhs) + " : (" + type + ", " +
                        type + ") -> " + type
                  : std::string(step.op->attributes) + " : " + type;
      text += "\n";
    }
    return text + "return %v" + std::to_string(steps.size() + 1) + " : " +
           type + "}";
  }

  float compute(float x, float y,
                const std::function<float(float)> &store) const {
    std::vector<float> values = {x, y};
    for (const Step &step : steps) {
      values.push_back(
          store(step.op->compute(values[step.lhs], values[step.rhs])));
    }
    return values.back();
  }
};

class ChainTest : public ReferenceTest {};

constexpr size_t kElements = 200;

int64_t countUnbounded(const runtime::ExpectedOutput &output) {
  return llvm::count_if(output.tolerances,
                        [](double t) { return std::isinf(t); });
}

TEST_F(ChainTest, Float32) {
  int64_t unbounded = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Chain chain(seed, 1 + seed % 7);
    auto x = randomFloats(kElements, seed, -4, 4);
    auto y = randomFloats(kElements, seed + 1000, -4, 4);
    auto output = evaluateText(chain.text("tensor<200xf32>"), {x, y})[0];
    unbounded += countUnbounded(output);
    std::vector<float> got;
    for (size_t i = 0; i < kElements; ++i) {
      got.push_back(chain.compute(x[i], y[i], [](float v) { return v; }));
    }
    EXPECT_EQ(countMismatches(output, got), 0) << chain.text("tensor<200xf32>");
  }
  // "Anything" is the exception: at poles and at the edge of overflow.
  EXPECT_LT(unbounded, 300 * 200 / 50);
}

TEST_F(ChainTest, Bfloat16) {
  int64_t unbounded = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Chain chain(seed, 1 + seed % 7);
    auto x = toBf16(randomFloats(kElements, seed, -4, 4));
    auto y = toBf16(randomFloats(kElements, seed + 1000, -4, 4));
    Inputs inputs;
    inputs.arguments = {x.data(), y.data()};
    auto outputs = evaluate(parse(chain.text("tensor<200xbf16>")), inputs);
    ASSERT_TRUE(mlir::succeeded(outputs)) << error;
    unbounded += countUnbounded((*outputs)[0]);
    std::vector<float> fused, stepwise;
    for (size_t i = 0; i < kElements; ++i) {
      float a = fromBf16(x[i]), b = fromBf16(y[i]);
      fused.push_back(
          roundToBf16(chain.compute(a, b, [](float v) { return v; })));
      stepwise.push_back(chain.compute(a, b, roundToBf16));
    }
    EXPECT_EQ(countMismatches((*outputs)[0], fused), 0)
        << chain.text("tensor<200xbf16>");
    EXPECT_EQ(countMismatches((*outputs)[0], stepwise), 0)
        << chain.text("tensor<200xbf16>");
  }
  EXPECT_LT(unbounded, 300 * 200 / 50);
}

} // namespace
} // namespace minic::reference
