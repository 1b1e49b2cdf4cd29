// SPDX-License-Identifier: Apache-2.0
//
// oneDNN products inside plans, against a naive sum in float64.

#include "runtime/device/cpu/OnednnLibrary.h"
#include "runtime/program/Context.h"
#include "test/unit/runtime/testing/PackedTable.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

class OnednnMatmulTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (auto library = OnednnLibrary::open(); !library.ok()) {
      GTEST_SKIP() << library.status();
    }
  }
};

std::vector<float> randomFloats(int64_t count, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float &value : values) {
    value = uniform(random);
  }
  return values;
}

struct Shape {
  int64_t m, n, k;
};

/// y[m, n] = relu(x[m, k] * w[n, k]^T + b[n]) + r[m, n]
struct Linear {
  explicit Linear(Shape shape, bool pack, int threads = 1) : shape(shape) {
    auto [m, n, k] = shape;
    w = randomFloats(n * k, 1);
    b = randomFloats(n, 2);
    artifact.input("x", {m, k});
    artifact.input("r", {m, n});
    artifact.output("y", {m, n});
    artifact.variant().threads = threads;
    uint32_t weights = artifact.constant("w", {n, k}, w);
    uint32_t bias = artifact.constant("b", {n}, b);
    format::CallT &matmul = artifact.matmul();
    setOperand(matmul, "lhs", tensorView(inputAddress(0), {m, k}, {k, 1}));
    setOperand(matmul, "rhs",
               tensorView(constantAddress(weights), {k, n}, {1, k}));
    setOperand(matmul, "bias",
               tensorView(constantAddress(bias), {1, n}, {n, 1}));
    setOperand(matmul, "result", tensorView(outputAddress(0), {m, n}, {n, 1}));
    setInteger(matmul, "pack_rhs", pack);
    addEltwise(matmul, format::EltwiseKind::relu);
    addBinary(matmul, format::BinaryKindPostOp::add,
              tensorView(inputAddress(1), {m, n}, {n, 1}));
  }

  double expected(const float *x, const float *r, int64_t i, int64_t j) const {
    double sum = b[j];
    for (int64_t p = 0; p < shape.k; ++p) {
      sum += double(x[i * shape.k + p]) * w[j * shape.k + p];
    }
    return std::max(sum, 0.0) + r[i * shape.n + j];
  }

  /// Runs once on data from `seed`; the number of wrong elements.
  int run(Context &context, int seed) const {
    auto [m, n, k] = shape;
    AlignedFloats x(m * k), r(m * n), y(m * n, NAN);
    std::vector<float> values = randomFloats(m * k, seed);
    std::copy(values.begin(), values.end(), x.data());
    values = randomFloats(m * n, seed + 1);
    std::copy(values.begin(), values.end(), r.data());
    std::vector<int64_t> xDims = {m, k}, yDims = {m, n};
    Tensor inputs[] = {{x.data(), DType::f32, xDims},
                       {r.data(), DType::f32, yDims}};
    Tensor outputs[] = {{y.data(), DType::f32, yDims}};
    absl::Status status = context.run(inputs, outputs);
    EXPECT_TRUE(status.ok()) << status;
    int wrong = 0;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double want = expected(x.data(), r.data(), i, j);
        // |x|, |w| <= 1: k + 3 roundings of values up to k + 2.
        double bound = 0x1p-24 * (k + 3) * (k + 2);
        wrong += !(std::abs(y[i * n + j] - want) <= bound);
      }
    }
    return wrong;
  }

  Shape shape;
  std::vector<float> w, b;
  TestArtifact artifact;
};

constexpr Shape kShapes[] = {{1, 1, 1},    {1, 7, 3},     {2, 3, 17},
                             {17, 31, 63}, {37, 129, 65}, {64, 64, 64},
                             {3, 257, 33}, {1, 130, 127}};

TEST_F(OnednnMatmulTest, computesALinearLayerWithPostOps) {
  for (const Shape &shape : kShapes) {
    for (bool pack : {false, true}) {
      Linear linear(shape, pack);
      auto program = Program::loadBytes(linear.artifact.bytes());
      ASSERT_TRUE(program.ok()) << program.status();
      EXPECT_TRUE((*program)->callsLibrary());
      auto context = Context::create(*program);
      ASSERT_TRUE(context.ok()) << context.status();
      for (int seed : {10, 20}) {
        EXPECT_EQ(linear.run(**context, seed), 0)
            << shape.m << "x" << shape.n << "x" << shape.k
            << (pack ? " packed" : "");
      }
    }
  }
}

// libgomp, which oneDNN's threads are, is not visible to ThreadSanitizer.
#if !__has_feature(thread_sanitizer)

TEST_F(OnednnMatmulTest, runsOnTwoThreads) {
  Linear linear({65, 130, 70}, true, 2);
  auto program = Program::loadBytes(linear.artifact.bytes());
  ASSERT_TRUE(program.ok()) << program.status();
  auto context = Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(linear.run(**context, 3), 0);
}

TEST_F(OnednnMatmulTest, isSafeForManyContexts) {
  Linear linear({33, 65, 40}, true);
  auto program = Program::loadBytes(linear.artifact.bytes());
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto context = Context::create(*program);
      for (int round = 0; round < 20; ++round) {
        wrong[t] += linear.run(**context, 100 * t + round);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

#endif

TEST_F(OnednnMatmulTest, broadcastsBatches) {
  // y[2, 3, 4] = x[2, 3, 5] * w[1, 5, 4], with the planned scratch.
  TestArtifact artifact;
  artifact.input("x", {2, 3, 5});
  artifact.input("w", {5, 4});
  artifact.output("y", {2, 3, 4});
  artifact.variant().arena_bytes = 1 << 20;
  format::CallT &matmul = artifact.matmul();
  setOperand(matmul, "lhs", tensorView(inputAddress(0), {2, 3, 5}, {15, 5, 1}));
  setOperand(matmul, "rhs", tensorView(inputAddress(1), {1, 5, 4}, {20, 4, 1}));
  setOperand(matmul, "result",
             tensorView(outputAddress(0), {2, 3, 4}, {12, 4, 1}));
  setScratch(matmul, arenaAddress(0), 1 << 20);
  auto program = Program::loadBytes(artifact.bytes());
  ASSERT_TRUE(program.ok()) << program.status();
  auto context = Context::create(*program);
  ASSERT_TRUE(context.ok()) << context.status();
  AlignedFloats x(30), w(20), y(24, NAN);
  for (int i = 0; i < 30; ++i) {
    x[i] = i % 7;
  }
  for (int i = 0; i < 20; ++i) {
    w[i] = i % 5 - 2;
  }
  std::vector<int64_t> xDims = {2, 3, 5}, wDims = {5, 4}, yDims = {2, 3, 4};
  Tensor inputs[] = {{x.data(), DType::f32, xDims},
                     {w.data(), DType::f32, wDims}};
  Tensor outputs[] = {{y.data(), DType::f32, yDims}};
  ASSERT_TRUE((*context)->run(inputs, outputs).ok());
  for (int row = 0; row < 6; ++row) {
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int p = 0; p < 5; ++p) {
        sum += x[row * 5 + p] * w[p * 4 + j];
      }
      EXPECT_EQ(y[row * 4 + j], sum) << row << ", " << j;
    }
  }
}

/// The value oneDNN gives for a post-op on x * 1.
float eltwise(format::EltwiseKind kind, float x, float alpha = 0,
              float beta = 0) {
  TestArtifact artifact;
  artifact.input("x", {1, 1});
  artifact.output("y", {1, 1});
  uint32_t one = artifact.constant("one", {1, 1}, {1});
  format::CallT &matmul = artifact.matmul();
  setOperand(matmul, "lhs", tensorView(inputAddress(0), {1, 1}, {1, 1}));
  setOperand(matmul, "rhs", tensorView(constantAddress(one), {1, 1}, {1, 1}));
  setOperand(matmul, "result", tensorView(outputAddress(0), {1, 1}, {1, 1}));
  addEltwise(matmul, kind, alpha, beta);
  auto program = Program::loadBytes(artifact.bytes());
  EXPECT_TRUE(program.ok()) << program.status();
  auto context = Context::create(*program);
  EXPECT_TRUE(context.ok()) << context.status();
  AlignedFloats in(1, x), out(1);
  std::vector<int64_t> dims = {1, 1};
  Tensor input{in.data(), DType::f32, dims},
      output{out.data(), DType::f32, dims};
  EXPECT_TRUE((*context)->run({&input, 1}, {&output, 1}).ok());
  return out[0];
}

TEST_F(OnednnMatmulTest, meansWhatThePlanSaysByEachPostOp) {
  using Kind = format::EltwiseKind;
  for (double x : {-3.5, -0.75, 0.0, 0.5, 2.25, 4.0}) {
    double sigmoid = 1 / (1 + std::exp(-x));
    double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    struct Case {
      Kind kind;
      double expected;
      float alpha = 0, beta = 0;
    } cases[] = {
        {Kind::relu, std::max(x, 0.0), 0.5f}, // alpha has no meaning
        {Kind::leaky_relu, x < 0 ? 0.125 * x : x, 0.125f},
        {Kind::tanh, std::tanh(x)},
        {Kind::sigmoid, sigmoid},
        {Kind::gelu_erf, x / 2 * (1 + std::erf(x / std::sqrt(2)))},
        {Kind::gelu_tanh, x / 2 * (1 + std::tanh(inner))},
        {Kind::silu, x * sigmoid},
        {Kind::hard_swish, x * std::clamp(x + 3, 0.0, 6.0) / 6},
        {Kind::clamp, std::clamp(x, -1.0, 2.0), -1, 2},
        {Kind::exp, std::exp(x)},
        {Kind::abs, std::abs(x)},
        {Kind::linear, 3 * x - 1, 3, -1},
    };
    for (const Case &each : cases) {
      EXPECT_NEAR(eltwise(each.kind, x, each.alpha, each.beta), each.expected,
                  2e-6 * std::max(1.0, std::abs(each.expected)))
          << EnumNameEltwiseKind(each.kind) << " of " << x;
    }
    if (x > 0) {
      EXPECT_NEAR(eltwise(Kind::sqrt, x), std::sqrt(x), 1e-6);
      // oneDNN's log is this rough; the test is about meaning.
      EXPECT_NEAR(eltwise(Kind::log, x), std::log(x), 1e-5);
    }
  }
}

TEST_F(OnednnMatmulTest, saysWhatIsNotSupported) {
  Linear halves({4, 8, 16}, true);
  format::CallT &matmul = *halves.artifact.variant().run[0]->operation.AsCall();
  operandOf(matmul, "lhs").dtype = DType::f16;
  absl::Status status = Program::loadBytes(halves.artifact.bytes()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("oneDNN on f16 is not supported (matmul of"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("result [4, 8]"));
}

TEST_F(OnednnMatmulTest, comparesVersions) {
  Linear linear({4, 8, 16}, true);
  linear.artifact.variant().run[0]->operation.AsCall()->library_version =
      "1.2.3";
  ProgramOptions options;
  options.strictLibraries = true;
  absl::Status status =
      Program::loadBytes(linear.artifact.bytes(), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("oneDNN 1.2.3"));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(Program::loadBytes(linear.artifact.bytes()).ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("minic: warning: the plan was made with oneDNN 1.2.3"));
}

} // namespace
} // namespace minic::runtime
