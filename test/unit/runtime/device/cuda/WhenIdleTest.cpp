// SPDX-License-Identifier: Apache-2.0
//
// Runs that replay a graph where the stream is idle and launch where it is
// busy: values and counters. Built twice, for the fake driver and, with
// MINIC_TEST_ON_GPU, for a real one.

#include "test/unit/runtime/device/cuda/FakeOrRealGpu.h"
#include "test/unit/runtime/device/cuda/GraphTestProgram.h"

#include <gmock/gmock.h>

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

TEST_F(WhenIdleTest, whatCannotBeCapturedIsLaunchedAlways) {
  create(0, LibraryBehaviour::cannotBeCaptured);
  for (int i = 0; i < 3; ++i) {
    run(0);
    wait();
  }
  EXPECT_EQ(counted(), Counted(0, 3));
  EXPECT_EQ(execution->graphRefusal(), "CublasGemm cannot be captured");
  program->expectOutputs(sets[0].data());
}

} // namespace
} // namespace minic::testing
