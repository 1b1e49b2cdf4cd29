// SPDX-License-Identifier: Apache-2.0
//
// Engines listed, made again, limited, cloned and captured.

#include "test/unit/runtime/device/cuda/cudnn/CudnnGpuTest.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

// Each algorithm offered is one that can be made again and is right.
TEST_F(CudnnGpuTest, EveryListedEngineIsCorrect) {
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.c = test.k = 64;
  test.hasBias = test.hasAddend = true;
  test.activation = EltwiseKind::relu;
  for (ConvolutionCase &typed : inAllTypes(test, "listed")) {
    SCOPED_TRACE(typed.name);
    auto first = make(typed);
    ASSERT_TRUE(first.ok()) << first.status();
    auto algorithms = (*first)->algorithms(12, 16 << 20);
    ASSERT_TRUE(algorithms.ok()) << algorithms.status();
    EXPECT_FALSE(algorithms->empty());
    EXPECT_LE(algorithms->size(), 12u);
    Data data = prepare(typed);
    std::set<std::string> names;
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      SCOPED_TRACE(algorithm.algorithm);
      EXPECT_TRUE(names.insert(algorithm.name).second) << "listed twice";
      EXPECT_LE(algorithm.scratchBytes, 16u << 20);
      EXPECT_THAT(algorithm.algorithm, HasSubstr(":eng"));
      typed.engine = algorithm.name;
      typed.scratchBytes = algorithm.scratchBytes;
      auto call = make(typed);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_NO_FATAL_FAILURE(run(**call, data));
      expectCorrect(typed, data);
    }
  }
}

TEST_F(CudnnGpuTest, ABogusEngineIsAClearError) {
  ConvolutionCase test;
  for (const char *engine : {"fastest", "eng99999", "eng0_k999999=1"}) {
    test.engine = engine;
    auto call = make(test);
    ASSERT_FALSE(call.ok()) << engine;
    EXPECT_EQ(call.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(call.status().message(), HasSubstr(engine));
  }
}

TEST_F(CudnnGpuTest, AnotherVersionChoosesAnewOrFails) {
  ConvolutionCase test;
  test.name = "version";
  test.engine = "eng99999";
  PackedTable<format::Call> call(test.descriptor());
  LibraryCallOptions strict{*context, "9.0.1", true, 0, constants};
  auto refused = createCudnnCall(*call, strict);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.status().message(), HasSubstr("cuDNN 9.0.1"));
  LibraryCallOptions lenient{*context, "9.0.1", false, 0, constants};
  auto chosen = createCudnnCall(*call, lenient);
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  Data data = prepare(test);
  ASSERT_NO_FATAL_FAILURE(run(**chosen, data));
  expectCorrect(test, data);
}

TEST_F(CudnnGpuTest, TheWorkspaceIsALimit) {
  ConvolutionCase test;
  test.name = "no_workspace";
  test.c = test.k = 64;
  test.padsBegin = test.padsEnd = {1, 1};
  test.scratchBytes = 0;
  check(test);
}

TEST_F(CudnnGpuTest, MisalignedPointersAreRejected) {
  ConvolutionCase test;
  auto call = make(test);
  ASSERT_TRUE(call.ok()) << call.status();
  Data data = prepare(test);
  data.callers[0] = static_cast<std::byte *>(data.callers[0]) + 4;
  absl::Status status = (*call)->enqueue(stream, basesOf(data));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("aligned to 16 bytes"));
}

TEST_F(CudnnGpuTest, ClonesAreIndependent) {
  ConvolutionCase test;
  test.name = "clone";
  auto first = make(test);
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = (*first)->clone();
  ASSERT_TRUE(second.ok()) << second.status();
  Data one = prepare(test), two = prepare(test);
  two.input.forEach([&](int64_t at) { two.input.set(at, float(at % 7) - 3); });
  uploadAll(two);
  ASSERT_NO_FATAL_FAILURE(run(**first, one));
  ASSERT_NO_FATAL_FAILURE(run(**second, two));
  expectCorrect(test, one);
  expectCorrect(test, two);
  first->reset();
  ASSERT_NO_FATAL_FAILURE(run(**second, two)); // with pointers seen before
  expectCorrect(test, two);
}

// Also where the first call of an engine is the captured one.
TEST_F(CudnnGpuTest, CallsCanBeCaptured) {
  const CudaDriver &driver = context->driver();
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.c = test.k = 64;
  test.hasBias = true;
  test.activation = EltwiseKind::relu;
  for (ConvolutionCase &typed : inAllTypes(test, "captured")) {
    SCOPED_TRACE(typed.name);
    auto lister = make(typed);
    ASSERT_TRUE(lister.ok()) << lister.status();
    auto algorithms = (*lister)->algorithms(6, 16 << 20);
    ASSERT_TRUE(algorithms.ok()) << algorithms.status();
    Data data = prepare(typed);
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      SCOPED_TRACE(algorithm.name);
      typed.engine = algorithm.name;
      auto call = make(typed);
      ASSERT_TRUE(call.ok()) << call.status();
      EXPECT_TRUE((*call)->canBeCaptured());
      poison(data);
      ASSERT_EQ(driver.cuStreamBeginCapture(
                    stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                CUDA_SUCCESS);
      absl::Status status = (*call)->enqueue(stream, basesOf(data));
      CUgraph graph = nullptr;
      CUresult ended = driver.cuStreamEndCapture(stream, &graph);
      ASSERT_TRUE(status.ok()) << status;
      ASSERT_EQ(ended, CUDA_SUCCESS);
      CUgraphExec executable = nullptr;
      ASSERT_EQ(driver.cuGraphInstantiate(&executable, graph, 0), CUDA_SUCCESS);
      ASSERT_EQ(driver.cuGraphLaunch(executable, stream), CUDA_SUCCESS);
      ASSERT_NO_FATAL_FAILURE(fetch(data));
      expectCorrect(typed, data);
      driver.cuGraphExecDestroy(executable);
      driver.cuGraphDestroy(graph);
    }
  }
}

// To list engines and then to load each makes each once; no engine is two
// calls' at a time, and one that comes back is right on another stream.
TEST_F(CudnnGpuTest, ListedEnginesAreNotMadeAgain) {
  spares = std::make_shared<SparePool>(32);
  ConvolutionCase test;
  test.name = "recycled";
  test.padsBegin = test.padsEnd = {1, 1};
  test.c = test.k = 64;
  test.hasBias = true;
  test.activation = EltwiseKind::relu;
  test.dtype = DType::bf16;
  test.isNhwc = true;
  auto lister = make(test);
  ASSERT_TRUE(lister.ok()) << lister.status();
  auto algorithms = (*lister)->algorithms(8, 64 << 20);
  ASSERT_TRUE(algorithms.ok()) << algorithms.status();
  ASSERT_GT(algorithms->size(), 1u);
  lister->reset();
  int64_t made = spares->counters().missed;
  EXPECT_EQ(spares->counters().taken, 0);
  EXPECT_GE(made, int64_t(algorithms->size()));
  Data data = prepare(test);
  for (int time : {1, 2}) {
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      SCOPED_TRACE(algorithm.name);
      test.engine = algorithm.name;
      auto call = make(test);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_NO_FATAL_FAILURE(run(**call, data));
      expectCorrect(test, data);
    }
    EXPECT_EQ(spares->counters().missed, made);
    EXPECT_EQ(spares->counters().taken, time * int64_t(algorithms->size()));
  }
  auto one = make(test), other = make(test);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(spares->counters().missed, made + 1);
  ASSERT_NO_FATAL_FAILURE(run(**one, data));
  ASSERT_NO_FATAL_FAILURE(run(**other, data));
  expectCorrect(test, data);
  test.k = 32; // another problem takes none of them
  made = spares->counters().missed;
  auto smaller = make(test);
  EXPECT_GT(spares->counters().missed, made);
}

// A NaN or an infinity of the input reaches the results that it is an operand
// of, relu included, and no others.
TEST_F(CudnnGpuTest, NanAndInfinityStayWhereTheyBelong) {
  ConvolutionCase test;
  test.padsBegin = test.padsEnd = {1, 1};
  test.c = test.k = 64;
  test.hasBias = true;
  test.activation = EltwiseKind::relu;
  for (ConvolutionCase &typed : inAllTypes(test, "nan")) {
    auto lister = make(typed);
    ASSERT_TRUE(lister.ok()) << lister.status();
    auto algorithms = (*lister)->algorithms(12, 16 << 20);
    ASSERT_TRUE(algorithms.ok()) << algorithms.status();
    Data data = prepare(typed);
    const float kInfinity = std::numeric_limits<float>::infinity();
    data.input.set(data.input.offset({0, 5, 4, 4}), NAN);
    data.input.set(data.input.offset({1, 7, 2, 8}), kInfinity);
    uploadAll(data);
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      SCOPED_TRACE(typed.name + " " + algorithm.name);
      typed.engine = algorithm.name;
      auto call = make(typed);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_NO_FATAL_FAILURE(run(**call, data));
      int lostNan = 0, lostInfinity = 0, strayed = 0;
      for (int64_t k = 0; k < typed.k; ++k) {
        for (int64_t y = 0; y < typed.outH(); ++y) {
          for (int64_t x = 0; x < typed.outW(); ++x) {
            bool reached = std::abs(y - 4) <= 1 && std::abs(x - 4) <= 1;
            double value = data.result.at({0, k, y, x});
            lostNan += reached && !std::isnan(value);
            strayed += !reached && !std::isfinite(value);
            reached = std::abs(y - 2) <= 1 && std::abs(x - 8) <= 1;
            value = data.result.at({1, k, y, x});
            // Times a weight of either sign, then relu.
            double weight =
                reached ? data.filter.at({k, 7, 2 - y + 1, 8 - x + 1}) : 0;
            lostInfinity += weight > 0 && !(value == kInfinity);
            strayed += !reached && !std::isfinite(value);
          }
        }
      }
      EXPECT_EQ(strayed, 0) << "results that the values are no operand of";
      EXPECT_EQ(lostNan, 0) << "NaN lost, of " << typed.k * 9;
      EXPECT_EQ(lostInfinity, 0) << "infinity lost";
    }
  }
}

} // namespace
} // namespace minic::runtime
