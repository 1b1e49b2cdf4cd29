// SPDX-License-Identifier: Apache-2.0
//
// Pointers of a library call that change: what an artifact says of them is
// done, and what a worker is asked to time. Built twice, as CublasFixture says.

#include "runtime/measure/WorkerServer.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/cublas/CublasFixture.h"

#include <fstream>
#include <unistd.h>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

std::unique_ptr<format::TensorViewT> matrix(format::Address address) {
  auto view = std::make_unique<format::TensorViewT>();
  view->address = std::make_unique<format::Address>(address);
  view->dtype = format::DType::f32;
  view->dims = {4, 4};
  view->strides = {4, 1};
  return view;
}

/// c = a * b by cuBLAS, d = 2 * c + 1.
TestArtifact product() {
  TestArtifact artifact = cudaArtifact();
  for (const char *name : {"a", "b"}) {
    artifact.input(name, {4, 4});
  }
  for (const char *name : {"c", "d"}) {
    artifact.output(name, {4, 4});
  }
  format::CallT &gemm = artifact.call(libraryCall("cublas", "gemm"));
  setOperand(gemm, "lhs", matrix(inputAddress(0)));
  setOperand(gemm, "rhs", matrix(inputAddress(1)));
  setOperand(gemm, "result", matrix(outputAddress(0)));
  setText(gemm, "compute", "f32");
  cudaLaunch(artifact, "scale_f32", 16, {outputAddress(0), outputAddress(1)},
             {16});
  return artifact;
}

TestArtifact product(bool stage, uint32_t runsBeforeUpdate) {
  TestArtifact artifact = product();
  artifact.variant().graph = std::make_unique<format::GraphVerdictT>();
  format::GraphVerdictT &graph = *artifact.variant().graph;
  graph.replay = format::Replay::always;
  graph.pointer_changes = std::make_unique<format::PointerChangesT>();
  graph.pointer_changes->stage = stage;
  graph.pointer_changes->runs_before_update = runsBeforeUpdate;
  return artifact;
}

class ChangedPointersTest : public CublasFixture {
protected:
  /// Of a run on tensors of `program` that no run had before, and then of
  /// `again` more on the same.
  /// `prepares`: prepare() was told of them.
  GraphCounters countersOf(const TestArtifact &artifact, int again,
                           bool prepares = false) {
    LoadedArtifact program(artifact);
    EXPECT_TRUE(program.status().ok()) << program.status();
    EXPECT_TRUE(program->libraryUsesCallers());
    auto execution = program.execution();
    EXPECT_TRUE(execution.ok()) << execution.status();
    std::vector<std::unique_ptr<DeviceFloats>> tensors;
    std::vector<void *> callers[2];
    for (int set = 0; set < 2; ++set) {
      for (int i = 0; i < 4; ++i) {
        tensors.push_back(std::make_unique<DeviceFloats>(
            *program, std::vector<float>(16, float(set + 1))));
        callers[set].push_back(tensors.back()->data());
      }
    }
    EXPECT_TRUE((*execution)->run(callers[0].data()).ok());
    if (prepares) {
      EXPECT_TRUE((*execution)->prepare(callers[1].data()).ok());
    }
    for (int run = 0; run <= again; ++run) {
      EXPECT_TRUE((*execution)->run(callers[1].data()).ok());
    }
    EXPECT_TRUE((*execution)->synchronize().ok());
    EXPECT_EQ((*execution)->graphRefusal(), "");
#ifdef MINIC_TEST_ON_GPU // the fake library's calls leave no node
    EXPECT_EQ(tensors.back()->read(), std::vector<float>(16, 2 * 16 + 1));
#endif
    return (*execution)->graphCounters();
  }
};

TEST_F(ChangedPointersTest, AreFollowedAsTheArtifactSays) {
  GraphCounters staged = countersOf(product(true, 3), 2);
  EXPECT_EQ(staged.instantiations, 2);
  EXPECT_EQ(staged.replays, 3);
  EXPECT_EQ(staged.plainRuns, 1);
  EXPECT_EQ(staged.updates, 0);
  EXPECT_EQ(countersOf(product(true, 3), 3).updates, 1);

  GraphCounters launched = countersOf(product(false, 3), 2);
  EXPECT_EQ(launched.instantiations, 1);
  EXPECT_EQ(launched.replays, 0);
  EXPECT_EQ(launched.plainRuns, 4);
  EXPECT_EQ(launched.updates, 0);
  EXPECT_EQ(countersOf(product(false, 3), 3).updates, 1);
  EXPECT_EQ(countersOf(product(false, 0), 50).updates, 0); // never
}

TEST_F(ChangedPointersTest, AreReplayedAtOnceIfPreparedFor) {
  GraphCounters counters = countersOf(product(false, 0), 5, /*prepares=*/true);
  EXPECT_EQ(counters.instantiations, 1);
  EXPECT_EQ(counters.updates, 1);
  EXPECT_EQ(counters.replays, 6);
  EXPECT_EQ(counters.plainRuns, 2);
}

TEST_F(ChangedPointersTest, WithoutAMeasurementAreStagedForEightRuns) {
  TestArtifact artifact = product(false, 0);
  artifact.variant().graph->pointer_changes.reset();
  EXPECT_EQ(countersOf(artifact, 7).instantiations, 2);
  EXPECT_EQ(countersOf(artifact, 7).updates, 0);
  EXPECT_EQ(countersOf(artifact, 8).updates, 1);
}

TEST_F(ChangedPointersTest, AreTimedInEveryWay) {
  std::string path = ::testing::TempDir() + "/changed-pointers-" +
                     std::to_string(getpid()) + ".minic";
  std::vector<std::byte> bytes = product().bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
  WorkerServer server;
  Reply loaded = server.handle(LoadRequest{.id = "a", .path = path});
  ::unlink(path.c_str());
  ASSERT_TRUE(std::holds_alternative<LoadReply>(loaded));
  EXPECT_TRUE(std::get<LoadReply>(loaded).libraryUsesCallers);
#ifndef MINIC_TEST_ON_GPU
  fakeCuda().calls.clear();
#endif
  TimeRequest request;
  for (ChangedPointers changes :
       {ChangedPointers::none, ChangedPointers::stage, ChangedPointers::launch,
        ChangedPointers::update}) {
    for (RunMode mode : {RunMode::graph, RunMode::graphCall}) {
      request.ids.push_back("a");
      request.iterations.push_back(3);
      request.modes.push_back(mode);
      request.changes.push_back(changes);
    }
  }
  Reply reply = server.handle(request);
  ASSERT_TRUE(std::holds_alternative<TimeReply>(reply))
      << std::get<ErrorReply>(reply).status;
  for (double us : std::get<TimeReply>(reply).microseconds) {
    EXPECT_GT(us, 0);
#ifdef MINIC_TEST_ON_GPU
    EXPECT_LT(us, 10000);
#endif
  }
#ifndef MINIC_TEST_ON_GPU
  // One graph each, and one more that stages, which by default there is, too.
  EXPECT_EQ(fakeCuda().calls["cuGraphInstantiateWithFlags"], 6);
  // Two times three runs, and back to where the second three start from.
  EXPECT_EQ(fakeCuda().calls["cuGraphExecUpdate"], 7);
#endif
}

} // namespace
} // namespace minic::runtime
