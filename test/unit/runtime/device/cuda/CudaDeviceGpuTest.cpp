// SPDX-License-Identifier: Apache-2.0
//
// Programs of hand-written PTX on the first real GPU: what the fake driver can
// only promise.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <thread>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A stream that does not wait for the default one.
class OwnStream {
public:
  explicit OwnStream(const CudaContext &context) : context(context) {
    CudaScope scope(context);
    EXPECT_EQ(context.driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
              CUDA_SUCCESS);
  }
  ~OwnStream() {
    CudaScope scope(context);
    context.driver().cuStreamDestroy(stream);
  }
  CUstream get() const { return stream; }

private:
  const CudaContext &context;
  CUstream stream = nullptr;
};

std::vector<float> ramp(int64_t count, float first = 0) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = first + float(i);
  }
  return values;
}

std::vector<float> scaled(std::vector<float> values) {
  for (float &value : values) {
    value = 2 * value + 1;
  }
  return values;
}

/// Adds one to an i64 `launches` times a run.
TestArtifact countingArtifact(int launches) {
  TestArtifact artifact = cudaArtifact();
  artifact.output("n", {1}, DType::i64);
  for (int i = 0; i < launches; ++i) {
    cudaLaunch(artifact, "increment", 1, {outputAddress(0)}, {1}).block = {1};
  }
  return artifact;
}

class CudaDeviceGpuTest : public GpuOrSkip {
protected:
  int64_t readCount(const void *pointer) {
    int64_t count = -1;
    EXPECT_TRUE(memory->copyOut(&count, pointer, sizeof(count)).ok());
    return count;
  }
};

TEST_F(CudaDeviceGpuTest, runsWithThePointersOfEachCall) {
  constexpr int64_t count = 100003;
  LoadedArtifact loaded(cudaScaleArtifact(count));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  OwnStream stream(*context);
  auto execution = loaded.execution(stream.get());
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats a(*loaded, ramp(count)), b(*loaded, ramp(count, -50000));
  DeviceFloats y(*loaded, std::vector<float>(count));
  DeviceFloats z(*loaded, std::vector<float>(count));
  void *first[] = {a.data(), y.data()}, *second[] = {b.data(), z.data()};
  ASSERT_TRUE((*execution)->run(first).ok());
  ASSERT_TRUE((*execution)->run(second).ok());
  absl::Status status = (*execution)->synchronize();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(y.read(), scaled(ramp(count)));
  EXPECT_EQ(z.read(), scaled(ramp(count, -50000)));
  ASSERT_TRUE((*execution)->setStream(nullptr).ok()); // the legacy default
  void *third[] = {b.data(), y.data()};
  ASSERT_TRUE((*execution)->run(third).ok());
  ASSERT_TRUE((*execution)->synchronize().ok());
  EXPECT_EQ(y.read(), scaled(ramp(count, -50000)));
}

TEST_F(CudaDeviceGpuTest, resolvesEveryBaseAndOffset) {
  TestArtifact artifact = cudaArtifact();
  artifact.input("x", {4});
  artifact.output("y", {4});
  artifact.output("copy", {4});
  uint32_t w = artifact.constant("w", {6}, {0, 0, 1, 2, 3, 4});
  artifact.variant().arena_bytes = 512;
  artifact.variant().zeroed_bytes = 16;
  artifact.variant().persistent_bytes = 256;
  format::Address persistent(format::Base::persistent, 0, 0);
  cudaLaunch(artifact, "scale_f32", 6, {constantAddress(w), persistent}, {6});
  artifact.variant().prepare = std::move(artifact.variant().run);
  artifact.variant().run.clear();
  cudaLaunch(artifact, "scale_f32", 4, {inputAddress(0), arenaAddress(256)},
             {4});
  cudaLaunch(artifact, "add_f32", 4,
             {arenaAddress(256),
              format::Address(format::Base::persistent, 0, 8),
              outputAddress(0)},
             {4});
  artifact.copy(outputAddress(1), inputAddress(0, 8), 8);
  artifact.copy(outputAddress(1, 8), arenaAddress(0), 4);
  artifact.fill(outputAddress(1, 12), 0, 4);
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok()) << execution.status();
  DeviceFloats x(*loaded, {1, 2, 3, 4});
  DeviceFloats y(*loaded, {0, 0, 0, 0}), copy(*loaded, {9, 9, 9, 9});
  void *callers[] = {x.data(), y.data(), copy.data()};
  ASSERT_TRUE((*execution)->run(callers).ok());
  ASSERT_TRUE((*execution)->synchronize().ok());
  EXPECT_THAT(y.read(), ElementsAre(6, 10, 14, 18));
  EXPECT_THAT(copy.read(), ElementsAre(3, 4, 0, 0));
}

TEST_F(CudaDeviceGpuTest, executionsRunOnTheirOwnThreadsAndStreams) {
  constexpr int threads = 4, runs = 200;
  constexpr int64_t count = 5000;
  LoadedArtifact loaded(cudaScaleArtifact(count));
  ASSERT_TRUE(loaded.status().ok());
  std::vector<std::unique_ptr<OwnStream>> streams;
  std::vector<std::unique_ptr<Execution>> executions;
  for (int i = 0; i < threads; ++i) {
    streams.push_back(std::make_unique<OwnStream>(*context));
    auto execution = loaded.execution(streams.back()->get());
    ASSERT_TRUE(execution.ok());
    executions.push_back(std::move(*execution));
  }
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      DeviceFloats x(*loaded, ramp(count, float(i)));
      DeviceFloats y(*loaded, std::vector<float>(count));
      DeviceFloats z(*loaded, std::vector<float>(count));
      for (int run = 0; run < runs; ++run) {
        void *callers[] = {run % 2 ? y.data() : x.data(),
                           run % 2 ? z.data() : y.data()};
        EXPECT_TRUE(executions[i]->run(callers).ok());
      }
      EXPECT_TRUE(executions[i]->synchronize().ok());
      EXPECT_EQ(y.read(), scaled(ramp(count, float(i))));
      EXPECT_EQ(z.read(), scaled(scaled(ramp(count, float(i)))));
    });
  }
  for (std::thread &thread : team) {
    thread.join();
  }
}

TEST_F(CudaDeviceGpuTest, memoryIsCopiedFilledPinnedAndPooled) {
  std::vector<float> values = ramp(1 << 20);
  LoadedArtifact loaded(cudaScaleArtifact(1));
  ASSERT_TRUE(loaded.status().ok());
  const DeviceMemory &own = loaded->memory();
  DeviceFloats device(*loaded, values);
  EXPECT_EQ(device.read(), values);
  ASSERT_TRUE(own.fill(device.data(), 0, 4 << 20).ok());
  EXPECT_THAT(device.read(), Each(0.0f));
  OwnStream stream(*context);
  auto execution = loaded.execution(stream.get());
  auto pinned = own.allocatePinned(16);
  auto pooled = own.allocateOn(stream.get(), 16);
  ASSERT_TRUE(execution.ok() && pinned.ok() && pooled.ok());
  auto *host = static_cast<float *>(*pinned);
  host[0] = 42;
  ASSERT_TRUE((*execution)->enqueueCopy(*pooled, host, 4).ok());
  ASSERT_TRUE((*execution)->enqueueCopy(host + 1, *pooled, 4).ok());
  ASSERT_TRUE((*execution)->synchronize().ok());
  EXPECT_EQ(host[1], 42);
  EXPECT_TRUE(loaded->checkPointer(*pooled).ok());
  own.releaseOn(stream.get(), *pooled);
  own.releasePinned(*pinned);
  absl::Status status = own.allocate(uint64_t(1) << 46).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST_F(CudaDeviceGpuTest, pointersAndStreamsOfOthersAreNamed) {
  LoadedArtifact loaded(cudaScaleArtifact(1));
  DeviceFloats device(*loaded, {1});
  EXPECT_TRUE(loaded->checkPointer(device.data()).ok());
  std::vector<float> host(16);
  EXPECT_EQ(loaded->checkPointer(host.data()).message(),
            "expected memory of CUDA device 0, got host memory");
  void *pinned = *memory->allocatePinned(64);
  EXPECT_EQ(loaded->checkPointer(pinned).message(),
            "expected memory of CUDA device 0, got pinned host memory");
  memory->releasePinned(pinned);
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  auto other = CudaContext::retain(1);
  if (other.ok()) {
    OwnStream stream(**other);
    EXPECT_EQ((*execution)->setStream(stream.get()).code(),
              absl::StatusCode::kInvalidArgument);
    LoadedArtifact second(cudaScaleArtifact(1), 1);
    DeviceFloats there(*second, {1});
    EXPECT_EQ(loaded->checkPointer(there.data()).message(),
              "expected memory of CUDA device 0, got memory of CUDA device 1");
  }
  for (CUstream stream : {CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    absl::Status status = (*execution)->setStream(stream);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST_F(CudaDeviceGpuTest, leavesTheCallersContextCurrent) {
  scope.reset(); // GpuOrSkip's
  CUcontext before = nullptr, after = nullptr;
  context->driver().cuCtxGetCurrent(&before);
  {
    LoadedArtifact loaded(cudaScaleArtifact(1));
    ASSERT_TRUE(loaded.status().ok()) << loaded.status();
    auto execution = loaded.execution();
    DeviceFloats x(*loaded, {1}), y(*loaded, {0});
    void *callers[] = {x.data(), y.data()};
    EXPECT_TRUE((*execution)->run(callers).ok());
    EXPECT_TRUE((*execution)->synchronize().ok());
    EXPECT_THAT(y.read(), ElementsAre(3));
  }
  context->driver().cuCtxGetCurrent(&after);
  EXPECT_EQ(before, after);
}

TEST_F(CudaDeviceGpuTest, refusesKernelsThatAreNotWhatThePlanSays) {
  TestArtifact artifact = cudaScaleArtifact(8);
  format::LaunchT &launch = *artifact.variant().run[0]->operation.AsLaunch();
  auto refusal = [&] {
    return std::string(LoadedArtifact(artifact).status().message());
  };
  launch.entry = "absent";
  EXPECT_THAT(refusal(), HasSubstr("no kernel 'absent'"));
  launch.entry = "add_f32";
  EXPECT_THAT(refusal(), HasSubstr("expected 3 parameters of 8 bytes"));
  launch.entry = "increment";
  EXPECT_THAT(refusal(), HasSubstr("the kernel has 2"));
  launch.entry = "scale_f32";
  launch.shared_bytes = 512 * 1024;
  EXPECT_THAT(refusal(), HasSubstr("bytes of shared memory a block: expected"));
  launch.shared_bytes = 100 * 1024; // more than comes unasked
  EXPECT_EQ(refusal(), "");
  std::string broken = testPtx;
  broken.replace(broken.find("fma.rn.f32"), 10, "nonsense  ");
  const auto *bytes = reinterpret_cast<const std::byte *>(broken.data());
  setBinary(artifact, format::BinaryKind::ptx, {bytes, bytes + broken.size()});
  absl::Status status = LoadedArtifact(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("CUDA_ERROR_INVALID_PTX"), HasSubstr("ptxas")));
}

TEST_F(CudaDeviceGpuTest, aCallersCaptureGetsTheLaunches) {
  const CudaDriver &driver = context->driver();
  LoadedArtifact loaded(countingArtifact(3));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  OwnStream stream(*context);
  auto execution = loaded.execution(stream.get());
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  ASSERT_EQ(
      driver.cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_SUCCESS);
  EXPECT_TRUE((*execution)->run(callers).ok());
  EXPECT_EQ((*execution)->synchronize().code(),
            absl::StatusCode::kFailedPrecondition);
  // Loading beside it does not end it.
  EXPECT_TRUE(LoadedArtifact(cudaScaleArtifact(1)).status().ok());
  CUgraph graph = nullptr;
  ASSERT_EQ(driver.cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
  EXPECT_EQ(readCount(n.data()), 0);
  CUgraphExec instantiated = nullptr;
  ASSERT_EQ(driver.cuGraphInstantiate(&instantiated, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 5; ++i) {
    driver.cuGraphLaunch(instantiated, stream.get());
  }
  EXPECT_TRUE((*execution)->synchronize().ok());
  EXPECT_EQ(readCount(n.data()), 15);
  driver.cuGraphExecDestroy(instantiated);
  driver.cuGraphDestroy(graph);
}

TEST_F(CudaDeviceGpuTest, recordedTimesGrowWithTheRuns) {
  LoadedArtifact loaded(countingArtifact(10));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  auto execution = loaded.execution();
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  auto best = [&](int runs) {
    auto recorded = loaded->record([&](void *stream) {
      absl::Status status = (*execution)->setStream(stream);
      for (int i = 0; i < runs && status.ok(); ++i) {
        status = (*execution)->run(callers);
      }
      return status;
    });
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    double least = 1e9;
    for (int i = 0; recorded.ok() && i < 10; ++i) {
      absl::StatusOr<double> time = (*recorded)->replay();
      EXPECT_TRUE(time.ok()) << time.status();
      least = std::min(least, time.value_or(1e9));
    }
    return least;
  };
  double few = best(20), many = best(200);
  std::printf("200 launches %.1f us, 2000 launches %.1f us\n", few, many);
  EXPECT_EQ(readCount(n.data()), 10 * 10 * (20 + 200));
  // An empty kernel in a graph takes from half a microsecond to a few.
  EXPECT_GT(few, 200 * 0.2);
  EXPECT_LT(few, 200 * 10);
  EXPECT_GT(many, 7 * few);
  EXPECT_LT(many, 13 * few);
}

/// Microseconds of host time of one call of `body` in the best of 20 rounds;
/// short ones, so that the stream's queue never fills.
double leastHostUs(const std::function<void()> &body,
                   const std::function<void()> &drain) {
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
      body();
    }
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / 100);
    drain();
  }
  return least;
}

TEST_F(CudaDeviceGpuTest, aRunCostsTheHostLittleBesideItsLaunches) {
  constexpr int launches = 4, runs = 2000;
  LoadedArtifact loaded(countingArtifact(launches));
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  scope.reset(); // as in a caller that has no context current
  OwnStream stream(*context);
  auto execution = loaded.execution(stream.get());
  ASSERT_TRUE(execution.ok());
  DeviceFloats n(*loaded, {0, 0});
  void *callers[] = {n.data()};
  double run =
      leastHostUs([&] { ASSERT_TRUE((*execution)->run(callers).ok()); },
                  [&] { ASSERT_TRUE((*execution)->synchronize().ok()); });
  EXPECT_EQ(readCount(n.data()), launches * runs);

  // What the driver itself takes for one of these launches on this machine.
  const CudaDriver &driver = context->driver();
  CudaScope current(*context);
  CUmodule module = nullptr;
  ASSERT_EQ(driver.cuModuleLoadDataEx(&module, testPtx, 0, nullptr, nullptr),
            CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(driver.cuModuleGetFunction(&function, module, "increment"),
            CUDA_SUCCESS);
  void *pointer = n.data();
  int64_t by = 1;
  void *params[] = {&pointer, &by};
  double launch = leastHostUs(
      [&] {
        ASSERT_EQ(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0,
                                        stream.get(), params, nullptr),
                  CUDA_SUCCESS);
      },
      [&] { driver.cuStreamSynchronize(stream.get()); });
  driver.cuModuleUnload(module);
  std::printf("a run of %d launches takes the host %.2f us, a bare launch "
              "%.2f us\n",
              launches, run, launch);
  EXPECT_LT(run, 2 + launches * std::max(2.0, launch));
}

} // namespace
} // namespace minic::runtime
