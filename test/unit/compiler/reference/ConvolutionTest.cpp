// SPDX-License-Identifier: Apache-2.0
//
// conv2d against plain loops in both layouts; its bound; pads beside
// infinities; demanded rows.

#include "test/unit/compiler/reference/ReferenceTest.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::reference {
namespace {

using testing::ElementsAre;
using testing::Gt;

struct Conv {
  int64_t n, c, h, w, k, r, s;
  int64_t strideH = 1, strideW = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  int64_t dilationH = 1, dilationW = 1, groups = 1;
  bool nhwc = false;

  int64_t p() const {
    return (h + top + bottom - dilationH * (r - 1) - 1) / strideH + 1;
  }
  int64_t q() const {
    return (w + left + right - dilationW * (s - 1) - 1) / strideW + 1;
  }
  std::string image(int64_t channels, int64_t height, int64_t width) const {
    std::vector<int64_t> dims{n, channels, height, width};
    if (nhwc) {
      dims = {n, height, width, channels};
    }
    std::string text = "tensor<";
    for (int64_t dim : dims) {
      text += std::to_string(dim) + "x";
    }
    return text + "f32>";
  }
  std::string inputType() const { return image(c, h, w); }
  std::string resultType() const { return image(k, p(), q()); }
  std::string filterType() const {
    return "tensor<" + std::to_string(k) + "x" + std::to_string(c / groups) +
           "x" + std::to_string(r) + "x" + std::to_string(s) + "xf32>";
  }
  std::string op(const std::string &operands, bool bias) const {
    auto list = [](std::initializer_list<int64_t> values) {
      std::string text;
      for (int64_t value : values) {
        text += (text.empty() ? "array<i64: " : ", ") + std::to_string(value);
      }
      return text + ">";
    };
    return "graph.conv2d " + operands +
           " {strides = " + list({strideH, strideW}) +
           ", pads = " + list({top, left, bottom, right}) +
           ", dilations = " + list({dilationH, dilationW}) +
           ", groups = " + std::to_string(groups) + " : i64, layout = \"" +
           (nhwc ? "nhwc" : "nchw") + "\"} : (" + inputType() + ", " +
           filterType() +
           (bias ? ", tensor<" + std::to_string(k) + "xf32>" : "") + ") -> " +
           resultType();
  }
  std::string function() const {
    return "func.func @main(%x: " + inputType() + ", %f: " + filterType() +
           ", %b: tensor<" + std::to_string(k) + "xf32>) -> " + resultType() +
           " { %0 = " + op("%x, %f, %b", true) +
           " return %0 : " + resultType() + " }";
  }

  int64_t inputAt(int64_t i, int64_t channel, int64_t y, int64_t x) const {
    return nhwc ? ((i * h + y) * w + x) * c + channel
                : ((i * c + channel) * h + y) * w + x;
  }
  int64_t resultAt(int64_t i, int64_t channel, int64_t y, int64_t x) const {
    return nhwc ? ((i * p() + y) * q() + x) * k + channel
                : ((i * k + channel) * p() + y) * q() + x;
  }

  /// The definition, summed in T.
  template <typename T>
  std::vector<T> direct(const std::vector<float> &input,
                        const std::vector<float> &filter,
                        const std::vector<float> &bias) const {
    std::vector<T> result(n * k * p() * q());
    int64_t perGroup = c / groups;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t o = 0; o < k; ++o) {
        for (int64_t y = 0; y < p(); ++y) {
          for (int64_t x = 0; x < q(); ++x) {
            T sum = bias[o];
            for (int64_t e = 0; e < perGroup * r * s; ++e) {
              int64_t channel = e / (r * s);
              int64_t inY = y * strideH - top + e / s % r * dilationH;
              int64_t inX = x * strideW - left + e % s * dilationW;
              if (inY < 0 || inY >= h || inX < 0 || inX >= w) {
                continue;
              }
              int64_t from = o / (k / groups) * perGroup + channel;
              sum += T(input[inputAt(i, from, inY, inX)]) *
                     filter[o * perGroup * r * s + e];
            }
            result[resultAt(i, o, y, x)] = sum;
          }
        }
      }
    }
    return result;
  }
};

const Conv awkward[] = {
    {.n = 1, .c = 1, .h = 1, .w = 1, .k = 1, .r = 1, .s = 1},
    {.n = 2, .c = 3, .h = 5, .w = 7, .k = 4, .r = 1, .s = 1},
    {.n = 2,
     .c = 5,
     .h = 6,
     .w = 9,
     .k = 7,
     .r = 3,
     .s = 3,
     .strideH = 2,
     .strideW = 1,
     .top = 1,
     .left = 2,
     .bottom = 0,
     .right = 1},
    {.n = 1,
     .c = 6,
     .h = 11,
     .w = 8,
     .k = 4,
     .r = 3,
     .s = 2,
     .top = 3,
     .left = 1,
     .bottom = 2,
     .right = 4,
     .dilationH = 2,
     .dilationW = 3,
     .groups = 2},
    {.n = 3,
     .c = 6,
     .h = 4,
     .w = 4,
     .k = 12,
     .r = 3,
     .s = 3,
     .top = 1,
     .left = 1,
     .bottom = 1,
     .right = 1,
     .groups = 6},
    // Taps beyond a block of the product, pixels beyond what is done at once.
    {.n = 2,
     .c = 40,
     .h = 23,
     .w = 23,
     .k = 9,
     .r = 7,
     .s = 7,
     .top = 3,
     .left = 3,
     .bottom = 3,
     .right = 3},
    // Every product of the corners is of pads.
    {.n = 1,
     .c = 2,
     .h = 1,
     .w = 1,
     .k = 3,
     .r = 1,
     .s = 1,
     .top = 2,
     .left = 1,
     .bottom = 1,
     .right = 1},
};

class ConvolutionTest : public ReferenceTest {};

TEST_F(ConvolutionTest, IsItsDefinition) {
  for (Conv conv : awkward) {
    for (bool nhwc : {false, true}) {
      conv.nhwc = nhwc;
      auto x = randomFloats(conv.n * conv.c * conv.h * conv.w, 1),
           f = randomFloats(conv.k * conv.c / conv.groups * conv.r * conv.s, 2),
           b = randomFloats(conv.k, 3);
      auto output = evaluateText(conv.function(), {x, f, b})[0];
      auto want = conv.direct<double>(x, f, b);
      ASSERT_EQ(output.values.size(), want.size()) << conv.function();
      for (size_t i = 0; i < want.size(); ++i) {
        ASSERT_NEAR(output.values[i], want[i], 1e-11) << conv.function();
      }
      EXPECT_EQ(countMismatches(output, conv.direct<float>(x, f, b)), 0)
          << conv.function();
    }
  }
}

// One dropped tap, a pad on the wrong side and a missing bias are seen.
TEST_F(ConvolutionTest, WrongKernelsAreRejected) {
  Conv conv = {.n = 1,
               .c = 64,
               .h = 9,
               .w = 9,
               .k = 8,
               .r = 3,
               .s = 3,
               .top = 1,
               .left = 1,
               .bottom = 1,
               .right = 1,
               .nhwc = true};
  auto x = randomFloats(64 * 81, 1), f = randomFloats(8 * 64 * 9, 2, -0.1, 0.1),
       b = randomFloats(8, 3);
  auto output = evaluateText(conv.function(), {x, f, b})[0];
  auto dropped = f;
  for (int64_t k = 0; k < 8; ++k) {
    dropped[k * 64 * 9 + 31 * 9 + 4] = 0;
  }
  EXPECT_THAT(countMismatches(output, conv.direct<float>(x, dropped, b)),
              Gt(8 * 81 / 2));
  Conv shifted = conv;
  shifted.left = 2;
  shifted.right = 0;
  EXPECT_THAT(countMismatches(output, shifted.direct<float>(x, f, b)),
              Gt(8 * 81 / 2));
  EXPECT_THAT(
      countMismatches(output, conv.direct<float>(x, f, std::vector<float>(8))),
      Gt(8 * 81 / 2));
}

TEST_F(ConvolutionTest, PadsBesideInfinities) {
  // Pixel 0 meets the infinite tap with a pad, which may be left out.
  auto output = evaluateText(R"(
    func.func @main(%x: tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> {
      %f = graph.constant dense<[[[[0x7F800000, 1.0, 0.0]]]]>
        : tensor<1x1x1x3xf32>
      %0 = graph.conv2d %x, %f {pads = array<i64: 0, 1, 0, 1>}
        : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32>
      return %0 : tensor<1x1x1x3xf32>
    })",
                             {{2, 3, -1}})[0];
  EXPECT_EQ(output.tolerances[0], HUGE_VAL);
  EXPECT_EQ(output.values[1], HUGE_VAL);
  EXPECT_EQ(output.values[2], HUGE_VAL);
  EXPECT_THAT(
      std::vector(output.tolerances.begin() + 1, output.tolerances.end()),
      ElementsAre(0, 0));
}

// Two layers, so that the second one's operands have errors.
TEST_F(ConvolutionTest, DemandedRowsAgreeWithAll) {
  for (bool nhwc : {false, true}) {
    Conv first = {.n = 2,
                  .c = 4,
                  .h = 7,
                  .w = 6,
                  .k = 6,
                  .r = 3,
                  .s = 3,
                  .strideH = 2,
                  .top = 1,
                  .left = 0,
                  .bottom = 1,
                  .right = 1,
                  .groups = 2,
                  .nhwc = nhwc};
    Conv second = {.n = 2,
                   .c = 6,
                   .h = first.p(),
                   .w = first.q(),
                   .k = 3,
                   .r = 3,
                   .s = 2,
                   .top = 2,
                   .left = 1,
                   .bottom = 0,
                   .right = 0,
                   .dilationH = 2,
                   .groups = 3,
                   .nhwc = nhwc};
    std::string text =
        "func.func @main(%x: " + first.inputType() +
        ", %f: " + first.filterType() + ", %g: " + second.filterType() +
        ") -> " + second.resultType() + " { %0 = " + first.op("%x, %f", false) +
        " %1 = graph.exp %0 : " + second.inputType() +
        " %2 = " + second.op("%1, %g", false) +
        " return %2 : " + second.resultType() + " }";
    std::vector<std::vector<float>> arguments = {randomFloats(2 * 4 * 7 * 6, 1),
                                                 randomFloats(6 * 2 * 9, 2),
                                                 randomFloats(3 * 2 * 6, 3)};
    auto all = evaluateText(text, arguments)[0];
    EvaluationOptions options;
    options.outputNames = {"y"};
    options.rows = {{false, {0, 3, 7, 8, 11}}};
    auto some = evaluateText(text, arguments, options)[0];
    size_t length = all.dims.back();
    ASSERT_EQ(some.values.size(), 5 * length);
    for (size_t i = 0; i < some.values.size(); ++i) {
      size_t from = options.rows[0].rows[i / length] * length + i % length;
      EXPECT_NEAR(some.values[i], all.values[from], 1e-12);
      EXPECT_NEAR(some.tolerances[i], all.tolerances[from],
                  1e-9 * all.tolerances[from]);
      EXPECT_GT(some.tolerances[i], 0);
    }
  }
}

} // namespace
} // namespace minic::reference
