// SPDX-License-Identifier: Apache-2.0
//
// Runs on the fake driver: what is enqueued, with which pointers, on which
// stream of which device.

#include "test/unit/runtime/device/cuda/CudaFixture.h"

#include <algorithm>
#include <thread>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class CudaExecutionTest : public CudaFixture {};

TEST_F(CudaExecutionTest, runsWithThePointersOfEachCall) {
  LoadedArtifact loaded(cudaScaleArtifact(3));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats a(*loaded, {1, 2, 3}), b(*loaded, {10, 20, 30});
  DeviceFloats y(*loaded, {0, 0, 0}), z(*loaded, {0, 0, 0});
  void *first[] = {a.data(), y.data()};
  void *second[] = {b.data(), z.data()};
  void *third[] = {b.data(), y.data()};
  ASSERT_TRUE((*execution)->run(first).ok());
  EXPECT_THAT(y.read(), ElementsAre(3, 5, 7));
  EXPECT_THAT(z.read(), ElementsAre(0, 0, 0));
  ASSERT_TRUE((*execution)->run(second).ok());
  EXPECT_THAT(z.read(), ElementsAre(21, 41, 61));
  EXPECT_THAT(y.read(), ElementsAre(3, 5, 7));
  ASSERT_TRUE((*execution)->run(third).ok());
  EXPECT_THAT(y.read(), ElementsAre(21, 41, 61));
  EXPECT_TRUE((*execution)->synchronize().ok());
  EXPECT_EQ((*execution)->graphCounters().plainRuns, 3);
}

/// In plain launches and in a graph, whose nodes are patched.
TEST_F(CudaExecutionTest, makesTensorMapsOfTheTensorsOfEachCall) {
  for (GraphMode mode : {GraphMode::Off, GraphMode::On}) {
    LoadedArtifact loaded(tensorMapArtifact(16));
    ASSERT_TRUE(loaded.status().ok()) << loaded.status();
    ExecutionOptions options{nullptr};
    options.graph = mode;
    auto execution = (*loaded).createExecution(options);
    ASSERT_TRUE(execution.ok()) << execution.status();
    std::vector<float> values(32, 7);
    DeviceFloats a(*loaded, values), v(*loaded, {0, 0});
    values[4] = 8;
    DeviceFloats b(*loaded, values), y(*loaded, {0, 0}), z(*loaded, {0, 0});
    void *first[] = {a.data(), y.data(), v.data()};
    void *second[] = {b.data(), z.data(), v.data()};
    for (int i = 0; i != 3; ++i) {
      ASSERT_TRUE((*execution)->run(first).ok());
      EXPECT_THAT(y.read(), ElementsAre(7, 7));
      EXPECT_THAT(v.read(), ElementsAre(5, 6));
      ASSERT_TRUE((*execution)->run(second).ok());
      EXPECT_THAT(z.read(), ElementsAre(8, 7));
    }
    EXPECT_EQ((*execution)->graphCounters().replays,
              mode == GraphMode::Off ? 0 : 5);
    // Only where a pointer changed.
    fake.calls.clear();
    ASSERT_TRUE((*execution)->run(second).ok());
    EXPECT_EQ(fake.callsOf("cuTensorMapEncodeTiled"), 0);
    ASSERT_TRUE((*execution)->run(first).ok());
    EXPECT_EQ(fake.callsOf("cuTensorMapEncodeTiled"), 1);
  }
}

TEST_F(CudaExecutionTest, makesTensorMapsOfImages) {
  LoadedArtifact loaded(tensorMapArtifact(16, /*isOfImages=*/true));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats x(*loaded, std::vector<float>(32, 7)), y(*loaded, {0, 0}),
      v(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data(), v.data()};
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(7, 7));
  EXPECT_THAT(v.read(), ElementsAre(5, 6));
  EXPECT_EQ(fake.callsOf("cuTensorMapEncodeTiled"), 0);
  EXPECT_EQ(fake.callsOf("cuTensorMapEncodeIm2col"), 2);
}

TEST_F(CudaExecutionTest, saysWhyThereIsNoTensorMap) {
  LoadedArtifact loaded(tensorMapArtifact(0));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats x(*loaded, std::vector<float>(32, 7)), y(*loaded, {0, 0}),
      v(*loaded, {0, 0});
  void *unaligned[] = {static_cast<char *>(x.data()) + 8, y.data(), v.data()};
  absl::Status status = (*execution)->run(unaligned);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("a tensor map of the tensor at 0x"),
                    HasSubstr("CUDA error (1)")));
  EXPECT_TRUE(fake.launches.empty());
  void *callers[] = {x.data(), y.data(), v.data()};
  EXPECT_TRUE((*execution)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(7, 7));
}

/// out0 = 2x + 1 (first half by offset), through arena, constants, copies.
TEST_F(CudaExecutionTest, resolvesEveryBaseAndOffset) {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", {4});
  artifact.input("unused", {1});
  artifact.output("y", {4});
  artifact.output("copy", {4});
  uint32_t unused = artifact.constant("unused", {8}, std::vector<float>(8));
  uint32_t w = artifact.constant("w", {6}, {0, 0, 1, 2, 3, 4});
  (void)unused;
  artifact.variant().arena_bytes = 512;
  cudaLaunch(artifact, "scale_f32", 4, {inputAddress(0), arenaAddress(256)},
             {4});
  cudaLaunch(artifact, "add_f32", 4,
             {arenaAddress(256), constantAddress(w, 8), outputAddress(0)}, {4});
  artifact.copy(outputAddress(1), inputAddress(0, 8), 8);
  artifact.fill(outputAddress(1, 8), 0, 4);
  artifact.copy(outputAddress(1, 12), arenaAddress(256), 4);
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  EXPECT_EQ(loaded->constantBytes(), 256u); // the one that is used
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats x(*loaded, {1, 2, 3, 4}), unusedInput(*loaded, {0});
  DeviceFloats y(*loaded, {0, 0, 0, 0}), copy(*loaded, {9, 9, 9, 9});
  void *callers[] = {x.data(), unusedInput.data(), y.data(), copy.data()};
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(4, 7, 10, 13));
  EXPECT_THAT(copy.read(), ElementsAre(3, 4, 0, 3));
}

TEST_F(CudaExecutionTest, runsWithItsOwnCopyOfTheConstants) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("y", {2});
  uint32_t w = artifact.constant("w", {2}, {1, 2});
  cudaLaunch(artifact, "scale_f32", 2, {constantAddress(w), outputAddress(0)},
             {2});
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  DeviceFloats copy(*loaded, std::vector<float>(loaded->constantBytes() / 4));
  ASSERT_TRUE(loaded->copyConstants(copy.data(), 1).ok());
  float changed[] = {5, 6};
  ASSERT_TRUE(loaded->memory().copyIn(copy.data(), changed, 8).ok());
  ExecutionOptions options{nullptr};
  options.constants = copy.data();
  auto own = loaded->createExecution(options);
  auto shared = loaded.execution();
  ASSERT_TRUE(own.ok() && shared.ok());
  DeviceFloats y(*loaded, {0, 0});
  void *callers[] = {y.data()};
  ASSERT_TRUE((*own)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(11, 13));
  ASSERT_TRUE((*shared)->run(callers).ok());
  EXPECT_THAT(y.read(), ElementsAre(3, 5));
}

TEST_F(CudaExecutionTest, preparesPersistentMemoryOnceForAll) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("y", {2});
  uint32_t w = artifact.constant("w", {2}, {1, 2});
  artifact.variant().persistent_bytes = 256;
  format::Address persistent(format::Base::persistent, 0, 0);
  cudaLaunch(artifact, "scale_f32", 2, {constantAddress(w), persistent}, {2});
  artifact.variant().prepare = std::move(artifact.variant().run);
  artifact.variant().run.clear();
  artifact.copy(outputAddress(0), persistent, 8);
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto first = loaded.execution(), second = loaded.execution();
  ASSERT_TRUE(first.ok() && second.ok());
  for (auto *execution : {first->get(), second->get()}) {
    DeviceFloats y(*loaded, {0, 0});
    void *callers[] = {y.data()};
    ASSERT_TRUE(execution->run(callers).ok());
    EXPECT_THAT(y.read(), ElementsAre(3, 5));
  }
  EXPECT_EQ(fake.launches.size(), 1u);
}

TEST_F(CudaExecutionTest, zeroesWhatThePlanAsksForAndNoMore) {
  TestArtifact artifact = cudaScaleArtifact(1);
  artifact.variant().arena_bytes = 512;
  artifact.variant().zeroed_bytes = 64;
  artifact.copy(outputAddress(0), arenaAddress(60), 4);
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  std::vector<float> ones(128, 1.0f);
  DeviceFloats arena(*loaded, ones);
  auto execution =
      loaded->createExecution({static_cast<std::byte *>(arena.data())});
  ASSERT_TRUE(execution.ok()) << execution.status();
  std::vector<float> after = arena.read();
  EXPECT_EQ(std::count(after.begin(), after.begin() + 16, 0.0f), 16);
  EXPECT_EQ(std::count(after.begin() + 16, after.end(), 1.0f), 112);
}

TEST_F(CudaExecutionTest, synchronizingReportsAnIndexOutOfRangeOnce) {
  TestArtifact artifact = cudaScaleArtifact(1);
  artifact.variant().arena_bytes = 512;
  artifact.variant().zeroed_bytes = 64;
  artifact.variant().status = 8;
  artifact.copy(arenaAddress(8), inputAddress(0), 4);
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  DeviceFloats arena(*loaded, std::vector<float>(128, 1.0f));
  auto execution =
      loaded->createExecution({static_cast<std::byte *>(arena.data())});
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats x(*loaded, {0}), out(*loaded, {2}), y(*loaded, {0});
  void *sound[] = {x.data(), y.data()}, *unsound[] = {out.data(), y.data()};
  ASSERT_TRUE((*execution)->run(sound).ok());
  EXPECT_TRUE((*execution)->synchronize().ok());
  ASSERT_TRUE((*execution)->run(unsound).ok());
  EXPECT_EQ((*execution)->synchronize().code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE((*execution)->synchronize().ok());
}

TEST_F(CudaExecutionTest, aRunAllocatesWaitsAndAsksNothing) {
  LoadedArtifact loaded(cudaScaleArtifact(3));
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2, 3}), y(*loaded, {0, 0, 0});
  void *callers[] = {x.data(), y.data()};
  expectRunsCallOnly({"cuLaunchKernel"}, **execution, callers);
}

TEST_F(CudaExecutionTest, launchesSayClustersSharedMemoryAndOverlap) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  auto launch = [&]() -> format::LaunchT & {
    return cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1});
  };
  launch().shared_bytes = 100 * 1024;
  format::LaunchT &clustered = launch();
  clustered.grid = {8, 2};
  clustered.cluster = {8, 2};
  launch().programmatic = true;
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_THAT(fake.launches,
              ElementsAre("increment grid=1 shared=102400",
                          "increment grid=16 shared=0 cluster=16",
                          "increment grid=1 shared=0 programmatic"));
}

TEST_F(CudaExecutionTest, neighboursAgreeHowAnSmsMemoryIsDivided) {
  TestArtifact artifact = cudaScaleArtifact(1);
  ASSERT_TRUE(LoadedArtifact(artifact).status().ok());
  EXPECT_THAT(fake.carveouts, ::testing::IsEmpty());
  // What is measured for a longer plan.
  LoadedArtifact part(artifact, /*deviceIndex=*/0, /*isPart=*/true);
  ASSERT_TRUE(part.status().ok()) << part.status();
  EXPECT_THAT(fake.carveouts, ElementsAre(Pair("scale_f32", 100)));
  fake.carveouts.clear();
  cudaLaunch(artifact, "add_f32", 1,
             {inputAddress(0), inputAddress(0), outputAddress(0)}, {1});
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  EXPECT_THAT(fake.carveouts,
              ::testing::UnorderedElementsAre(Pair("scale_f32", 100),
                                              Pair("add_f32", 100)));
}

TEST_F(CudaExecutionTest, acceptsStreamsOfItsOwnContextOnly) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  CallerStream mine(0), other(1);
  EXPECT_TRUE((*execution)->setStream(mine.get()).ok());
  EXPECT_TRUE((*execution)->setStream(nullptr).ok());
  EXPECT_TRUE((*execution)->setStream(CU_STREAM_PER_THREAD).ok());
  absl::Status status = (*execution)->setStream(other.get());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "stream: expected one of the primary context of CUDA device 0, got "
            "one of another context or device");
  EXPECT_FALSE(loaded.execution(other.get()).ok());
}

TEST_F(CudaExecutionTest, pointersOfTheHostOrAnotherDeviceAreNamed) {
  LoadedArtifact first(cudaScaleArtifact(1), 0),
      second(cudaScaleArtifact(1), 1);
  DeviceFloats on0(*first, {1}), on1(*second, {1});
  EXPECT_TRUE(first->checkPointer(on0.data()).ok());
  EXPECT_TRUE(second->checkPointer(on1.data()).ok());
  EXPECT_EQ(first->checkPointer(on1.data()).message(),
            "expected memory of CUDA device 0, got memory of CUDA device 1");
  float host = 0;
  absl::Status status = second->checkPointer(&host);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "expected memory of CUDA device 1, got host memory");
  void *pinned = *first->memory().allocatePinned(64);
  EXPECT_EQ(first->checkPointer(pinned).message(),
            "expected memory of CUDA device 0, got pinned host memory");
  first->memory().releasePinned(pinned);
}

TEST_F(CudaExecutionTest, devicesAndCallersContextsDoNotMeet) {
  CallerStream stream0(0), stream1(1);
  CudaScope callers(stream1.owner());
  CUcontext before = current();
  LoadedArtifact first(cudaScaleArtifact(1), 0),
      second(cudaScaleArtifact(1), 1);
  ASSERT_TRUE(first.status().ok() && second.status().ok());
  auto on0 = first.execution(stream0.get());
  auto on1 = second.execution(stream1.get());
  ASSERT_TRUE(on0.ok() && on1.ok());
  DeviceFloats x0(*first, {1}), y0(*first, {0});
  DeviceFloats x1(*second, {2}), y1(*second, {0});
  void *callers0[] = {x0.data(), y0.data()};
  void *callers1[] = {x1.data(), y1.data()};
  EXPECT_TRUE((*on0)->run(callers0).ok());
  EXPECT_TRUE((*on1)->run(callers1).ok());
  EXPECT_TRUE((*on0)->synchronize().ok());
  EXPECT_THAT(y0.read(), ElementsAre(3));
  EXPECT_THAT(y1.read(), ElementsAre(5));
  EXPECT_EQ(first->place().index, 0);
  EXPECT_EQ(second->place().index, 1);
  EXPECT_EQ(current(), before);
}

TEST_F(CudaExecutionTest, aCallersCaptureGetsTheLaunches) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  CallerStream stream;
  auto execution = loaded.execution(stream.get());
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1}), y(*loaded, {0});
  void *callers[] = {x.data(), y.data()};
  CudaScope scope(stream.owner());
  ASSERT_EQ(driver().cuStreamBeginCapture(stream.get(),
                                          CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_TRUE((*execution)->run(callers).ok());
  absl::Status status = (*execution)->synchronize();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "synchronize: expected a stream that is not being captured");
  EXPECT_FALSE(loaded->memory().allocateOn(stream.get(), 64).ok());
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
  size_t nodes = 0;
  driver().cuGraphGetNodes(graph, nullptr, &nodes);
  EXPECT_EQ(nodes, 1u);
  EXPECT_THAT(y.read(), ElementsAre(0));
  driver().cuGraphDestroy(graph);
}

TEST_F(CudaExecutionTest, anIllegalAddressIsReportedAndLosesTheContext) {
  TestArtifact artifact = cudaScaleArtifact(1);
  cudaLaunch(artifact, "illegal", 1, {}, {});
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  auto x = std::make_unique<DeviceFloats>(*loaded, std::vector<float>{1});
  auto y = std::make_unique<DeviceFloats>(*loaded, std::vector<float>{0});
  void *callers[] = {x->data(), y->data()};
  EXPECT_TRUE((*execution)->run(callers).ok()); // it is not waited for
  absl::Status status = (*execution)->synchronize();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("a run on CUDA device 0 failed"),
                    HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"),
                    HasSubstr("the CUDA context is lost")));
  status = (*execution)->run(callers);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("launch 'scale_f32'"));
  EXPECT_FALSE(loaded->memory().allocate(64).ok());
}

TEST_F(CudaExecutionTest, executionsRunOnTheirOwnThreadsAndStreams) {
  constexpr int threads = 4, runs = 50;
  LoadedArtifact loaded(cudaScaleArtifact(2));
  ASSERT_TRUE(loaded.status().ok());
  std::vector<std::thread> team;
  std::vector<std::unique_ptr<CallerStream>> streams;
  std::vector<std::unique_ptr<Execution>> executions;
  for (int i = 0; i < threads; ++i) {
    streams.push_back(std::make_unique<CallerStream>());
    auto execution = loaded.execution(streams.back()->get());
    ASSERT_TRUE(execution.ok());
    executions.push_back(std::move(*execution));
  }
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      for (int run = 0; run < runs; ++run) {
        float value = float(100 * i + run);
        DeviceFloats x(*loaded, {value, -value}), y(*loaded, {0, 0});
        void *callers[] = {x.data(), y.data()};
        EXPECT_TRUE(executions[i]->run(callers).ok());
        EXPECT_TRUE(executions[i]->synchronize().ok());
        EXPECT_THAT(y.read(), ElementsAre(2 * value + 1, -2 * value + 1));
      }
    });
  }
  for (std::thread &thread : team) {
    thread.join();
  }
}

TEST_F(CudaExecutionTest, recordsRunsAndReplaysThem) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  format::LaunchT &launch =
      cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1});
  launch.block = {1};
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok());
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  auto recorded = loaded->record([&](void *stream) {
    absl::Status status = (*execution)->setStream(stream);
    for (int i = 0; i < 5 && status.ok(); ++i) {
      status = (*execution)->run(callers);
    }
    return status;
  });
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  int64_t count = 0;
  ASSERT_TRUE(loaded->memory().copyOut(&count, n.data(), 8).ok());
  EXPECT_EQ(count, 0); // recorded, not run
  for (int replay = 1; replay <= 3; ++replay) {
    absl::StatusOr<double> microseconds = (*recorded)->replay();
    ASSERT_TRUE(microseconds.ok()) << microseconds.status();
    EXPECT_GE(*microseconds, 0);
    ASSERT_TRUE(loaded->memory().copyOut(&count, n.data(), 8).ok());
    EXPECT_EQ(count, 5 * replay);
  }
}

TEST_F(CudaExecutionTest, tracesOneRunCommandByCommand) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  artifact.fill(outputAddress(0), 0, 0); // moves nothing
  for (int i = 0; i < 3; ++i) {
    cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1}).block = {1};
  }
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok());
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  absl::StatusOr<RunTrace> trace = (*execution)->trace(callers);
  ASSERT_TRUE(trace.ok()) << trace.status();
  int64_t count = 0;
  ASSERT_TRUE(loaded->memory().copyOut(&count, n.data(), 8).ok());
  EXPECT_EQ(count, 3); // run once
  EXPECT_EQ(trace->clock, "CUDA events");
  ASSERT_EQ(trace->commands.size(), 3u);
  double end = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace->commands[i].command, i + 1);
    EXPECT_EQ(trace->commands[i].beginUs, end);
    EXPECT_GE(trace->commands[i].endUs, end);
    end = trace->commands[i].endUs;
  }
  EXPECT_EQ(trace->spanUs, end);
  ASSERT_TRUE((*execution)->run(callers).ok());
  ASSERT_TRUE((*execution)->synchronize().ok());
  ASSERT_TRUE(loaded->memory().copyOut(&count, n.data(), 8).ok());
  EXPECT_EQ(count, 6);
}

TEST_F(CudaExecutionTest, rangesHoldOneCommandEachAndLeaveNoGraph) {
  struct Told : CommandRanges {
    void begin(uint32_t command) const override {
      commands.push_back(int(command));
    }
    void end() const override { commands.push_back(-1); }
    mutable std::vector<int> commands;
  } told;
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  artifact.fill(outputAddress(0), 0, 0); // moves nothing
  for (int i = 0; i < 2; ++i) {
    cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1}).block = {1};
  }
  LoadedArtifact loaded(artifact);
  ExecutionOptions options{nullptr};
  options.graph = GraphMode::On;
  options.ranges = &told;
  auto execution = loaded->createExecution(options);
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE((*execution)->run(callers).ok());
  }
  ASSERT_TRUE((*execution)->synchronize().ok());
  EXPECT_THAT(told.commands, ElementsAre(1, -1, 2, -1, 1, -1, 2, -1));
  EXPECT_EQ((*execution)->graphCounters().instantiations, 0);
  EXPECT_EQ((*execution)->graphCounters().plainRuns, 2);
}

TEST_F(CudaExecutionTest, aRecordingThatFailsLeavesNothing) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  auto recorded = loaded->record(
      [](void *) { return absl::CancelledError("changed my mind"); });
  EXPECT_EQ(recorded.status().message(), "changed my mind");
  // A wait inside ends the capture.
  recorded = loaded->record([&](void *stream) {
    driver().cuStreamSynchronize(static_cast<CUstream>(stream));
    return absl::OkStatus();
  });
  EXPECT_EQ(recorded.status().code(), absl::StatusCode::kInternal);
}

TEST_F(CudaExecutionTest, algorithmsAreAskedOfAnOpenLibraryCallOnly) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  EXPECT_EQ(loaded->algorithms(4, 0).status().code(),
            absl::StatusCode::kUnimplemented);
}

} // namespace
} // namespace minic::runtime
