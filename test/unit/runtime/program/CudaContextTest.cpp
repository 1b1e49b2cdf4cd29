// SPDX-License-Identifier: Apache-2.0
//
// Programs and Contexts on a GPU, as the fake driver plays one: places, host
// tensors, arenas, streams, and which device is taken.

#include "runtime/program/Context.h"
#include "test/unit/runtime/device/cuda/CudaFixture.h"

#include <thread>

namespace minic::testing {
namespace {

using namespace runtime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DevicePlace cpu = {1, 0}, gpu0 = {2, 0}, gpu1 = {2, 1},
                      pinned = {3, 0};

std::string messageOf(const absl::Status &status) {
  return std::string(status.message());
}

std::shared_ptr<const Program> load(const TestArtifact &artifact,
                                    int device = 0) {
  ProgramOptions options;
  options.device = device;
  auto program = Program::loadBytes(artifact.bytes(), options);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : nullptr;
}

std::unique_ptr<Context> create(std::shared_ptr<const Program> program,
                                const ContextOptions &options = {}) {
  auto context = Context::create(std::move(program), options);
  EXPECT_TRUE(context.ok()) << context.status();
  return context.ok() ? std::move(*context) : nullptr;
}

const std::vector<int64_t> dims = {3};

Tensor at(void *data, DevicePlace place) {
  return {data, DType::f32, dims, place};
}

class CudaContextTest : public CudaFixture {};

TEST_F(CudaContextTest, runsOnTheDeviceThatIsAskedFor) {
  for (int device : {0, 1}) {
    auto program = load(cudaScaleArtifact(3), device);
    ASSERT_TRUE(program);
    DevicePlace place = {2, device};
    EXPECT_EQ(program->place(), place);
    auto context = create(program);
    DeviceFloats x(program->executable(), {1, 2, 3});
    DeviceFloats y(program->executable(), {0, 0, 0});
    absl::Status status =
        context->run({at(x.data(), place)}, {at(y.data(), place)});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(context->synchronize().ok());
    EXPECT_THAT(y.read(), ElementsAre(3, 5, 7));
  }
  ProgramOptions options;
  options.device = 7;
  absl::Status status =
      Program::loadBytes(cudaScaleArtifact(3).bytes(), options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status),
              HasSubstr("'main' cannot run here: cuda compute_80: CUDA device: "
                        "expected an index below 2, got 7"));
}

/// A CUDA plan first, then the CPU's.
TestArtifact eitherArtifact() {
  TestArtifact artifact = scaleArtifact(3);
  auto &variants = artifact.function().variants;
  variants.insert(variants.begin(), std::make_unique<format::VariantT>());
  variants[0]->target = "cuda";
  variants[0]->isa = {"sm_80"};
  artifact.copy(outputAddress(0), inputAddress(0), 12);
  return artifact;
}

TEST_F(CudaContextTest, takesTheCpusPlanWhereTheGpusDoesNotRun) {
  fake.major = 7;
  auto program = load(eitherArtifact());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->place(), cpu);
  TestArtifact neither = eitherArtifact();
  neither.function().variants[1]->isa = {"avx512quantum"};
  absl::Status status = Program::loadBytes(neither.bytes()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(messageOf(status), HasSubstr("cuda sm_80: "));
  EXPECT_THAT(messageOf(status),
              HasSubstr("; cpu: this CPU lacks 'avx512quantum'"));
}

TEST_F(CudaContextTest, refusesTensorsOfOtherPlaces) {
  auto program = load(cudaScaleArtifact(3));
  auto other = load(cudaScaleArtifact(3), 1);
  auto context = create(program);
  DeviceFloats x(program->executable(), {1, 2, 3});
  DeviceFloats y(program->executable(), {0, 0, 0});
  DeviceFloats away(other->executable(), {1, 2, 3});
  alignas(64) float host[16] = {};
  struct Case {
    Tensor input;
    const char *message;
  } cases[] = {
      {at(host, cpu), "input 'x': expected memory of CUDA device 0, got "
                      "memory of the CPU (the "
                      "context stages no host tensors)"},
      {at(host, pinned), "got memory of the host, pinned"},
      {at(away.data(), gpu1), "got memory of CUDA device 1"},
      {at(x.data(), {8, 0}), "got memory of DLPack device type 8"},
      // Those who say that it is elsewhere than it is.
      {at(away.data(), gpu0),
       "input 'x': expected memory of CUDA device 0, got memory of CUDA device "
       "1"},
      {at(host, gpu0), "expected memory of CUDA device 0, got host memory"},
      {at(host + 1, gpu0), "expected data aligned to 64 bytes, got 4 bytes"},
      {at(nullptr, gpu0), "input 'x': expected data, got a null pointer"},
  };
  for (const Case &each : cases) {
    absl::Status status = context->run({each.input}, {at(y.data(), gpu0)});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(messageOf(status), HasSubstr(each.message));
  }
  EXPECT_TRUE(fake.launches.empty());
  EXPECT_TRUE(context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
}

TEST_F(CudaContextTest, asksTheDriverOncePerPointer) {
  auto program = load(cudaScaleArtifact(3));
  auto context = create(program);
  DeviceFloats x(program->executable(), {1, 2, 3});
  DeviceFloats y(program->executable(), {0, 0, 0});
  for (int run = 0; run < 10; ++run) {
    ASSERT_TRUE(context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
  }
  EXPECT_EQ(fake.callsOf("cuPointerGetAttributes"), 2);
}

TEST_F(CudaContextTest, stagesHostTensorsWhereAsked) {
  auto program = load(cudaScaleArtifact(3));
  ContextOptions options;
  options.staging = true;
  auto context = create(program, options);
  DeviceFloats deviceX(program->executable(), {7, 8, 9});
  DeviceFloats deviceY(program->executable(), {0, 0, 0});
  std::vector<float> x = {1, 2, 3}, y(3);
  absl::Status status = context->run({at(x.data(), cpu)}, {at(y.data(), cpu)});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(y, ElementsAre(3, 5, 7));
  // Each by itself.
  ASSERT_TRUE(
      context->run({at(deviceX.data(), gpu0)}, {at(y.data(), cpu)}).ok());
  EXPECT_THAT(y, ElementsAre(15, 17, 19));
  ASSERT_TRUE(
      context->run({at(x.data(), cpu)}, {at(deviceY.data(), gpu0)}).ok());
  EXPECT_THAT(deviceY.read(), ElementsAre(3, 5, 7));
  // Pinned memory is copied from and to in place.
  auto *slab = static_cast<float *>(
      *program->executable().memory().allocatePinned(1024));
  slab[0] = slab[1] = slab[2] = 4;
  ASSERT_TRUE(context->run({at(slab, pinned)}, {at(slab + 64, pinned)}).ok());
  EXPECT_EQ(slab[64], 9);
  program->executable().memory().releasePinned(slab);
}

TEST_F(CudaContextTest, stagedRunsAllocateNothingAndWaitOnce) {
  auto program = load(cudaScaleArtifact(3));
  ContextOptions options;
  options.staging = true;
  auto context = create(program, options);
  std::vector<float> x = {1, 2, 3}, y(3);
  ASSERT_TRUE(context->run({at(x.data(), cpu)}, {at(y.data(), cpu)}).ok());
  fake.calls.clear();
  ASSERT_TRUE(context->run({at(x.data(), cpu)}, {at(y.data(), cpu)}).ok());
  EXPECT_EQ(fake.callsOf("cuStreamSynchronize"), 1);
  EXPECT_EQ(fake.callsOf("cuMemcpyAsync"), 2);
  EXPECT_EQ(fake.callsOf("cuMemAlloc"), 0);
  EXPECT_EQ(fake.callsOf("cuMemAllocHost"), 0);
}

TEST_F(CudaContextTest, stagedRunsAreNotCaptured) {
  auto program = load(cudaScaleArtifact(3));
  CallerStream stream;
  ContextOptions options;
  options.staging = true;
  options.stream = stream.get();
  auto context = create(program, options);
  DeviceFloats x(program->executable(), {1, 2, 3});
  DeviceFloats y(program->executable(), {0, 0, 0});
  std::vector<float> host(3);
  CudaScope scope(stream.owner());
  ASSERT_EQ(driver().cuStreamBeginCapture(stream.get(),
                                          CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  absl::Status status =
      context->run({at(host.data(), cpu)}, {at(y.data(), gpu0)});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(messageOf(status),
            "host tensors: a run that stages them cannot be captured");
  // The capture goes on.
  EXPECT_TRUE(context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
  CUgraph graph = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
  driver().cuGraphDestroy(graph);
}

TestArtifact artifactWithArena() {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", {3});
  artifact.output("y", {3});
  artifact.variant().arena_bytes = 512;
  cudaLaunch(artifact, "scale_f32", 3, {inputAddress(0), arenaAddress(256)},
             {3});
  cudaLaunch(artifact, "scale_f32", 3, {arenaAddress(256), outputAddress(0)},
             {3});
  return artifact;
}

TEST_F(CudaContextTest, takesItsArenaFromWhereItIsTold) {
  auto program = load(artifactWithArena());
  DeviceFloats x(program->executable(), {1, 2, 3});
  DeviceFloats y(program->executable(), {0, 0, 0});
  DeviceFloats callers(program->executable(), std::vector<float>(192));
  ContextOptions own, pooled, given;
  pooled.pooledArena = true;
  given.arena = callers.data();
  given.arenaBytes = 512;
  for (const ContextOptions &options : {own, pooled, given}) {
    fake.calls.clear();
    auto context = create(program, options);
    ASSERT_TRUE(context);
    EXPECT_EQ(fake.callsOf("cuMemAlloc"),
              !options.arena && !options.pooledArena);
    EXPECT_EQ(fake.callsOf("cuMemAllocAsync"), options.pooledArena);
    ASSERT_TRUE(context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
    EXPECT_THAT(y.read(), ElementsAre(7, 11, 15));
    context.reset();
    EXPECT_EQ(fake.callsOf("cuMemFreeAsync"), options.pooledArena);
  }
  auto refuses = [&](const char *message) {
    absl::Status status = Context::create(program, given).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(messageOf(status), HasSubstr(message));
  };
  given.arena = static_cast<std::byte *>(callers.data()) + 64;
  refuses("arena: expected memory aligned to 256 bytes");
  given.arena = callers.data();
  given.arenaBytes = 511;
  refuses("arena: expected 512 bytes, got 511");
  alignas(256) std::byte host[512];
  given.arena = host;
  given.arenaBytes = sizeof(host);
  refuses("arena: expected memory of CUDA device 0, got host memory");
}

TEST_F(CudaContextTest, saysWhereMemoryRanOut) {
  auto program = load(artifactWithArena());
  ContextOptions options;
  options.staging = true;
  for (auto [nth, message] :
       {std::pair{1, "arena: "}, std::pair{2, "staging: "},
        std::pair{3, "staging: "}}) {
    fake.failAllocation = nth;
    absl::Status status = Context::create(program, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(messageOf(status), HasSubstr(message));
    EXPECT_THAT(messageOf(status), HasSubstr("CUDA device 0"));
  }
}

TEST_F(CudaContextTest, movesToOtherStreams) {
  auto program = load(cudaScaleArtifact(3));
  CallerStream first, second, other(1);
  ContextOptions options;
  options.stream = first.get();
  options.pooledArena = true;
  options.graph = GraphMode::On;
  auto context = create(program, options);
  DeviceFloats x(program->executable(), {1, 2, 3});
  DeviceFloats y(program->executable(), {0, 0, 0});
  for (void *stream : {first.get(), second.get(), first.get()}) {
    ASSERT_TRUE(context->setStream(stream).ok());
    ASSERT_TRUE(context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
  }
  EXPECT_FALSE(context->setStream(other.get()).ok());
  EXPECT_EQ(context->graphCounters().instantiations, 1);
  EXPECT_EQ(context->graphCounters().replays, 2);
  EXPECT_EQ(context->graphRefusal(), "");
}

TEST_F(CudaContextTest, contextsOfManyThreadsShareAProgram) {
  auto program = load(artifactWithArena());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([program, i] {
      CallerStream stream;
      ContextOptions options;
      options.stream = stream.get();
      options.staging = i % 2;
      options.graph = i < 2 ? GraphMode::On : GraphMode::Off;
      auto context = create(program, options);
      for (int run = 0; run < 50; ++run) {
        float value = float(100 * i + run);
        if (options.staging) {
          std::vector<float> x(3, value), y(3);
          EXPECT_TRUE(
              context->run({at(x.data(), cpu)}, {at(y.data(), cpu)}).ok());
          EXPECT_EQ(y[2], 4 * value + 3);
        } else {
          DeviceFloats x(program->executable(), {value, value, value});
          DeviceFloats y(program->executable(), {0, 0, 0});
          EXPECT_TRUE(
              context->run({at(x.data(), gpu0)}, {at(y.data(), gpu0)}).ok());
          EXPECT_TRUE(context->synchronize().ok());
          EXPECT_EQ(y.read()[2], 4 * value + 3);
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

} // namespace
} // namespace minic::testing
