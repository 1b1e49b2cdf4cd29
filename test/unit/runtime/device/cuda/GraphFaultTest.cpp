// SPDX-License-Identifier: Apache-2.0
//
// Graphs on the fake driver: what a run asks of it, and what happens where it
// refuses.

#include "test/unit/runtime/device/cuda/CudaFixture.h"
#include "test/unit/runtime/device/cuda/GraphTestProgram.h"

namespace minic::testing {
namespace {

using namespace runtime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GraphFaultTest : public CudaFixture {
protected:
  /// Executions of y = 2 * x + 1 whose graph is `replay`'s choice.
  static TestArtifact measured(format::Replay replay, double runUs = 0) {
    TestArtifact artifact = cudaScaleArtifact(2);
    artifact.variant().graph = std::make_unique<format::GraphVerdictT>();
    artifact.variant().graph->replay = replay;
    artifact.variant().graph->run_us = runUs;
    return artifact;
  }
  static absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(const LoadedArtifact &loaded, GraphMode mode,
                  void *stream = nullptr) {
    ExecutionOptions options{nullptr};
    options.stream = stream;
    options.graph = mode;
    return loaded->createExecution(options);
  }
};

TEST_F(GraphFaultTest, followsTheArtifactUnlessTold) {
  for (bool replay : {false, true}) {
    LoadedArtifact loaded(
        measured(replay ? format::Replay::always : format::Replay::never));
    ASSERT_TRUE(loaded.status().ok()) << loaded.status();
    DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
    void *callers[] = {x.data(), y.data()};
    for (auto [mode, expected] :
         {std::pair{GraphMode::Artifact, replay},
          std::pair{GraphMode::Off, false}, std::pair{GraphMode::On, true}}) {
      auto execution = createExecution(loaded, mode);
      ASSERT_TRUE(execution.ok()) << execution.status();
      for (int run = 0; run < 3; ++run) {
        ASSERT_TRUE((*execution)->run(callers).ok());
      }
      GraphCounters counters = (*execution)->graphCounters();
      EXPECT_EQ(counters.instantiations, expected ? 1 : 0);
      EXPECT_EQ(counters.replays, expected ? 2 : 0);
      EXPECT_EQ(counters.plainRuns, expected ? 1 : 3);
      EXPECT_THAT(y.read(), ElementsAre(3, 5));
    }
  }
}

TEST_F(GraphFaultTest, replaysWhenIdleAsTheArtifactSays) {
  LoadedArtifact loaded(measured(format::Replay::when_idle, /*runUs=*/1e12));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data()};
  for (auto [mode, replays] :
       {std::pair{GraphMode::Artifact, 2}, std::pair{GraphMode::Off, 0},
        std::pair{GraphMode::On, 5}}) {
    auto execution = createExecution(loaded, mode);
    ASSERT_TRUE(execution.ok()) << execution.status();
    for (int run = 0; run < 6; ++run) {
      ASSERT_TRUE((*execution)->run(callers).ok());
      if (run % 2 == 1) {
        ASSERT_TRUE((*execution)->synchronize().ok());
      }
    }
    EXPECT_EQ((*execution)->graphCounters().replays, replays);
    EXPECT_EQ((*execution)->graphCounters().plainRuns, 6 - replays);
    EXPECT_THAT(y.read(), ElementsAre(3, 5));
  }
}

TEST_F(GraphFaultTest, aRunOnABusyStreamLaunchesAndNoMore) {
  LoadedArtifact loaded(measured(format::Replay::when_idle, /*runUs=*/1e12));
  auto execution = createExecution(loaded, GraphMode::Artifact);
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data()};
  expectRunsCallOnly({"cuLaunchKernel"}, **execution, callers);
}

TEST_F(GraphFaultTest, aCallersCaptureIsNoFirstRun) {
  LoadedArtifact loaded(measured(format::Replay::when_idle, /*runUs=*/1e12));
  CallerStream stream;
  auto execution = createExecution(loaded, GraphMode::Artifact, stream.get());
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data()};
  CudaScope scope(stream.owner());
  ASSERT_EQ(driver().cuStreamBeginCapture(stream.get(),
                                          CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_TRUE((*execution)->run(callers).ok());
  CUgraph graph = nullptr;
  ASSERT_EQ(driver().cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
  driver().cuGraphDestroy(graph);
  EXPECT_EQ((*execution)->graphCounters().instantiations, 0);
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_EQ((*execution)->graphCounters().instantiations, 1);
  ASSERT_TRUE((*execution)->synchronize().ok());
  ASSERT_TRUE((*execution)->run(callers).ok());
  EXPECT_EQ((*execution)->graphCounters().replays, 1);
}

TEST_F(GraphFaultTest, aRunOnTheSamePointersLaunchesAndNoMore) {
  LoadedArtifact loaded(cudaScaleArtifact(2));
  auto execution = createExecution(loaded, GraphMode::On);
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data()};
  expectRunsCallOnly({"cuGraphLaunch", "cuStreamIsCapturing"}, **execution,
                     callers);
}

TEST_F(GraphFaultTest, aCallersCaptureGetsTheLaunches) {
  LoadedArtifact loaded(cudaScaleArtifact(2));
  CallerStream stream;
  auto execution = createExecution(loaded, GraphMode::On, stream.get());
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
  void *callers[] = {x.data(), y.data()};
  CudaScope scope(stream.owner());
  // Once before there is a graph, once after.
  for (int64_t replays : {0, 1}) {
    ASSERT_EQ(driver().cuStreamBeginCapture(stream.get(),
                                            CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    EXPECT_TRUE((*execution)->isCapturing());
    EXPECT_TRUE((*execution)->run(callers).ok());
    CUgraph graph = nullptr;
    ASSERT_EQ(driver().cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
    EXPECT_FALSE((*execution)->isCapturing());
    CUgraphNode node = nullptr;
    size_t nodes = 1;
    driver().cuGraphGetNodes(graph, &node, &nodes);
    EXPECT_EQ(nodes, 1u);
    CUgraphNodeType type;
    driver().cuGraphNodeGetType(node, &type);
    EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
    driver().cuGraphDestroy(graph);
    EXPECT_EQ((*execution)->graphCounters().instantiations, replays);
    EXPECT_TRUE((*execution)->run(callers).ok());
    EXPECT_TRUE((*execution)->run(callers).ok());
  }
  EXPECT_EQ((*execution)->graphCounters().plainRuns, 3);
  EXPECT_EQ((*execution)->graphCounters().replays, 3);
}

TEST_F(GraphFaultTest, aCallersCaptureNeverSeesWhatCannotBeCaptured) {
  GraphTestProgram program(LibraryBehaviour::cannotBeCaptured);
  ASSERT_TRUE(program.status().ok()) << program.status();
  std::vector<void *> callers;
  for (int i = 0; i < 5; ++i) {
    callers.push_back(program.allocate(float(i)));
  }
  for (GraphMode mode : {GraphMode::Off, GraphMode::On}) {
    auto execution = program.createExecution(mode);
    ASSERT_TRUE(execution.ok()) << execution.status();
    CudaScope scope(*program.context());
    ASSERT_EQ(driver().cuStreamBeginCapture(program.stream(),
                                            CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    absl::Status status = (*execution)->run(callers.data());
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(status.message(),
              "run: expected a stream that is not being captured: cublas gemm "
              "cannot be captured");
    // The capture is whole and has nothing of the run.
    CUgraph graph = nullptr;
    ASSERT_EQ(driver().cuStreamEndCapture(program.stream(), &graph),
              CUDA_SUCCESS);
    size_t nodes = 1;
    driver().cuGraphGetNodes(graph, nullptr, &nodes);
    EXPECT_EQ(nodes, 0u);
    driver().cuGraphDestroy(graph);
    ASSERT_TRUE((*execution)->run(callers.data()).ok());
    program.expectOutputs(callers.data());
  }
}

TEST_F(GraphFaultTest, runsPlainlyWhereNoGraphCanBeMade) {
  for (const char *function : {"cuStreamBeginCapture", "cuStreamGetCaptureInfo",
                               "cuGraphInstantiateWithFlags"}) {
    LoadedArtifact loaded(cudaScaleArtifact(2));
    auto execution = createExecution(loaded, GraphMode::On);
    ASSERT_TRUE(execution.ok());
    DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0});
    void *callers[] = {x.data(), y.data()};
    fake.failFunction = function;
    for (int run = 0; run < 3; ++run) {
      EXPECT_TRUE((*execution)->run(callers).ok());
    }
    EXPECT_GT(fake.callsOf(function), 0) << function;
    fake.failFunction.clear();
    EXPECT_THAT(y.read(), ElementsAre(3, 5));
    EXPECT_EQ((*execution)->graphCounters().plainRuns, 3);
    EXPECT_EQ((*execution)->graphCounters().replays, 0);
    EXPECT_THAT((*execution)->graphRefusal(), HasSubstr("a graph"));
  }
}

TEST_F(GraphFaultTest, runsPlainlyWhereANodeCannotBeChanged) {
  LoadedArtifact loaded(cudaScaleArtifact(2));
  auto execution = createExecution(loaded, GraphMode::On);
  ASSERT_TRUE(execution.ok());
  DeviceFloats x(*loaded, {1, 2}), y(*loaded, {0, 0}), z(*loaded, {0, 0});
  void *first[] = {x.data(), y.data()}, *second[] = {x.data(), z.data()};
  ASSERT_TRUE((*execution)->run(first).ok());
  fake.failFunction = "cuGraphExecKernelNodeSetParams";
  EXPECT_TRUE((*execution)->run(second).ok());
  EXPECT_THAT(z.read(), ElementsAre(3, 5));
  EXPECT_THAT((*execution)->graphRefusal(), HasSubstr("changing a node"));
  EXPECT_EQ(fake.callsOf(fake.failFunction), 1);
}

TEST_F(GraphFaultTest, stagesWhereAnUpdateFails) {
  GraphTestProgram program;
  ASSERT_TRUE(program.status().ok()) << program.status();
  auto graph = program.createGraph();
  ASSERT_TRUE(graph.ok());
  std::vector<void *> first, second;
  for (int i = 0; i < 5; ++i) {
    first.push_back(program.allocate(float(i)));
    second.push_back(program.allocate(float(10 * i)));
  }
  ASSERT_TRUE(program.run(**graph, first.data()).ok());
  fake.failFunction = "cuGraphExecUpdate";
  for (int run = 0; run < 30; ++run) {
    ASSERT_TRUE(program.run(**graph, second.data()).ok());
    program.expectOutputs(second.data());
  }
  ASSERT_TRUE(program.run(**graph, first.data()).ok());
  program.expectOutputs(first.data());
  EXPECT_EQ(fake.callsOf(fake.failFunction), 1);
  EXPECT_EQ((*graph)->counters().updates, 0);
  EXPECT_EQ((*graph)->counters().replays, 31);
  EXPECT_EQ((*graph)->refusal(), "");
  CudaScope scope(*program.context());
  graph->reset();
}

TEST_F(GraphFaultTest, stagesThatDoNotFitAreAnErrorAtCreation) {
  GraphTestProgram program;
  ASSERT_TRUE(program.status().ok()) << program.status();
  fake.failAllocation = 1;
  absl::Status status = program.createGraph(1000).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("2048 bytes of memory of CUDA device 0 for a graph"));
}

TEST_F(GraphFaultTest, onlyNodesThatUseAPointerAreChanged) {
  GraphTestProgram program;
  ASSERT_TRUE(program.status().ok()) << program.status();
  auto graph = program.createGraph();
  ASSERT_TRUE(graph.ok());
  std::vector<void *> callers;
  for (int i = 0; i < 5; ++i) {
    callers.push_back(program.allocate(float(i)));
  }
  ASSERT_TRUE(program.run(**graph, callers.data()).ok());
  struct Case {
    int caller, kernels, copies, fills;
  };
  // a: both kernels; c: one of them; e: the copy and the fill.
  for (Case each : {Case{0, 2, 0, 0}, Case{2, 1, 0, 0}, Case{4, 0, 1, 1}}) {
    fake.calls.clear();
    callers[each.caller] = program.allocate(7);
    ASSERT_TRUE(program.run(**graph, callers.data()).ok());
    EXPECT_EQ(fake.calls["cuGraphExecKernelNodeSetParams"], each.kernels);
    EXPECT_EQ(fake.calls["cuGraphExecMemcpyNodeSetParams"], each.copies);
    EXPECT_EQ(fake.calls["cuGraphExecMemsetNodeSetParams"], each.fills);
    program.expectOutputs(callers.data());
  }
  CudaScope scope(*program.context());
  graph->reset();
}

} // namespace
} // namespace minic::testing
