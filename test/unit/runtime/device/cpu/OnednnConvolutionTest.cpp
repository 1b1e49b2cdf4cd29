// SPDX-License-Identifier: Apache-2.0
//
// oneDNN convolutions inside plans, against the definition in float64.

#include "runtime/device/cpu/OnednnLibrary.h"
#include "runtime/program/Context.h"
#include "test/unit/runtime/testing/PackedTable.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

std::vector<float> randomFloats(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values) {
    value = uniform(random);
  }
  return values;
}

/// relu(conv(x) + b) * scale, 2 groups, uneven pads, strides and dilations, of
/// [2, 6, 9, 8] to [2, 4, 4, 7].
struct Convolution {
  static constexpr int64_t n = 2, c = 6, h = 9, w = 8, k = 4, r = 3, s = 2,
                           p = 4, q = 7;
  Convolution(bool nhwc, bool pack, int threads) : nhwc(nhwc) {
    filter = randomFloats(k * c / 2 * r * s, 1);
    bias = randomFloats(k, 2);
    scale = randomFloats(k, 3);
    inputDims = nhwc ? std::vector<int64_t>{n, h, w, c}
                     : std::vector<int64_t>{n, c, h, w};
    outputDims = nhwc ? std::vector<int64_t>{n, p, q, k}
                      : std::vector<int64_t>{n, k, p, q};
    artifact.input("x", inputDims);
    artifact.output("y", outputDims);
    artifact.variant().threads = threads;
    uint32_t weights = artifact.constant("w", {k, c / 2, r, s}, filter);
    uint32_t biases = artifact.constant("b", {k}, bias);
    uint32_t scales = artifact.constant("s", {k}, scale);
    format::CallT &call = artifact.call(libraryCall("onednn", "convolution"));
    setOperand(call, "input",
               tensorView(inputAddress(0), {n, c, h, w}, strides(c, h, w)));
    setOperand(call, "filter",
               tensorView(constantAddress(weights), {k, c / 2, r, s},
                          {c / 2 * r * s, r * s, s, 1}));
    setOperand(call, "bias", tensorView(constantAddress(biases), {k}, {1}));
    setOperand(call, "result",
               tensorView(outputAddress(0), {n, k, p, q}, strides(k, p, q)));
    setIntegers(call, "strides", {2, 1});
    setIntegers(call, "pads_begin", {1, 1});
    setIntegers(call, "pads_end", {2, 1});
    setIntegers(call, "dilations", {2, 3});
    setInteger(call, "groups", 2);
    setInteger(call, "pack_filter", pack);
    addEltwise(call, format::EltwiseKind::relu);
    addBinary(call, format::BinaryKindPostOp::mul,
              tensorView(constantAddress(scales), {1, k, 1, 1}, {k, 1, 1, 1}));
  }

  std::vector<int64_t> strides(int64_t channels, int64_t height,
                               int64_t width) const {
    if (nhwc) {
      return {channels * height * width, 1, channels * width, channels};
    }
    return {channels * height * width, height * width, width, 1};
  }
  int64_t at(int64_t i, int64_t channel, int64_t y, int64_t x, int64_t channels,
             int64_t height, int64_t width) const {
    auto steps = strides(channels, height, width);
    return i * steps[0] + channel * steps[1] + y * steps[2] + x * steps[3];
  }

  double expected(const float *x, int64_t i, int64_t o, int64_t y,
                  int64_t column) const {
    double sum = bias[o];
    for (int64_t e = 0; e < c / 2 * r * s; ++e) {
      int64_t inY = y * 2 - 1 + e / s % r * 2;
      int64_t inX = column - 1 + e % s * 3;
      if (inY >= 0 && inY < h && inX >= 0 && inX < w) {
        int64_t channel = o / (k / 2) * (c / 2) + e / (r * s);
        sum += double(x[at(i, channel, inY, inX, c, h, w)]) *
               filter[o * c / 2 * r * s + e];
      }
    }
    return std::max(sum, 0.0) * scale[o];
  }

  TestArtifact artifact;
  bool nhwc;
  std::vector<float> filter, bias, scale;
  std::vector<int64_t> inputDims, outputDims;
};

// libgomp, which oneDNN's threads are, is not visible to ThreadSanitizer.
#if __has_feature(thread_sanitizer)
constexpr int kMostThreads = 1;
#else
constexpr int kMostThreads = 2;
#endif

TEST(OnednnConvolutionTest, IsItsDefinition) {
  if (auto library = OnednnLibrary::open(); !library.ok()) {
    GTEST_SKIP() << library.status();
  }
  using C = Convolution;
  for (bool nhwc : {false, true}) {
    for (bool pack : {false, true}) {
      for (int threads = 1; threads <= kMostThreads; ++threads) {
        Convolution convolution(nhwc, pack, threads);
        auto program = Program::loadBytes(convolution.artifact.bytes());
        ASSERT_TRUE(program.ok()) << program.status();
        auto context = Context::create(*program);
        ASSERT_TRUE(context.ok()) << context.status();
        AlignedFloats x(C::n * C::c * C::h * C::w);
        AlignedFloats y(C::n * C::k * C::p * C::q, NAN);
        std::vector<float> values = randomFloats(C::n * C::c * C::h * C::w, 9);
        std::copy(values.begin(), values.end(), x.data());
        Tensor inputs[] = {{x.data(), DType::f32, convolution.inputDims}};
        Tensor outputs[] = {{y.data(), DType::f32, convolution.outputDims}};
        absl::Status status = (*context)->run(inputs, outputs);
        ASSERT_TRUE(status.ok()) << status;
        for (int64_t e = 0; e < C::n * C::k * C::p * C::q; ++e) {
          int64_t column = e % C::q, row = e / C::q % C::p;
          int64_t o = e / C::q / C::p % C::k, i = e / C::q / C::p / C::k;
          double want = convolution.expected(x.data(), i, o, row, column);
          // 18 products and a bias of at most 1 each.
          ASSERT_NEAR(
              y.data()[convolution.at(i, o, row, column, C::k, C::p, C::q)],
              want, 0x1p-24 * 21 * 20)
              << (nhwc ? "nhwc" : "nchw") << (pack ? " packed" : "");
        }
      }
    }
  }
}

} // namespace
} // namespace minic::runtime
