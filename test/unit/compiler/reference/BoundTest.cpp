// SPDX-License-Identifier: Apache-2.0
//
// The bound accepts float32 and bf16 kernels in any summation order, on random
// and on structured data, fused or not; and it rejects kernels that are wrong.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace minic::reference {
namespace {

/// A float32 sum of products a[i] * b[i].
using Dot = std::function<float(const std::vector<float> &a,
                                const std::vector<float> &b)>;

float fmaInOrder(const std::vector<float> &a, const std::vector<float> &b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum = std::fma(a[i], b[i], sum);
  }
  return sum;
}

float productsInOrder(const std::vector<float> &a,
                      const std::vector<float> &b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    volatile float product = a[i] * b[i];
    sum += product;
  }
  return sum;
}

float sixteenLanes(const std::vector<float> &a, const std::vector<float> &b) {
  float lanes[16] = {};
  for (size_t i = 0; i < a.size(); ++i) {
    lanes[i % 16] = std::fma(a[i], b[i], lanes[i % 16]);
  }
  return std::accumulate(lanes, lanes + 16, 0.0f);
}

/// All positive products first: partial sums are as large as they can be.
float positiveFirst(const std::vector<float> &a, const std::vector<float> &b) {
  float sum = 0;
  for (bool positive : {true, false}) {
    for (size_t i = 0; i < a.size(); ++i) {
      if ((a[i] * b[i] > 0) == positive) {
        sum = std::fma(a[i], b[i], sum);
      }
    }
  }
  return sum;
}

float shuffled(const std::vector<float> &a, const std::vector<float> &b) {
  std::vector<size_t> order(a.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::shuffle(order.begin(), order.end(), std::mt19937(a.size()));
  float sum = 0;
  for (size_t i : order) {
    sum = std::fma(a[i], b[i], sum);
  }
  return sum;
}

/// x [m, k] times transposed w [n, k], plus b.
std::vector<float> linear(const std::vector<float> &x,
                          const std::vector<float> &w,
                          const std::vector<float> &b, int64_t k,
                          const Dot &dot) {
  int64_t n = b.size(), m = x.size() / k;
  std::vector<float> y(m * n);
  for (int64_t i = 0; i < m; ++i) {
    std::vector<float> row(x.begin() + i * k, x.begin() + (i + 1) * k);
    for (int64_t j = 0; j < n; ++j) {
      std::vector<float> column(w.begin() + j * k, w.begin() + (j + 1) * k);
      y[i * n + j] = dot(row, column) + b[j];
    }
  }
  return y;
}

std::vector<float> map(std::vector<float> x,
                       const std::function<float(float)> &f) {
  std::transform(x.begin(), x.end(), x.begin(), f);
  return x;
}

float relu(float x) { return x < 0 ? 0 : x; }

class BoundTest : public ReferenceTest {
protected:
  std::string linearText(int64_t m, int64_t n, int64_t k,
                         const std::string &epilogue = "") {
    auto type = [](std::initializer_list<int64_t> dims) {
      std::string text = "tensor<";
      for (int64_t dim : dims) {
        text += std::to_string(dim) + "x";
      }
      return text + "f32>";
    };
    std::string x = type({m, k}), w = type({n, k}), b = type({n}),
                y = type({m, n});
    return "func.func @main(%x: " + x + ", %w: " + w + ", %b: " + b + ") -> " +
           y + " { %0 = graph.linear %x, %w, %b : (" + x + ", " + w + ", " + b +
           ") -> " + y + "\n" +
           (epilogue.empty()
                ? "return %0 : " + y
                : "%1 = " + epilogue + " : " + y + "\nreturn %1 : " + y) +
           "}";
  }
};

std::vector<float> initialWeights(int64_t n, int64_t k, uint64_t seed) {
  float scale = 1 / std::sqrt(float(k));
  return randomFloats(n * k, seed, -scale, scale);
}

TEST_F(BoundTest, AcceptsEverySummationOrder) {
  constexpr int64_t m = 4, n = 16;
  for (int64_t k : {1, 3, 17, 64, 1000, 4096}) {
    struct Data {
      const char *name;
      std::vector<float> x, w;
    };
    std::vector<Data> sets = {
        {"random", randomFloats(m * k, 1), initialWeights(n, k, 2)},
        {"positive", randomFloats(m * k, 3, 0, 1),
         randomFloats(n * k, 4, 0, 1)},
        {"constant", std::vector<float>(m * k, 0.1f),
         std::vector<float>(n * k, 0.7f)},
        {"after relu", map(randomFloats(m * k, 5), relu),
         initialWeights(n, k, 6)},
        {"offset", randomFloats(m * k, 7, 0.9f, 1), randomFloats(n * k, 8)}};
    for (const Data &data : sets) {
      std::vector<float> b = randomFloats(n, 9);
      auto output = evaluateText(linearText(m, n, k), {data.x, data.w, b})[0];
      for (const Dot &dot :
           {Dot(fmaInOrder), Dot(productsInOrder), Dot(sixteenLanes),
            Dot(positiveFirst), Dot(shuffled)}) {
        EXPECT_EQ(countMismatches(output, linear(data.x, data.w, b, k, dot)), 0)
            << data.name << " k=" << k;
      }
    }
  }
}

struct Problem {
  int64_t m = 4, n = 64, k = 1024;
  std::vector<float> x = randomFloats(m * k, 11);
  std::vector<float> w = initialWeights(n, k, 12);
  std::vector<float> b = randomFloats(n, 13);
};

TEST_F(BoundTest, RejectsOneDroppedProduct) {
  Problem p;
  auto output = evaluateText(linearText(p.m, p.n, p.k), {p.x, p.w, p.b})[0];
  for (size_t dropped : {0, 511, 1023}) {
    Dot dot = [&](std::vector<float> a, const std::vector<float> &b) {
      a[dropped] = 0;
      return fmaInOrder(a, b);
    };
    int64_t mismatches =
        countMismatches(output, linear(p.x, p.w, p.b, p.k, dot));
    EXPECT_GT(mismatches, p.m * p.n * 9 / 10);
  }
}

TEST_F(BoundTest, RejectsReducedPrecisionOperands) {
  Problem p;
  auto output = evaluateText(linearText(p.m, p.n, p.k), {p.x, p.w, p.b})[0];
  auto tf32 = [](float x) {
    uint32_t bits = std::bit_cast<uint32_t>(x) + 0x1000;
    return std::bit_cast<float>(bits & 0xffffe000);
  };
  EXPECT_GT(countMismatches(output, linear(map(p.x, tf32), map(p.w, tf32), p.b,
                                           p.k, fmaInOrder)),
            p.m * p.n / 4);
  EXPECT_GT(countMismatches(output,
                            linear(map(p.x, roundToBf16), map(p.w, roundToBf16),
                                   p.b, p.k, fmaInOrder)),
            p.m * p.n * 8 / 10);
}

TEST_F(BoundTest, AcceptsTf32WhereItIsAllowed) {
  auto nearest = [](float x) {
    uint32_t bits = std::bit_cast<uint32_t>(x) + 0x1000;
    return std::bit_cast<float>(bits & 0xffffe000);
  };
  auto dropped = [](float x) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffffe000);
  };
  for (int64_t k : {1, 3, 64, 1024}) {
    Problem p;
    p.x = randomFloats(p.m * k, 21);
    p.w = initialWeights(p.n, k, 22);
    auto output = evaluateText(
        "module attributes {kernel.float32_precision = \"tf32\"} {" +
            linearText(p.m, p.n, k) + "}",
        {p.x, p.w, p.b})[0];
    for (const auto &round : {std::function<float(float)>(nearest),
                              std::function<float(float)>(dropped)}) {
      EXPECT_EQ(countMismatches(output, linear(map(p.x, round), map(p.w, round),
                                               p.b, k, fmaInOrder)),
                0)
          << "k=" << k;
    }
    if (k == 1024) {
      EXPECT_GT(countMismatches(output, linear(map(p.x, roundToBf16),
                                               map(p.w, roundToBf16), p.b, k,
                                               fmaInOrder)),
                p.m * p.n / 20);
      Dot oneLess = [](std::vector<float> a, const std::vector<float> &b) {
        a[17] = 0;
        return fmaInOrder(a, b);
      };
      EXPECT_GT(countMismatches(output, linear(p.x, p.w, p.b, k, oneLess)),
                p.m * p.n / 2);
    }
  }
}

TEST_F(BoundTest, RejectsTheNeighbouringColumn) {
  Problem p;
  auto output = evaluateText(linearText(p.m, p.n, p.k), {p.x, p.w, p.b})[0];
  std::vector<float> y = linear(p.x, p.w, p.b, p.k, fmaInOrder);
  std::rotate(y.begin(), y.begin() + 1, y.end());
  EXPECT_GT(countMismatches(output, y), p.m * p.n * 99 / 100);
}

TEST_F(BoundTest, RejectsAMissingRelu) {
  Problem p;
  auto output = evaluateText(linearText(p.m, p.n, p.k, "graph.relu %0"),
                             {p.x, p.w, p.b})[0];
  std::vector<float> y = linear(p.x, p.w, p.b, p.k, fmaInOrder);
  EXPECT_EQ(countMismatches(output, map(y, relu)), 0);
  int64_t negative =
      std::count_if(y.begin(), y.end(), [](float v) { return v < -1e-4f; });
  EXPECT_GE(countMismatches(output, y), negative);
}

TEST_F(BoundTest, TellsTheTwoGelusApart) {
  Problem p;
  p.w = initialWeights(p.n, p.k / 16, 12); // four times larger: |y| up to 4
  p.w.resize(p.n * p.k);
  for (int64_t i = p.n * p.k / 16; i < p.n * p.k; ++i) {
    p.w[i] = p.w[i % (p.n * p.k / 16)];
  }
  auto output = evaluateText(linearText(p.m, p.n, p.k, "graph.gelu %0"),
                             {p.x, p.w, p.b})[0];
  std::vector<float> y = linear(p.x, p.w, p.b, p.k, fmaInOrder);
  auto exact = map(
      y, [](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); });
  auto tanhForm = map(y, [](float x) {
    return 0.5f * x *
           (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
  });
  EXPECT_EQ(countMismatches(output, exact), 0);
  EXPECT_GT(countMismatches(output, tanhForm), 0);
}

/// Three layers with relu between, 128 wide; `dtype` f32 or bf16.
std::string deepText(const std::string &dtype) {
  std::string x = "tensor<16x128x" + dtype + ">";
  std::string w = "tensor<128x128x" + dtype + ">";
  std::string b = "tensor<128x" + dtype + ">";
  std::string text = "func.func @main(%h0: " + x;
  for (int layer : {1, 2, 3}) {
    std::string i = std::to_string(layer);
    text += ", %w" + i + ": " + w + ", %b" + i + ": " + b;
  }
  text += ") -> " + x + " {\n";
  for (int layer : {1, 2, 3}) {
    std::string i = std::to_string(layer), previous = std::to_string(layer - 1);
    text += "%l" + i + " = graph.linear %h" + previous + ", %w" + i + ", %b" +
            i + " : (" + x + ", " + w + ", " + b + ") -> " + x + "\n%h" + i +
            " = graph.relu %l" + i + " : " + x + "\n";
  }
  return text + "return %h3 : " + x + "}";
}

struct DeepModel {
  std::vector<std::vector<float>> arguments;
  explicit DeepModel(uint64_t seed, bool isBf16) {
    arguments = {randomFloats(16 * 128, seed)};
    for (int layer : {1, 2, 3}) {
      arguments.push_back(initialWeights(128, 128, seed + 10 * layer));
      arguments.push_back(randomFloats(128, seed + 10 * layer + 1));
    }
    if (isBf16) {
      for (std::vector<float> &argument : arguments) {
        argument = map(argument, roundToBf16);
      }
    }
  }
  /// `store` is applied to what a kernel writes to memory.
  std::vector<float> run(const Dot &dot,
                         const std::function<float(float)> &store, bool isFused,
                         bool dropsRelu = false) const {
    std::vector<float> h = arguments[0];
    for (int layer = 0; layer < 3; ++layer) {
      h = linear(h, arguments[1 + 2 * layer], arguments[2 + 2 * layer], 128,
                 dot);
      if (!isFused) {
        h = map(h, store);
      }
      if (!(dropsRelu && layer == 1)) {
        h = map(h, relu);
      }
      h = map(h, store);
    }
    return h;
  }
};

TEST_F(BoundTest, WholeModelInFloat32) {
  auto keep = [](float x) { return x; };
  for (uint64_t seed : {1, 2, 3}) {
    DeepModel model(seed, false);
    auto output = evaluateText(deepText("f32"), model.arguments)[0];
    for (const Dot &dot : {Dot(fmaInOrder), Dot(positiveFirst)}) {
      EXPECT_EQ(countMismatches(output, model.run(dot, keep, true)), 0);
    }
    EXPECT_GT(countMismatches(output, model.run(fmaInOrder, roundToBf16, true)),
              200);
  }
}

TEST_F(BoundTest, WholeModelInBfloat16FusedAndNot) {
  for (uint64_t seed : {4, 5, 6}) {
    DeepModel model(seed, true);
    std::vector<std::vector<uint16_t>> storage;
    for (const std::vector<float> &argument : model.arguments) {
      storage.push_back(toBf16(argument));
    }
    Inputs inputs;
    for (const std::vector<uint16_t> &bytes : storage) {
      inputs.arguments.push_back(bytes.data());
    }
    auto outputs = evaluate(parse(deepText("bf16")), inputs);
    ASSERT_TRUE(mlir::succeeded(outputs)) << error;
    for (bool isFused : {false, true}) {
      EXPECT_EQ(countMismatches((*outputs)[0],
                                model.run(fmaInOrder, roundToBf16, isFused)),
                0);
    }
    // Still sharp after three layers of bf16: a relu left out shows.
    EXPECT_GT(countMismatches((*outputs)[0],
                              model.run(fmaInOrder, roundToBf16, true, true)),
              500);
  }
}

/// 1 / ((x + y) - x), whose divisor may be zero as far as f32 goes.
TEST_F(BoundTest, UnboundedElementsKeepTheirValueWhereItIsAskedFor) {
  const char *text = R"(
    func.func @main(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
      %0 = graph.add %x, %y : tensor<1xf32>
      %1 = graph.sub %0, %x : tensor<1xf32>
      %2 = graph.div %y, %1 : tensor<1xf32>
      return %2 : tensor<1xf32>
    })";
  auto plain = evaluateText(text, {{1e8f}, {0.5f}});
  EXPECT_EQ(plain[0].values[0], 0);
  EXPECT_TRUE(std::isinf(plain[0].tolerances[0]));
  EvaluationOptions options;
  options.fillsUnbounded = true;
  auto filled = evaluateText(text, {{1e8f}, {0.5f}}, options);
  EXPECT_EQ(filled[0].values[0], 1);
  EXPECT_TRUE(std::isinf(filled[0].tolerances[0]));
}

} // namespace
} // namespace minic::reference
