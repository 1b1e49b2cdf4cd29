// SPDX-License-Identifier: Apache-2.0
//
// Engines listed on several threads, by a fake of cuDNN whose engines take
// their time, fail, throw and wait for each other.

#include "runtime/device/cuda/LibraryCall.h"
#include "test/unit/runtime/device/cuda/cudnn/AttentionProblem.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"
#include "test/unit/runtime/device/cuda/cudnn/FakeCudnnFixture.h"

#include "absl/base/casts.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Engine = minic::testing::FakeCudnn::Engine;

class CudnnEngineTest : public FakeCudnnFixture {
protected:
  void TearDown() override {
    spares.reset();
    FakeCudnnFixture::TearDown();
  }

  /// A convolution by the first engine that works, or by none yet.
  absl::StatusOr<std::unique_ptr<LibraryCall>>
  makeCall(bool onlyListsAlgorithms = false) {
    minic::testing::PackedTable<format::Call> packed(test.descriptor());
    auto call =
        createCudnnCall(*packed, {*context, "", false, 0, constants, nullptr,
                                  spares, onlyListsAlgorithms});
    return call;
  }

  /// Of a call that was made before anything is counted.
  std::vector<std::string> list(int max, uint64_t scratchLimit = 1 << 20) {
    auto call = makeCall();
    if (!call.ok()) {
      ADD_FAILURE() << call.status();
      return {};
    }
    fake().made.clear();
    fake().asked.clear();
    fake().mostAtOnce = 0;
    auto algorithms = (*call)->algorithms(max, scratchLimit);
    if (!algorithms.ok()) {
      ADD_FAILURE() << algorithms.status();
      return {};
    }
    std::vector<std::string> names;
    for (const LibraryAlgorithm &algorithm : *algorithms) {
      EXPECT_EQ(algorithm.algorithm, "9.19.0:" + algorithm.name);
      names.push_back(algorithm.name);
    }
    return names;
  }

  ConvolutionCase test;
  std::vector<void *> constants;
  std::shared_ptr<SparePool> spares; // null: off, as it is for users
};

TEST_F(CudnnEngineTest, TheOrderIsTheHeuristics) {
  // The favourites take longest, so that all are done in the other order.
  listed(CUDNN_HEUR_MODE_A) = {
      {.index = 5},
      {.index = 3, .milliseconds = 60},
      {.index = 1, .knobs = {{2, 7}, {13, 1}}, .milliseconds = 30}};
  listed(CUDNN_HEUR_MODE_B) = {{.index = 3, .milliseconds = 60}, {.index = 9}};
  listed(CUDNN_HEUR_MODE_FALLBACK) = {{.index = 4}};
  EXPECT_THAT(list(10),
              ElementsAre("eng5", "eng3", "eng1_k2=7_k13=1", "eng9", "eng4"));
  // The call's own is there already.
  EXPECT_THAT(fake().made, UnorderedElementsAre(3, 1, 9, 4));
}

TEST_F(CudnnEngineTest, ErrataAreNeitherChosenNorListed) {
  listed(CUDNN_HEUR_MODE_A) = {{.index = 39, .knobs = {{25, 0}}},
                               {.index = 39, .knobs = {{25, 1}}},
                               {.index = 10}};
  listed(CUDNN_HEUR_MODE_B) = {{.index = 39, .knobs = {{25, 0}}}};
  test.dtype = format::DType::bf16;
  test.c = 17;
  test.hasBias = true;
  auto call = makeCall();
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_THAT(fake().made, ElementsAre(10));
  EXPECT_THAT(list(10), ElementsAre("eng10"));
  // Where nothing is known against it, it is cuDNN's favourite.
  test.c = 16;
  EXPECT_THAT(list(10), ElementsAre("eng39_k25=0", "eng39_k25=1", "eng10"));
  // Who names it, has it.
  test.c = 17;
  test.engine = "eng39_k25=1";
  EXPECT_TRUE(makeCall().ok());
}

TEST_F(CudnnEngineTest, NoMoreAreMadeThanAreWanted) {
  listed(CUDNN_HEUR_MODE_A) = {
      {.index = 1},
      {.index = 2, .workspaceBytes = 4096},
      {.index = 3, .behaviour = Engine::IsNotSupported},
      {.index = 4, .milliseconds = 20},
      {.index = 5},
      {.index = 6}};
  listed(CUDNN_HEUR_MODE_B) = {{.index = 7}};
  EXPECT_THAT(list(3, 1024), ElementsAre("eng1", "eng4", "eng5"));
  EXPECT_THAT(fake().made, UnorderedElementsAre(2, 3, 4, 5));
  EXPECT_THAT(fake().asked, ElementsAre(CUDNN_HEUR_MODE_A));
  EXPECT_THAT(list(1), ElementsAre("eng1"));
  EXPECT_THAT(fake().made, IsEmpty());
}

TEST_F(CudnnEngineTest, EnginesThatFailAreSkippedInOrder) {
  listed(CUDNN_HEUR_MODE_A) = {
      {.index = 1},
      {.index = 2, .milliseconds = 40, .behaviour = Engine::Throws},
      {.index = 3, .behaviour = Engine::IsNotSupported},
      {.index = 4}};
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(list(10), ElementsAre("eng1", "eng4"));
  std::string log = ::testing::internal::GetCapturedStderr();
  size_t thrown = log.find("skipped: cuDNN 9.19.0 cannot use engine eng2"),
         unsupported = log.find("skipped: cuDNN 9.19.0 cannot use engine eng3");
  EXPECT_LT(thrown, unsupported) << log;
  EXPECT_NE(unsupported, std::string::npos) << log;
  EXPECT_THAT(log, HasSubstr("engine 2 throws"));
}

TEST_F(CudnnEngineTest, EnginesAreMadeSideBySide) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "one core";
  }
  listed(CUDNN_HEUR_MODE_A) = {{.index = 1}};
  for (int64_t index = 2; index < 18; ++index) {
    listed(CUDNN_HEUR_MODE_A).push_back({.index = index});
  }
  auto call = makeCall();
  ASSERT_TRUE(call.ok()) << call.status();
  fake().mostAtOnce = 0;
  fake().company = 2; // none is done before another one was begun
  auto algorithms = (*call)->algorithms(17, 0);
  ASSERT_TRUE(algorithms.ok()) << algorithms.status();
  EXPECT_THAT(*algorithms, SizeIs(17));
  EXPECT_GE(fake().mostAtOnce, 2);
  EXPECT_LE(fake().mostAtOnce, 8);
}

// Its own would be made first, alone, and the others after it.
TEST_F(CudnnEngineTest, ACallThatOnlyListsMakesNoneItself) {
  spares = std::make_shared<SparePool>(32);
  listed(CUDNN_HEUR_MODE_A) = {{.index = 1}, {.index = 2}, {.index = 3}};
  auto call = makeCall(/*onlyListsAlgorithms=*/true);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_THAT(fake().made, IsEmpty());
  EXPECT_EQ((*call)->enqueue(stream, {}).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*call)->clone().status().code(),
            absl::StatusCode::kFailedPrecondition);
  auto algorithms = (*call)->algorithms(2, 0);
  ASSERT_TRUE(algorithms.ok()) << algorithms.status();
  EXPECT_THAT(*algorithms, SizeIs(2));
  EXPECT_THAT(fake().made, UnorderedElementsAre(1, 2));
  call->reset();
  EXPECT_EQ(spares->counters().held, 2u);
  EXPECT_THAT(list(10), ElementsAre("eng1", "eng2", "eng3"));
  EXPECT_THAT(fake().made, ElementsAre(3));
}

TEST_F(CudnnEngineTest, WhatIsListedIsKeptForTheCallsThatNeedIt) {
  spares = std::make_shared<SparePool>(32);
  listed(CUDNN_HEUR_MODE_A) = {{.index = 1}, {.index = 2}, {.index = 3}};
  std::vector<std::string> first = list(10);
  EXPECT_THAT(fake().made, UnorderedElementsAre(2, 3));
  EXPECT_EQ(spares->counters().held, 3u);
  EXPECT_EQ(list(10), first);
  EXPECT_THAT(fake().made, IsEmpty());
  EXPECT_EQ(spares->counters().held, 3u);
}

// Its scalars are read from memory of the plan in every run.
TEST_F(CudnnEngineTest, AttentionIsGivenItsScalars) {
  listed(CUDNN_HEUR_MODE_A) = {{.index = 2}};
  AttentionProblem attention;
  attention.causal = "lower_right";
  attention.rows = 16;
  attention.scale = 0.25;
  minic::testing::PackedTable<format::Call> packed(attention.descriptor());
  auto call = createCudnnCall(
      *packed, {*context, "", false, 0, constants, nullptr, spares});
  ASSERT_TRUE(call.ok()) << call.status();
  auto clone = (*call)->clone();
  ASSERT_TRUE(clone.ok()) << clone.status();
  alignas(16) std::byte memory[2][64];
  void *callers[2][4]; // three inputs and, as number 4, no bias: the result
  for (int which : {0, 1}) {
    for (void *&caller : callers[which]) {
      caller = memory[which];
    }
    PlanBases bases;
    bases.arena = memory[which];
    bases.callers = callers[which];
    bases.inputCount = 3;
    absl::Status status =
        (which ? *clone : *call)->enqueue(this->stream, bases);
    ASSERT_TRUE(status.ok()) << status;
    // Behind four tensors: the scale, S and T, and what left out keys have.
    EXPECT_THAT(fake().scalars,
                ElementsAre(Pair(5, absl::bit_cast<uint32_t>(0.25f)),
                            Pair(6, 48u), Pair(7, 16u),
                            Pair(8, absl::bit_cast<uint32_t>(-INFINITY))));
  }
}

// Where cuDNN has no engine for a graph the row is refused, by name.
TEST_F(CudnnEngineTest, AttentionWithoutEnginesIsUnsupported) {
  fake().lastError = "Warning: STATUS; Reason: too odd at: dims";
  minic::testing::PackedTable<format::Call> packed(
      AttentionProblem().descriptor());
  LibraryCallOptions options = {*context,  "",      false,  0,
                                constants, nullptr, spares, false};
  auto call = createCudnnCall(*packed, options);
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(call.status().message(),
              HasSubstr("has no engine for attention"));
  EXPECT_THAT(call.status().message(), EndsWith(" (too odd)"));
  options.onlyListsAlgorithms = true;
  auto lister = createCudnnCall(*packed, options);
  ASSERT_TRUE(lister.ok()) << lister.status();
  auto algorithms = (*lister)->algorithms(8, 1 << 20);
  ASSERT_TRUE(algorithms.ok()) << algorithms.status();
  EXPECT_THAT(*algorithms, IsEmpty());
}

TEST_F(CudnnEngineTest, SeveralCallsListAtOnce) {
  spares = std::make_shared<SparePool>(32);
  for (int64_t index = 1; index < 9; ++index) {
    listed(CUDNN_HEUR_MODE_A)
        .push_back({.index = index,
                    .milliseconds = int(index % 3),
                    .behaviour = index == 5 ? Engine::Throws : Engine::Works});
  }
  ::testing::internal::CaptureStderr();
  std::vector<absl::StatusOr<std::vector<LibraryAlgorithm>>> results(
      3, absl::UnknownError("not run"));
  std::vector<std::thread> threads;
  for (auto &result : results) {
    threads.emplace_back([&] {
      CudaScope current(*context);
      auto call = makeCall();
      result = call.ok() ? (*call)->algorithms(6, 0) : call.status();
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  ::testing::internal::GetCapturedStderr();
  for (const auto &result : results) {
    ASSERT_TRUE(result.ok()) << result.status();
    std::string names;
    for (const LibraryAlgorithm &algorithm : *result) {
      names += " " + algorithm.name;
    }
    EXPECT_EQ(names, " eng1 eng2 eng3 eng4 eng6 eng7");
  }
}

TEST_F(CudnnEngineTest, ACallTakesTheFirstThatFits) {
  listed(CUDNN_HEUR_MODE_A) = {
      {.index = 1, .behaviour = Engine::IsNotSupported},
      {.index = 2, .workspaceBytes = 1 << 30}};
  listed(CUDNN_HEUR_MODE_FALLBACK) = {{.index = 3}, {.index = 4}};
  ASSERT_TRUE(makeCall().ok());
  EXPECT_THAT(fake().made, ElementsAre(1, 2, 3));
  listed(CUDNN_HEUR_MODE_FALLBACK).clear();
  absl::Status none = makeCall().status();
  EXPECT_EQ(none.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(none.message(), HasSubstr("has no engine for convolution f32"));
  EXPECT_THAT(none.message(), HasSubstr("cannot use engine eng1"));
}

} // namespace
} // namespace minic::runtime
