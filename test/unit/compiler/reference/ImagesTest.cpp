// SPDX-License-Identifier: Apache-2.0
//
// pool2d, resize, pads by what is there and conv_transpose2d against plain
// loops that know nothing of the dialect's geometry; their bounds; NaN.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace minic::reference {
namespace {

using testing::ElementsAre;
using testing::Gt;

std::string tensorOf(const std::vector<int64_t> &dims) {
  std::string text = "tensor<";
  for (int64_t dim : dims) {
    text += std::to_string(dim) + "x";
  }
  return text + "f32>";
}

std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values) {
    text += (text.empty() ? "array<i64: " : ", ") + std::to_string(value);
  }
  return text + ">";
}

class ImagesTest : public ReferenceTest {
protected:
  /// The only result of an op on images whose types are "input -> result".
  runtime::ExpectedOutput evaluate(const std::string &op,
                                   const std::vector<int64_t> &from,
                                   const std::vector<int64_t> &to,
                                   const std::vector<float> &x) {
    std::string text = "func.func @f(%0: " + tensorOf(from) + ") -> " +
                       tensorOf(to) + " {\n%1 = " + op + " : " +
                       tensorOf(from) + " -> " + tensorOf(to) +
                       "\nreturn %1 : " + tensorOf(to) + "\n}";
    auto results = evaluateText(text, {x});
    EXPECT_EQ(results.size(), 1u) << error << text;
    return results.empty() ? runtime::ExpectedOutput() : results[0];
  }

  void expectNear(const runtime::ExpectedOutput &result,
                  const std::vector<double> &expected) {
    ASSERT_EQ(result.values.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(result.values[i], expected[i], 1e-12) << "element " << i;
    }
  }
};

//===----------------------------------------------------------------------===//
// pool2d
//===----------------------------------------------------------------------===//

/// One plane; every result from the definition alone.
std::vector<double> pooled(const std::vector<float> &x, int64_t h, int64_t w,
                           int64_t p, int64_t q, int64_t window, int64_t stride,
                           int64_t pad, const std::string &kind,
                           bool countsPads) {
  std::vector<double> result;
  for (int64_t i = 0; i < p; ++i) {
    for (int64_t j = 0; j < q; ++j) {
      double greatest = -HUGE_VAL, sum = 0;
      int64_t inside = 0, counted = 0;
      for (int64_t r = 0; r < window; ++r) {
        for (int64_t s = 0; s < window; ++s) {
          int64_t y = i * stride - pad + r, z = j * stride - pad + s;
          counted += y < h + pad && z < w + pad;
          if (y >= 0 && y < h && z >= 0 && z < w) {
            greatest = std::max(greatest, double(x[y * w + z]));
            sum += double(x[y * w + z]);
            ++inside;
          }
        }
      }
      result.push_back(kind == "max" ? greatest
                       : kind == "sum"
                           ? sum
                           : sum / double(countsPads ? counted : inside));
    }
  }
  return result;
}

TEST_F(ImagesTest, PoolsAreThoseOfPlainLoops) {
  std::vector<float> x = randomFloats(6 * 9, 3);
  for (std::string kind : {"max", "average", "sum"}) {
    for (bool countsPads : {false, true}) {
      std::string flags = countsPads ? ", count_pads" : "";
      auto result =
          evaluate("graph.pool2d " + kind +
                       ", %0 window = [3, 3] {strides = " + list({2, 2}) +
                       ", pads = " + list({1, 1, 1, 1}) + flags + "}",
                   {1, 1, 6, 9}, {1, 1, 3, 5}, x);
      expectNear(result, pooled(x, 6, 9, 3, 5, 3, 2, 1, kind, countsPads));
    }
  }
}

/// 6 rows in strides of 4: the second window of 3 reaches over the end.
TEST_F(ImagesTest, WindowsOfCeilModeCountOnlyWhatIsThere) {
  std::vector<float> x = randomFloats(6 * 6, 4);
  for (bool countsPads : {false, true}) {
    auto result =
        evaluate("graph.pool2d average, %0 window = [3, 3] "
                 "{ceil_mode, strides = " +
                     list({4, 4}) + (countsPads ? ", count_pads}" : "}"),
                 {1, 1, 6, 6}, {1, 1, 2, 2}, x);
    expectNear(result, pooled(x, 6, 6, 2, 2, 3, 4, 0, "average", countsPads));
  }
}

TEST_F(ImagesTest, LayoutsOfPoolsAgree) {
  std::vector<float> x = randomFloats(2 * 4 * 4, 5), turned(x.size());
  for (int64_t c = 0; c < 2; ++c) {
    for (int64_t i = 0; i < 16; ++i) {
      turned[i * 2 + c] = x[c * 16 + i];
    }
  }
  std::string op =
      "graph.pool2d max, %0 window = [2, 2] {strides = " + list({2, 2}) +
      ", layout = ";
  auto nchw = evaluate(op + "\"nchw\"}", {1, 2, 4, 4}, {1, 2, 2, 2}, x);
  auto nhwc = evaluate(op + "\"nhwc\"}", {1, 4, 4, 2}, {1, 2, 2, 2}, turned);
  for (int64_t c = 0; c < 2; ++c) {
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(nchw.values[c * 4 + i], nhwc.values[i * 2 + c]);
    }
  }
}

TEST_F(ImagesTest, MaximaAreExactAndNanWhereAnElementIs) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  float infinity = std::numeric_limits<float>::infinity();
  auto result = evaluate(
      "graph.pool2d max, %0 window = [1, 2] {strides = " + list({1, 2}) + "}",
      {1, 1, 1, 6}, {1, 1, 1, 3}, {nan, 1, -infinity, -infinity, 2, 3});
  EXPECT_TRUE(std::isnan(result.values[0]));
  EXPECT_EQ(result.values[1], -double(infinity));
  EXPECT_EQ(result.values[2], 3);
  EXPECT_THAT(result.tolerances, ElementsAre(0, 0, 0));
}

TEST_F(ImagesTest, BoundOfAnAverageIsOfItsElementsAlone) {
  auto result = evaluate("graph.pool2d average, %0 window = [2, 2]",
                         {1, 1, 2, 3}, {1, 1, 1, 2}, {1, 1, 1e6f, 1, 1, 1e6f});
  EXPECT_THAT(result.tolerances, ElementsAre(Gt(0), Gt(0)));
  EXPECT_LT(result.tolerances[0], 1e-5);
  EXPECT_GT(result.tolerances[1], 1e-2);
}

//===----------------------------------------------------------------------===//
// resize
//===----------------------------------------------------------------------===//

double placeOf(const std::string &rule, int64_t i, int64_t in, int64_t out) {
  if (rule == "half_pixel") {
    return (double(i) + 0.5) * double(in) / double(out) - 0.5;
  }
  if (rule == "align_corners") {
    return out == 1 ? 0 : double(i) * double(in - 1) / double(out - 1);
  }
  return double(i) * double(in) / double(out);
}

TEST_F(ImagesTest, ResizesAreThoseOfTheirRules) {
  for (std::string rule : {"half_pixel", "align_corners", "asymmetric"}) {
    for (auto [in, out] : {std::pair<int64_t, int64_t>{5, 10},
                           {5, 13},
                           {7, 3},
                           {4, 1},
                           {1, 6},
                           {8, 4}}) {
      std::vector<float> x = randomFloats(in, uint64_t(out));
      std::vector<double> nearest, linear;
      for (int64_t i = 0; i < out; ++i) {
        double at = placeOf(rule, i, in, out), last = double(in - 1);
        // A hair off keeps ties as they are meant; no other place is so near.
        double chosen = rule == "asymmetric" ? std::floor(at + 1e-9)
                                             : std::ceil(at - 0.5 - 1e-9);
        nearest.push_back(x[int64_t(std::clamp(chosen, 0.0, last))]);
        double inside = std::clamp(at, 0.0, last);
        auto first = int64_t(inside);
        double rest = inside - double(first);
        double second = x[std::min(first + 1, in - 1)];
        linear.push_back((1 - rest) * x[first] + rest * second);
      }
      std::string size = ", %0 to [1, " + std::to_string(out) + "]";
      expectNear(evaluate("graph.resize nearest " + rule + size, {1, 1, 1, in},
                          {1, 1, 1, out}, x),
                 nearest);
      expectNear(evaluate("graph.resize bilinear " + rule + size, {1, 1, 1, in},
                          {1, 1, 1, out}, x),
                 linear);
    }
  }
}

/// Both directions: the middle of four is their mean.
TEST_F(ImagesTest, BilinearWeighsHeightAndWidth) {
  auto result = evaluate("graph.resize bilinear align_corners, %0 to [3, 3]",
                         {1, 1, 2, 2}, {1, 1, 3, 3}, {1, 2, 3, 6});
  expectNear(result, {1, 1.5, 2, 2, 3, 4, 3, 4.5, 6});
  EXPECT_THAT(result.tolerances[4], Gt(0));
  EXPECT_LT(result.tolerances[4], 1e-5);
}

TEST_F(ImagesTest, InfinityBesideAWeightOfZeroIsUncertain) {
  float infinity = std::numeric_limits<float>::infinity();
  auto result = evaluate("graph.resize bilinear align_corners, %0 to [1, 5]",
                         {1, 1, 1, 3}, {1, 1, 1, 5}, {1, infinity, 2});
  EXPECT_EQ(result.values[1], double(infinity));
  EXPECT_EQ(result.tolerances[1], 0);
  EXPECT_EQ(result.tolerances[0], double(infinity)); // 1 * 1 + 0 * infinity
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

TEST_F(ImagesTest, PadsRepeatWhatIsThere) {
  expectNear(evaluate("graph.pad %0 before [0, 2] after [1, 2] {mode = "
                      "#graph.pad_mode<reflect>}",
                      {2, 3}, {3, 7}, {1, 2, 3, 4, 5, 6}),
             {3, 2, 1, 2, 3, 2, 1, 6, 5, 4, 5, 6, 5, 4, 3, 2, 1, 2, 3, 2, 1});
  expectNear(evaluate("graph.pad %0 before [0, 2] after [1, 1] {mode = "
                      "#graph.pad_mode<edge>}",
                      {1, 3}, {2, 6}, {1, 2, 3}),
             {1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3});
}

//===----------------------------------------------------------------------===//
// conv_transpose2d
//===----------------------------------------------------------------------===//

struct Transposed {
  int64_t c, h, w, k, r, s;
  int64_t stride = 1, pad = 0, dilation = 1, groups = 1, extra = 0;
  bool nhwc = false;

  int64_t p() const { return extent(h, r); }
  int64_t q() const { return extent(w, s); }
  int64_t extent(int64_t n, int64_t filter) const {
    return (n - 1) * stride - 2 * pad + (filter - 1) * dilation + extra + 1;
  }
  std::vector<int64_t> image(int64_t channels, int64_t height,
                             int64_t width) const {
    return nhwc ? std::vector<int64_t>{1, height, width, channels}
                : std::vector<int64_t>{1, channels, height, width};
  }
  size_t at(int64_t channels, int64_t height, int64_t width, int64_t channel,
            int64_t y, int64_t x) const {
    return size_t(nhwc ? (y * width + x) * channels + channel
                       : (channel * height + y) * width + x);
  }
};

/// Every input element adds its products to a window of the result.
std::vector<double> scattered(const Transposed &t, const std::vector<float> &x,
                              const std::vector<float> &f,
                              const std::vector<float> &bias) {
  int64_t perGroup = t.k / t.groups;
  std::vector<double> result(t.k * t.p() * t.q());
  for (int64_t k = 0; k < t.k; ++k) {
    for (int64_t y = 0; y < t.p(); ++y) {
      for (int64_t z = 0; z < t.q(); ++z) {
        result[t.at(t.k, t.p(), t.q(), k, y, z)] = bias[k];
      }
    }
  }
  for (int64_t c = 0; c < t.c; ++c) {
    int64_t group = c / (t.c / t.groups);
    for (int64_t h = 0; h < t.h; ++h) {
      for (int64_t w = 0; w < t.w; ++w) {
        double value = x[t.at(t.c, t.h, t.w, c, h, w)];
        for (int64_t k = 0; k < perGroup; ++k) {
          for (int64_t r = 0; r < t.r; ++r) {
            for (int64_t s = 0; s < t.s; ++s) {
              int64_t y = h * t.stride - t.pad + r * t.dilation;
              int64_t z = w * t.stride - t.pad + s * t.dilation;
              if (y >= 0 && y < t.p() && z >= 0 && z < t.q()) {
                double weight = f[((c * perGroup + k) * t.r + r) * t.s + s];
                result[t.at(t.k, t.p(), t.q(), group * perGroup + k, y, z)] +=
                    value * weight;
              }
            }
          }
        }
      }
    }
  }
  return result;
}

class TransposedTest : public ImagesTest,
                       public testing::WithParamInterface<Transposed> {};

TEST_P(TransposedTest, IsWhatScatteringGives) {
  for (bool nhwc : {false, true}) {
    Transposed t = GetParam();
    t.nhwc = nhwc;
    std::vector<float> x = randomFloats(t.c * t.h * t.w, 1);
    std::vector<float> f = randomFloats(t.c * t.k / t.groups * t.r * t.s, 2);
    std::vector<float> bias = randomFloats(t.k, 3);
    std::string result = tensorOf(t.image(t.k, t.p(), t.q()));
    std::string types = tensorOf(t.image(t.c, t.h, t.w)) + ", " +
                        tensorOf({t.c, t.k / t.groups, t.r, t.s}) + ", " +
                        tensorOf({t.k});
    std::string text =
        "func.func @f(%0: " + tensorOf(t.image(t.c, t.h, t.w)) +
        ", %1: " + tensorOf({t.c, t.k / t.groups, t.r, t.s}) +
        ", %2: " + tensorOf({t.k}) + ") -> " + result +
        " {\n%3 = graph.conv_transpose2d %0, %1, %2 {strides = " +
        list({t.stride, t.stride}) +
        ", pads = " + list({t.pad, t.pad, t.pad, t.pad}) +
        ", output_pads = " + list({t.extra, t.extra}) +
        ", dilations = " + list({t.dilation, t.dilation}) +
        ", groups = " + std::to_string(t.groups) + " : i64, layout = \"" +
        (nhwc ? "nhwc" : "nchw") + "\"} : (" + types + ") -> " + result +
        "\nreturn %3 : " + result + "\n}";
    auto got = evaluateText(text, {x, f, bias});
    ASSERT_EQ(got.size(), 1u) << error;
    expectNear(got[0], scattered(t, x, f, bias));
    EXPECT_LT(
        *std::max_element(got[0].tolerances.begin(), got[0].tolerances.end()),
        1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, TransposedTest,
    testing::Values(Transposed{2, 3, 4, 3, 2, 2, 2},
                    Transposed{2, 3, 4, 3, 3, 2, 1, 1},
                    Transposed{4, 3, 2, 6, 3, 3, 2, 1, 1, 2, 1},
                    Transposed{3, 2, 3, 3, 3, 1, 3, 0, 2, 3},
                    Transposed{1, 4, 4, 2, 4, 4, 2, 1}));

} // namespace
} // namespace minic::reference
