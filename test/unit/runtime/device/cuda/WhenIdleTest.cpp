// SPDX-License-Identifier: Apache-2.0
//
// Runs that replay a graph where the stream is idle and launch where it is
// busy: values and counters. Built twice, for the fake driver and, with
// MINIC_TEST_ON_GPU, for a real one.

#include "test/unit/runtime/device/cuda/FakeOrRealGpu.h"
#include "test/unit/runtime/device/cuda/GraphTestProgram.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>

namespace minic::testing {
namespace {

using namespace runtime;

/// Longer than any test: only who waits finds the stream idle.
constexpr double endlessUs = 1e12;

class WhenIdleTest : public FakeOrRealGpu {
protected:
  void create(double runUs,
              LibraryBehaviour behaviour = LibraryBehaviour::works) {
    program = std::make_unique<GraphTestProgram>(behaviour);
    ASSERT_TRUE(program->status().ok()) << program->status();
    for (std::vector<void *> &callers : sets) {
      for (int i = 0; i < 5; ++i) {
        callers.push_back(program->allocate(float(10 * i)));
      }
    }
    auto created = program->createExecution(GraphMode::WhenIdle, runUs);
    ASSERT_TRUE(created.ok()) << created.status();
    execution = *std::move(created);
  }
  void run(int set) {
    absl::Status status = execution->run(sets[set].data());
    EXPECT_TRUE(status.ok()) << status;
  }
  void wait() { EXPECT_TRUE(execution->synchronize().ok()); }
  /// {replays, plain runs} so far.
  std::pair<int64_t, int64_t> counted() {
    GraphCounters counters = execution->graphCounters();
    return {counters.replays, counters.plainRuns};
  }

  std::unique_ptr<GraphTestProgram> program;
  std::unique_ptr<CudaExecution> execution;
  std::vector<void *> sets[3];
};

using Counted = std::pair<int64_t, int64_t>;

TEST_F(WhenIdleTest, anIdleStreamReplaysAndABusyOneIsLaunchedOn) {
  create(endlessUs);
  run(0); // launches, then captures
  wait();
  EXPECT_EQ(counted(), Counted(0, 1));
  int64_t instantiations = execution->graphCounters().instantiations;
  EXPECT_GT(instantiations, 0);
  constexpr int rounds = 12; // so that pointers come again, and others
  for (int round = 0; round < rounds; ++round) {
    for (std::vector<void *> &callers : sets) {
      GraphTestProgram::Floats a(GraphTestProgram::count);
      for (size_t i = 0; i < a.size(); ++i) {
        a[i] = 0.1f * float(i) + float(round);
      }
      program->write(callers[0], a);
      for (int output = 2; output < 5; ++output) {
        program->write(callers[output],
                       GraphTestProgram::Floats(GraphTestProgram::count));
      }
    }
    // The one that replays has other pointers every time.
    for (int i = 0; i < 3; ++i) {
      run((round + i) % 3);
    }
    wait();
    for (const std::vector<void *> &callers : sets) {
      program->expectOutputs(callers.data());
    }
    EXPECT_EQ(counted(), Counted(round + 1, 1 + 2 * (round + 1)));
  }
  EXPECT_EQ(execution->graphCounters().instantiations, instantiations);
  EXPECT_EQ(execution->graphRefusal(), "");
}

TEST_F(WhenIdleTest, replayedAndLaunchedRunsAgreeBitForBit) {
  create(endlessUs);
  run(0);
  wait();
  run(0);
  wait();
  std::vector<GraphTestProgram::Floats> replayed;
  for (int output = 2; output < 5; ++output) {
    replayed.push_back(program->read(sets[0][output]));
  }
  ASSERT_EQ(counted(), Counted(1, 1));
  run(1); // replays and keeps the stream busy
  run(0);
  wait();
  ASSERT_EQ(counted(), Counted(2, 2));
  for (int output = 2; output < 5; ++output) {
    GraphTestProgram::Floats launched = program->read(sets[0][output]);
    EXPECT_EQ(std::memcmp(launched.data(), replayed[output - 2].data(),
                          launched.size() * sizeof(float)),
              0);
  }
}

TEST_F(WhenIdleTest, anEstimateOfNoTimeReplaysAlways) {
  create(0);
  for (int i = 0; i < 7; ++i) {
    run(i % 3);
  }
  wait();
  EXPECT_EQ(counted(), Counted(6, 1));
  program->expectOutputs(sets[0].data());
}

TEST_F(WhenIdleTest, anotherStreamIsTakenToBeIdle) {
  create(endlessUs);
  run(0);
  run(0);
  EXPECT_EQ(counted(), Counted(0, 2));
  ASSERT_TRUE(execution->setStream(program->stream()).ok());
  run(0);
  EXPECT_EQ(counted(), Counted(1, 2));
  program->expectOutputs(sets[0].data());
}

/// One kernel that adds one to an i64, of 25 us where the SM's clock is 2 GHz.
TestArtifact lingeringArtifact() {
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  cudaLaunch(artifact, "linger", 1, {outputAddress(0)}, {1, 50000}).block = {1};
  return artifact;
}

double microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

/// Of one of `runs`.
double timeRuns(Execution &execution, void *const *callers, int runs,
                bool waitsForEach) {
  auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < runs; ++run) {
    EXPECT_TRUE(execution.run(callers).ok());
    if (waitsForEach) {
      EXPECT_TRUE(execution.synchronize().ok());
    }
  }
  EXPECT_TRUE(execution.synchronize().ok());
  return microsecondsSince(start) / runs;
}

TEST_F(WhenIdleTest, aBurstThatFillsTheStreamsQueueIsLaunched) {
  LoadedArtifact loaded(lingeringArtifact());
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  DeviceFloats n(*loaded, {0, 0}); // an i64
  void *callers[] = {n.data()};
  ExecutionOptions options{nullptr};
  options.graph = GraphMode::Off;
  auto launching = loaded->createExecution(options);
  ASSERT_TRUE(launching.ok()) << launching.status();
  constexpr int warmUps = 100, timed = 200;
  timeRuns(**launching, callers, warmUps, false);
  double runUs = (timeRuns(**launching, callers, timed, false) +
                  timeRuns(**launching, callers, timed, true)) /
                 2;
#ifndef MINIC_TEST_ON_GPU
  runUs = endlessUs; // the fake's kernels take no time
#endif
  options.graph = GraphMode::WhenIdle;
  options.runUs = runUs;
  auto execution = loaded->createExecution(options);
  ASSERT_TRUE(execution.ok()) << execution.status();
  ASSERT_TRUE((*execution)->run(callers).ok()); // launches, then captures
  ASSERT_TRUE((*execution)->synchronize().ok());

  constexpr int burst = 8192; // eight times what a stream's queue takes
  auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < burst; ++run) {
    ASSERT_TRUE((*execution)->run(callers).ok());
  }
  double enqueuedUs = microsecondsSince(start);
  ASSERT_TRUE((*execution)->synchronize().ok());
  double us = microsecondsSince(start);
  GraphCounters counters = (*execution)->graphCounters();
  std::printf("%d runs of %.1f us (estimate %.1f us), enqueued in %.1f ms of "
              "%.1f: %d replays\n",
              burst, us / burst, runUs, enqueuedUs / 1e3, us / 1e3,
              int(counters.replays));
  EXPECT_EQ(counters.replays + counters.plainRuns, 1 + burst);
  // The first one, and one more wherever the host is held up for so long that
  // the stream does run dry.
  EXPECT_GE(counters.replays, 1);
  EXPECT_LE(counters.replays, 5);
#ifdef MINIC_TEST_ON_GPU
  EXPECT_GT(us / burst, 15);
  EXPECT_GT(enqueuedUs, us / 2); // the host had to wait for a place
#endif
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_EQ((*execution)->graphCounters().replays, counters.replays + 1);
  ASSERT_TRUE((*execution)->synchronize().ok());
  int64_t count = 0;
  ASSERT_TRUE(loaded->memory().copyOut(&count, n.data(), sizeof(count)).ok());
  EXPECT_EQ(count, warmUps + 2 * timed + 1 + burst + 1);
}

TEST_F(WhenIdleTest, whatCannotBeCapturedIsLaunchedAlways) {
  create(0, LibraryBehaviour::cannotBeCaptured);
  for (int i = 0; i < 3; ++i) {
    run(0);
    wait();
  }
  EXPECT_EQ(counted(), Counted(0, 3));
  EXPECT_EQ(execution->graphRefusal(), "cublas gemm cannot be captured");
  program->expectOutputs(sets[0].data());
}

} // namespace
} // namespace minic::testing
