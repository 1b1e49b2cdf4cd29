// SPDX-License-Identifier: Apache-2.0
//
// The worker on a GPU: facts, verification, every way of timing, and a kernel
// that takes the device with it. Built twice, for the fake driver and, with
// MINIC_TEST_ON_GPU, for a real one.

#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/RandomData.h"
#include "runtime/measure/WorkerServer.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/FakeOrRealGpu.h"

#include <gmock/gmock.h>

#include <fstream>
#include <unistd.h>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

constexpr int64_t count = 1000;
constexpr uint64_t seed = 5, constantsSeed = 6;

std::string temporaryPath(const std::string &name) {
  return ::testing::TempDir() + "/worker-cuda-" + std::to_string(getpid()) +
         "-" + name;
}

std::string write(const TestArtifact &artifact, const std::string &name) {
  std::string path = temporaryPath(name);
  std::vector<std::byte> bytes = artifact.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  return path;
}

/// y = x + w with w an external constant.
TestArtifact addExternal() {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", {count});
  artifact.output("y", {count});
  uint32_t w = artifact.constant("w", {count}, std::vector<float>(count));
  artifact.metadata.constants[w]->external = true;
  cudaLaunch(artifact, "add_f32", count,
             {inputAddress(0), constantAddress(w), outputAddress(0)}, {count});
  return artifact;
}

std::vector<float> randomFloats(const std::string &name, uint64_t seed) {
  std::vector<float> values(count);
  fillRandom(values.data(), DType::f32, {count}, seed, name, true);
  return values;
}

std::string writeExpected(const std::string &name,
                          std::function<double(int64_t)> value) {
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {count},
                          .rows = {},
                          .values = {},
                          .tolerances = std::vector<double>(count, 1e-6),
                          .alternatives = {}};
  for (int64_t i = 0; i < count; ++i) {
    expected.values.push_back(value(i));
  }
  std::string path = temporaryPath(name);
  EXPECT_TRUE(writeExpectedOutputs(path, {expected}).ok());
  return path;
}

class WorkerServerCudaTest : public FakeOrRealGpu {
protected:
  template <typename T> T ask(const Request &request) {
    Reply reply = server.handle(request);
    if (const auto *error = std::get_if<ErrorReply>(&reply)) {
      ADD_FAILURE() << error->status;
      return T{};
    }
    return std::get<T>(reply);
  }
  void load(const std::string &id, const TestArtifact &artifact) {
    ask<LoadReply>(LoadRequest{.id = id,
                               .path = write(artifact, id + ".minic"),
                               .constantsSeed = constantsSeed});
  }
  VerifyReply verify(const std::string &id, const std::string &expected) {
    return ask<VerifyReply>(VerifyRequest{
        .id = id, .seed = seed, .expectedPath = expected, .trustedId = ""});
  }
  WorkerServer server;
};

TEST_F(WorkerServerCudaTest, SaysWhatTheMachineHas) {
  EXPECT_TRUE(ask<DeviceFacts>(DescribeRequest{}).gpus.empty());
  DeviceFacts facts = ask<DeviceFacts>(DescribeRequest{.gpus = true});
  ASSERT_FALSE(facts.gpus.empty()) << facts.gpuProblem;
  const GpuFacts &gpu = facts.gpus[0];
  EXPECT_EQ(gpu.index, 0);
  EXPECT_NE(gpu.name, "");
  EXPECT_THAT(gpu.uuid, HasSubstr("-"));
  EXPECT_GE(gpu.computeMajor, 7);
  EXPECT_GT(gpu.smCount, 0);
  EXPECT_GT(gpu.l2Bytes, 0);
  EXPECT_GT(gpu.memoryGBs, 0);
#ifdef MINIC_TEST_ON_GPU
  EXPECT_GT(gpu.threadsPerSm, 0);
#endif
  EXPECT_TRUE(facts.libraries.count("driver"));
}

TEST_F(WorkerServerCudaTest, VerifiesInTheDevicesMemory) {
  std::vector<float> x = randomFloats("x", seed);
  std::string expected =
      writeExpected("scale", [&](int64_t i) { return 2.0 * x[size_t(i)] + 1; });
  load("right", cudaScaleArtifact(count));
  VerifyReply reply = verify("right", expected);
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
  EXPECT_TRUE(reply.deterministic);

  TestArtifact less = cudaArtifact();
  less.input("x", {count});
  less.output("y", {count});
  cudaLaunch(less, "scale_f32", count, {inputAddress(0), outputAddress(0)},
             {count - 1});
  load("less", less);
  reply = verify("less", expected);
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_THAT(reply.detail, HasSubstr("was not written"));

  TestArtifact more = cudaArtifact();
  more.input("x", {count});
  more.output("y", {count});
  cudaLaunch(more, "scale_f32", count + 8, {inputAddress(0), outputAddress(0)},
             {count + 1});
  load("more", more);
  reply = verify("more", expected);
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_EQ(reply.detail, "memory around output y was written");
}

TEST_F(WorkerServerCudaTest, ExternalConstantsAreUploaded) {
  std::vector<float> x = randomFloats("x", seed),
                     w = randomFloats("w", constantsSeed);
  load("a", addExternal());
  VerifyReply reply = verify("a", writeExpected("add", [&](int64_t i) {
                               return double(x[size_t(i)]) + w[size_t(i)];
                             }));
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
}

TEST_F(WorkerServerCudaTest, TimesInEveryWay) {
  load("a", addExternal());
  load("b", cudaScaleArtifact(count));
  for (Residency residency : {Residency::warm, Residency::cold}) {
    TimeReply reply = ask<TimeReply>(TimeRequest{
        .ids = {"a", "b", "a", "a", "a", "a", "a", "a"},
        .iterations = {100, 100, 3, 3, 3, 3, 3, 3},
        .residency = residency,
        .modes = {RunMode::device, RunMode::device, RunMode::stream,
                  RunMode::graph, RunMode::streamCall, RunMode::graphCall,
                  RunMode::whenIdle, RunMode::whenIdleCall},
        .runUs = {0, 0, 0, 0, 0, 0, 1e6, 1e6}});
    ASSERT_EQ(reply.microseconds.size(), 8u);
    for (double us : reply.microseconds) {
      EXPECT_GT(us, 0);
#ifdef MINIC_TEST_ON_GPU
      EXPECT_LT(us, 1000);
#endif
    }
  }
  // Timing left what it computes alone.
  std::vector<float> x = randomFloats("x", seed),
                     w = randomFloats("w", constantsSeed);
  VerifyReply reply = verify("a", writeExpected("add", [&](int64_t i) {
                               return double(x[size_t(i)]) + w[size_t(i)];
                             }));
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
  ask<DoneReply>(UnloadRequest{.id = "a"});
  // Operands that "a" made may still be shared.
  EXPECT_GT(ask<TimeReply>(TimeRequest{.ids = {"b"}, .iterations = {5}})
                .microseconds[0],
            0);
}

#ifndef MINIC_TEST_ON_GPU
TEST_F(WorkerServerCudaTest, ColdTimingOfTheNextCandidateWaitsForLittle) {
  fakeCuda().attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 50 << 20;
  fakeCuda().microsecondsBetweenEvents = 100; // short replays
  TestArtifact artifact = addExternal();
  artifact.variant().arena_bytes = 512;
  artifact.variant().zeroed_bytes = 64;
  auto screen = [&](const std::string &id) {
    for (int64_t iterations : {8, 166, 166, 166}) {
      ask<TimeReply>(TimeRequest{.ids = {id},
                                 .iterations = {iterations},
                                 .residency = Residency::cold});
    }
  };
  load("first", artifact);
  screen("first");
  ask<DoneReply>(UnloadRequest{.id = "first"});
  load("next", artifact);
  fakeCuda().calls.clear();
  screen("next");
  // 64 sets: one copy of the constants each but for the first.
  EXPECT_EQ(fakeCuda().callsOf("cuMemcpyAsync"), 63);
  EXPECT_EQ(fakeCuda().callsOf("cuMemcpyHtoDAsync"), 0);
  EXPECT_EQ(fakeCuda().callsOf("cuMemAlloc"), 0);
  EXPECT_EQ(fakeCuda().callsOf("cuMemsetD8Async"), 1);
  EXPECT_EQ(fakeCuda().callsOf("cuStreamBeginCapture"), 1);
  // One run by itself, and what is recorded.
  EXPECT_EQ(fakeCuda().callsOf("cuLaunchKernel"), 1 + 64);
  // The copies, the counters, the run, and replays: a sample is one or three
  // after a warm-up.
  EXPECT_EQ(fakeCuda().callsOf("cuStreamSynchronize"), 3 + 2 + 3 * 4);
  ask<DoneReply>(UnloadRequest{.id = "next"});
  EXPECT_EQ(fakeCuda().callsOf("cuMemFree"), 1); // its own constants
}

TEST_F(WorkerServerCudaTest, CandidatesAreLoadedFromOnePinnedMemory) {
  load("first", addExternal());
  EXPECT_EQ(fakeCuda().callsOf("cuMemAllocHost"), 1);
  fakeCuda().calls.clear();
  load("next", addExternal());
  EXPECT_EQ(fakeCuda().callsOf("cuMemAllocHost"), 0);
  // Each has its weights in memory of its own on the device.
  EXPECT_EQ(fakeCuda().callsOf("cuMemAlloc"), 1);
  EXPECT_EQ(fakeCuda().callsOf("cuMemcpyHtoDAsync"), 1);
}

TEST_F(WorkerServerCudaTest, ReplaysWhenTheStreamIsIdle) {
  load("a", cudaScaleArtifact(count));
  auto graphLaunches = [&](RunMode mode, double runUs) {
    fakeCuda().calls.clear();
    ask<TimeReply>(TimeRequest{
        .ids = {"a"}, .iterations = {5}, .modes = {mode}, .runUs = {runUs}});
    return fakeCuda().callsOf("cuGraphLaunch");
  };
  // The first run of all captures; each request has one that is not timed.
  EXPECT_EQ(graphLaunches(RunMode::whenIdle, 1e9), 1);
  EXPECT_EQ(graphLaunches(RunMode::whenIdle, 1e9), 2);
  EXPECT_EQ(graphLaunches(RunMode::whenIdleCall, 1e9), 6);
  // Another estimate is another context.
  EXPECT_EQ(graphLaunches(RunMode::whenIdle, 0), 5);
  EXPECT_EQ(graphLaunches(RunMode::stream, 0), 0);
}

TEST_F(WorkerServerCudaTest, RefusesAnotherNumberOfRunTimes) {
  load("a", cudaScaleArtifact(count));
  Reply reply = server.handle(TimeRequest{.ids = {"a"},
                                          .iterations = {5},
                                          .modes = {RunMode::whenIdle},
                                          .runUs = {1, 2}});
  const auto *error = std::get_if<ErrorReply>(&reply);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->status.message(),
            "time: 1 ids but 1 iterations, 1 modes, 2 run times "
            "and 0 changes");
}
#endif

TEST_F(WorkerServerCudaTest, AnOpenAlgorithmIsAskedForInVain) {
  load("b", cudaScaleArtifact(count));
  Reply reply = server.handle(AlgorithmsRequest{.id = "b", .most = 4});
  const auto *error = std::get_if<ErrorReply>(&reply);
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->isFatal);
}

TEST_F(WorkerServerCudaTest, PointersThatAreOnlyPatchedAreNotTimedOtherwise) {
  load("b", cudaScaleArtifact(count)); // no library
  auto refusal = [&](RunMode mode, ChangedPointers changes) {
    Reply reply = server.handle(TimeRequest{.ids = {"b"},
                                            .iterations = {2},
                                            .modes = {mode},
                                            .changes = {changes}});
    const auto *error = std::get_if<ErrorReply>(&reply);
    return error ? error->status : absl::OkStatus();
  };
  for (ChangedPointers changes :
       {ChangedPointers::launch, ChangedPointers::update}) {
    absl::Status status = refusal(RunMode::graph, changes);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(status.message(),
              std::string("changed pointers refused: cannot ") +
                  toString(changes));
  }
  absl::Status status = refusal(RunMode::streamCall, ChangedPointers::stage);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "time: mode 'stream-call' cannot change pointers, "
            "got 'stage'");
}

// The last one: the process has no GPU afterwards.
TEST_F(WorkerServerCudaTest, AnIllegalAddressIsFatal) {
  TestArtifact artifact = cudaScaleArtifact(count);
  cudaLaunch(artifact, "illegal", 1, {}, {});
  load("k", artifact);
  std::vector<float> x = randomFloats("x", seed);
  Reply reply = server.handle(VerifyRequest{
      .id = "k",
      .seed = seed,
      .expectedPath = writeExpected(
          "illegal", [&](int64_t i) { return 2.0 * x[size_t(i)] + 1; }),
      .trustedId = ""});
  const auto *error = std::get_if<ErrorReply>(&reply);
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->isFatal);
  EXPECT_THAT(std::string(error->status.message()),
              HasSubstr("ILLEGAL_ADDRESS"));
}

} // namespace
} // namespace minic::runtime
