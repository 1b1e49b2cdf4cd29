// SPDX-License-Identifier: Apache-2.0
//
// One artifact on two GPUs of one process: called from threads of their own,
// from one thread in turn, and given each other's memory. Built twice, for the
// fakes and, with MINIC_TEST_ON_GPU, for the first two real GPUs.

#include "runtime/program/Context.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/program/ExactPrograms.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#ifndef MINIC_TEST_ON_GPU
#include "test/unit/runtime/device/cuda/FakeCuda.h"
#endif

#include <thread>

namespace minic::testing {
namespace {

using namespace runtime;

const std::vector<int64_t> dims = {n, n};

/// What the caller's tensor number `which` of a device holds.
Floats input(int device, int which) {
  Floats values(n * n);
  for (int64_t i = 0; i < n * n; ++i) {
    values[i] = float((i + 3 * which) % 7) + float(100 * device);
  }
  return values;
}

Tensor at(void *data, DevicePlace place) {
  return {data, DType::f32, dims, place};
}

/// A device's Program and Context on a stream of their own, with three pairs of
/// tensors that its calls take in turn.
class Caller {
public:
  Caller(const TestArtifact &artifact, int device, ContextOptions options)
      : device(device), place{2, device}, owner(*CudaContext::retain(device)) {
    CudaScope scope(*owner);
    EXPECT_EQ(owner->driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
              CUDA_SUCCESS);
    options.stream = stream;
    status = load(artifact, options);
  }
  ~Caller() {
    context.reset();
    CudaScope scope(*owner);
    owner->driver().cuStreamDestroy(stream);
  }

  absl::Status call() {
    if (!status.ok()) {
      return status;
    }
    int which = calls++ % tensors;
    return context->run({at(x[which]->data(), place)},
                        {at(y[which]->data(), place)});
  }
  /// Waits, compares what all calls left, and wipes it.
  void expect(Reference reference) {
    absl::Status status = context->synchronize();
    ASSERT_TRUE(status.ok()) << status;
    for (int i = 0; i < tensors; ++i) {
      EXPECT_EQ(y[i]->read(), reference(input(device, i)))
          << "tensor " << i << " of device " << device;
      EXPECT_TRUE(program->executable()
                      .memory()
                      .fill(y[i]->data(), 0xff, matrixBytes)
                      .ok());
    }
  }

  absl::Status status; // of all before the first call
  static constexpr int tensors = 3;
  const int device;
  const DevicePlace place;
  const std::shared_ptr<const CudaContext> owner;
  std::shared_ptr<const Program> program;
  CUstream stream = nullptr;
  std::unique_ptr<Context> context;
  std::unique_ptr<DeviceFloats> x[tensors], y[tensors];
  int calls = 0;

private:
  absl::Status load(const TestArtifact &artifact,
                    const ContextOptions &options) {
    ProgramOptions programOptions;
    programOptions.device = device;
    auto loaded = Program::loadBytes(artifact.bytes(), programOptions);
    if (!loaded.ok()) {
      return loaded.status();
    }
    program = *loaded;
    auto made = Context::create(program, options);
    if (!made.ok()) {
      return made.status();
    }
    context = *std::move(made);
    for (int i = 0; i < tensors; ++i) {
      x[i] = std::make_unique<DeviceFloats>(program->executable(),
                                            input(device, i));
      y[i] = std::make_unique<DeviceFloats>(program->executable(),
                                            Floats(n * n, -1));
    }
    return absl::OkStatus();
  }
};

class SeveralDevicesTest : public GpuOrSkip {
protected:
  void SetUp() override {
#ifndef MINIC_TEST_ON_GPU
    fakeCuda();
#endif
    GpuOrSkip::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    scope.reset(); // of device 0, as no caller need have
    if (auto second = CudaContext::retain(1); !second.ok()) {
      GTEST_SKIP() << "needs two GPUs, and MINIC_REQUIRE_GPU=1 promises one: "
                   << second.status().message();
    }
  }
};

constexpr int rounds = 20, callsPerRound = 15;

/// Loads and calls `artifact` on both devices, each from its own thread.
void runOnBoth(const TestArtifact &artifact, ContextOptions options,
               Reference reference) {
  std::vector<std::thread> threads;
  for (int device : {0, 1}) {
    threads.emplace_back([&, device] {
      Caller caller(artifact, device, options);
      for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < callsPerRound; ++i) {
          absl::Status status = caller.call();
          ASSERT_TRUE(status.ok()) << status;
        }
        ASSERT_NO_FATAL_FAILURE(caller.expect(reference));
      }
      if (options.graph == GraphMode::On) {
        EXPECT_EQ(caller.context->graphRefusal(), "");
        EXPECT_GT(caller.context->graphCounters().replays, caller.calls / 2);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

TEST_F(SeveralDevicesTest, threadsLaunchKernels) {
  runOnBoth(kernelArtifact(), {}, kernelReference);
}

TEST_F(SeveralDevicesTest, threadsReplayGraphs) {
  ContextOptions options;
  options.graph = GraphMode::On;
  options.pooledArena = true; // of each device's pool
  runOnBoth(kernelArtifact(), options, kernelReference);
}

TEST_F(SeveralDevicesTest, threadsCallLibraries) {
  runOnBoth(libraryArtifact(), {}, libraryReference);
}

#ifdef MINIC_TEST_ON_GPU // the fake cuBLAS cannot be captured
TEST_F(SeveralDevicesTest, threadsReplayLibraryCalls) {
  ContextOptions options;
  options.graph = GraphMode::On;
  runOnBoth(libraryArtifact(), options, libraryReference);
}
#endif

TEST_F(SeveralDevicesTest, oneThreadCallsThemInTurn) {
  ContextOptions plain, graph;
  graph.graph = GraphMode::On;
  for (const ContextOptions &options : {plain, graph}) {
    Caller first(kernelArtifact(), 0, options);
    Caller second(kernelArtifact(), 1, options);
    // The other device's context is the one that is current.
    CudaScope current(*first.owner);
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(first.call().ok());
      ASSERT_TRUE(second.call().ok());
    }
    second.expect(kernelReference);
    first.expect(kernelReference);
  }
}

TEST_F(SeveralDevicesTest, hostTensorsAreStagedOnEach) {
  ContextOptions options;
  options.staging = true;
  Caller first(kernelArtifact(), 0, options);
  Caller second(kernelArtifact(), 1, options);
  ASSERT_TRUE(first.status.ok() && second.status.ok()) << first.status;
  const DevicePlace host = {1, 0};
  for (int i = 0; i < 30; ++i) {
    for (Caller *caller : {&second, &first}) {
      Floats x = input(caller->device, i), y(n * n);
      absl::Status status =
          caller->context->run({at(x.data(), host)}, {at(y.data(), host)});
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(y, kernelReference(x));
    }
  }
}

TEST_F(SeveralDevicesTest, memoryOfTheOtherIsRefusedAndNothingElseHappens) {
  ContextOptions plain, graph;
  graph.graph = GraphMode::On;
  for (const ContextOptions &options : {plain, graph}) {
    Caller first(kernelArtifact(), 0, options);
    Caller second(kernelArtifact(), 1, options);
    ASSERT_TRUE(first.status.ok() && second.status.ok()) << first.status;
    void *theirs = first.x[0]->data(), *mine = second.x[0]->data();
    struct Case {
      void *x, *y;
      DevicePlace placeX, placeY;
      const char *message;
    } cases[] = {
        // Both those who say where it is and those who do not know.
        {theirs, second.y[0]->data(), first.place, second.place,
         "input 'x': expected memory of CUDA device 1, got memory of CUDA "
         "device 0"},
        {theirs, second.y[0]->data(), second.place, second.place,
         "input 'x': expected memory of CUDA device 1, got memory of CUDA "
         "device 0"},
        {mine, first.y[0]->data(), second.place, second.place,
         "output 'y': expected memory of CUDA device 1, got memory of CUDA "
         "device 0"},
    };
    for (int round = 0; round < 3; ++round) { // captured from the second on
      for (const Case &each : cases) {
        absl::Status status = second.context->run({at(each.x, each.placeX)},
                                                  {at(each.y, each.placeY)});
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
        EXPECT_EQ(std::string(status.message()), each.message);
      }
      EXPECT_EQ(first.y[0]->read(),
                round == 0 ? Floats(n * n, -1) : kernelReference(input(0, 0)));
      for (int i = 0; i < Caller::tensors; ++i) {
        ASSERT_TRUE(first.call().ok());
        ASSERT_TRUE(second.call().ok());
      }
      EXPECT_TRUE(first.context->synchronize().ok());
      EXPECT_TRUE(second.context->synchronize().ok());
    }
    first.expect(kernelReference);
    second.expect(kernelReference);
    // Nor is a stream of the other's taken.
    absl::Status status = second.context->setStream(first.stream);
    EXPECT_EQ(std::string(status.message()),
              "stream: expected one of the primary context of CUDA device 1, "
              "got one of another context or device");
    ASSERT_TRUE(second.call().ok());
    EXPECT_TRUE(second.context->synchronize().ok());
  }
}

} // namespace
} // namespace minic::testing
