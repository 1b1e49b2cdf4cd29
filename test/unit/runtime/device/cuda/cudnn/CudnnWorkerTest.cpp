// SPDX-License-Identifier: Apache-2.0
//
// What the tuner's worker has cuDNN do: listed once, side by side, then kept.

#include "runtime/measure/WorkerServer.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"
#include "test/unit/runtime/device/cuda/cudnn/FakeCudnnFixture.h"

#include <gmock/gmock.h>

#include <fstream>
#include <unistd.h>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class CudnnWorkerTest : public FakeCudnnFixture {
protected:
  /// Of one convolution by `engine`; empty: it is open.
  static std::string convolution(const std::string &engine = "") {
    ConvolutionCase test;
    test.scratchBytes = 1024;
    test.engine = engine;
    minic::testing::TestArtifact artifact = minic::testing::cudaArtifact();
    artifact.input("x", test.inputDims());
    artifact.input("w", test.filterDims());
    artifact.output("y", test.resultDims());
    artifact.variant().arena_bytes = test.scratchBytes;
    artifact.call(test.descriptor());
    std::string path = ::testing::TempDir() + "/worker-cudnn-" +
                       std::to_string(getpid()) + "-" + engine + ".minic";
    std::vector<std::byte> bytes = artifact.bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               std::streamsize(bytes.size()));
    return path;
  }

  template <typename T> static T ask(WorkerServer &server, Request request) {
    Reply reply = server.handle(request);
    if (const auto *error = std::get_if<ErrorReply>(&reply)) {
      ADD_FAILURE() << error->status;
      return {};
    }
    return std::get<T>(reply);
  }
};

TEST_F(CudnnWorkerTest, EveryEngineIsMadeOnce) {
  listed(CUDNN_HEUR_MODE_A) = {{.index = 1}, {.index = 2}, {.index = 3}};
  WorkerServer server;
  ask<LoadReply>(server, LoadRequest{.id = "open",
                                     .path = convolution(),
                                     .onlyListsAlgorithms = true});
  EXPECT_THAT(fake().made, IsEmpty());
  auto answer = ask<AlgorithmsReply>(
      server, AlgorithmsRequest{.id = "open", .most = 2, .scratchLimit = 0});
  ASSERT_EQ(answer.algorithms.size(), 2u);
  EXPECT_EQ(answer.algorithms[0].algorithm, "9.19.0:eng1");
  EXPECT_EQ(answer.algorithms[1].algorithm, "9.19.0:eng2");
  EXPECT_THAT(fake().made, UnorderedElementsAre(1, 2));
  ask<DoneReply>(server, UnloadRequest{"open"});

  fake().made.clear();
  for (const char *engine : {"eng1", "eng2", "eng3"}) {
    ask<LoadReply>(server,
                   LoadRequest{.id = engine, .path = convolution(engine)});
  }
  EXPECT_THAT(fake().made, ElementsAre(3));
}

TEST_F(CudnnWorkerTest, AnOpenCallThatIsLoadedToRunHasAnEngine) {
  listed(CUDNN_HEUR_MODE_A) = {{.index = 1}, {.index = 2}};
  WorkerServer server;
  ask<LoadReply>(server, LoadRequest{.id = "open", .path = convolution()});
  EXPECT_THAT(fake().made, ElementsAre(1));
  listed(CUDNN_HEUR_MODE_A).clear();
  Reply none = server.handle(LoadRequest{.id = "none", .path = convolution()});
  ASSERT_TRUE(std::holds_alternative<ErrorReply>(none));
  EXPECT_THAT(std::get<ErrorReply>(none).status.message(),
              HasSubstr("has no engine for convolution f32"));
}

} // namespace
} // namespace minic::runtime
