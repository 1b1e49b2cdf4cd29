// SPDX-License-Identifier: Apache-2.0
//
// What is refused before and while a program is loaded.

#include "test/unit/runtime/device/cuda/CudaFixture.h"
#include "test/unit/runtime/testing/PackedTable.h"

namespace minic::runtime {
namespace {

using namespace ::minic::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class CudaLoadTest : public CudaFixture {
protected:
  static absl::Status canRun(const TestArtifact &test, int deviceIndex = 0) {
    absl::StatusOr<format::ArtifactReader> artifact =
        format::ArtifactReader::copy(test.bytes(), "test");
    if (!artifact.ok()) {
      return artifact.status();
    }
    return findDevice("cuda")->canRun(
        *artifact->metadata().functions()->Get(0)->variants()->Get(0),
        deviceIndex);
  }
  static void expectRefused(const TestArtifact &artifact, absl::StatusCode code,
                            const std::string &reason) {
    LoadedArtifact loaded(artifact);
    EXPECT_EQ(loaded.status().code(), code) << loaded.status();
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(reason));
  }
};

TEST_F(CudaLoadTest, canRunNamesWhatThisDeviceLacks) {
  TestArtifact artifact = cudaScaleArtifact(8);
  EXPECT_TRUE(canRun(artifact).ok());
  EXPECT_TRUE(canRun(artifact, 1).ok());
  EXPECT_EQ(canRun(artifact, 2).message(),
            "CUDA device: expected an index below 2, got 2");
  EXPECT_EQ(canRun(artifact, -1).code(), absl::StatusCode::kFailedPrecondition);
  artifact.variant().isa = {"sm_90a"};
  EXPECT_TRUE(canRun(artifact).ok());
  fake.major = 8;
  fake.minor = 6;
  EXPECT_EQ(canRun(artifact).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(canRun(artifact).message()),
              AllOf(HasSubstr("sm_90a"), HasSubstr("8.6")));
}

TEST_F(CudaLoadTest, loadsPtxAndCubins) {
  TestArtifact artifact = cudaScaleArtifact(8);
  EXPECT_TRUE(LoadedArtifact(artifact).status().ok());
  setBinary(artifact, format::BinaryKind::cubin, fakeCubin());
  LoadedArtifact loaded(artifact);
  ASSERT_TRUE(loaded.status().ok()) << loaded.status();
  EXPECT_EQ(loaded->place().type, 2);
  EXPECT_FALSE(loaded->callsLibrary());
  EXPECT_FALSE(loaded->memory().isHost());
}

TEST_F(CudaLoadTest, saysThatPtxIsTunedForNoDevice) {
  ::testing::internal::CaptureStderr();
  LoadedArtifact ptx(cudaScaleArtifact(8), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "minic: warning: the artifact has no binary for CUDA device 1: "
            "the driver compiles its compute_80 PTX, tuned for no device\n");
  TestArtifact artifact = cudaScaleArtifact(8);
  setBinary(artifact, format::BinaryKind::cubin, fakeCubin());
  ::testing::internal::CaptureStderr();
  LoadedArtifact cubin(artifact);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(CudaLoadTest, aCutOrForeignCubinNeverReachesTheDriver) {
  std::vector<std::byte> whole = fakeCubin();
  TestArtifact artifact = cudaScaleArtifact(8);
  std::vector<std::byte> cut(whole.begin(), whole.begin() + 40);
  std::vector<std::byte> foreign = whole;
  foreign[18] = std::byte(62); // e_machine: x86-64
  std::vector<std::byte> beyond = whole;
  beyond[40] = beyond[60] = std::byte(0xff); // e_shoff, e_shnum
  for (const auto &bytes : {cut, foreign, beyond, {}}) {
    setBinary(artifact, format::BinaryKind::cubin, bytes);
    expectRefused(artifact, absl::StatusCode::kDataLoss,
                  "binary 0 is no whole cubin");
  }
  EXPECT_EQ(fake.callsOf("cuModuleLoadDataEx"), 0);
}

TEST_F(CudaLoadTest, tellsWhyABinaryDoesNotLoad) {
  fake.moduleResult = CUDA_ERROR_INVALID_PTX;
  fake.jitLog = "ptxas fatal: unresolved symbol";
  LoadedArtifact loaded(cudaScaleArtifact(8));
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(loaded.status().message()),
              AllOf(HasSubstr("loading binary 0 for compute_80"),
                    HasSubstr("CUDA_ERROR_INVALID_PTX"),
                    HasSubstr("ptxas fatal: unresolved symbol")));
}

TEST_F(CudaLoadTest, refusesParametersThatAreNoTensorMaps) {
  TestArtifact artifact = tensorMapArtifact(0);
  auto &params = artifact.variant().run[0]->operation.AsLaunch()->params;
  std::swap(params[1], params[2]);
  expectRefused(artifact, absl::StatusCode::kDataLoss,
                "expected 3 parameters of 8 bytes, of 128 for a tensor map, "
                "the kernel has one of 8 bytes as parameter 1");
}

TEST_F(CudaLoadTest, givesScalarsThatFitToParametersOfFourBytes) {
  auto artifact = [](int64_t scalar, int address) {
    TestArtifact made = cudaScaleArtifact(8);
    setBinary(made, format::BinaryKind::ptx,
              bytesOf(address < 0 ? ".entry counts(.param .u64 x, .param .u64 "
                                    "y, .param .u32 n)\n"
                                  : ".entry counts(.param .u32 x, .param .u64 "
                                    "y, .param .u64 n)\n"));
    format::LaunchT &launch = *made.variant().run[0]->operation.AsLaunch();
    launch.entry = "counts";
    launch.params[2]->param.AsScalarParam()->value = scalar;
    return made;
  };
  for (int64_t fits : {int64_t(-1) << 31, int64_t(0xffffffff)}) {
    LoadedArtifact loaded(artifact(fits, -1));
    EXPECT_TRUE(loaded.status().ok()) << loaded.status();
  }
  for (int64_t large : {int64_t(1) << 32, (int64_t(-1) << 31) - 1}) {
    expectRefused(artifact(large, -1), absl::StatusCode::kDataLoss,
                  "the kernel has one of 4 bytes as parameter 2");
  }
  // An address never does.
  expectRefused(artifact(1, 0), absl::StatusCode::kDataLoss,
                "the kernel has one of 4 bytes as parameter 0");
}

TEST_F(CudaLoadTest, refusesKernelsThatAreNotWhatThePlanSays) {
  TestArtifact artifact = cudaScaleArtifact(8);
  artifact.variant().run[0]->operation.AsLaunch()->entry = "absent";
  expectRefused(artifact, absl::StatusCode::kDataLoss, "no kernel 'absent'");
  artifact.variant().run[0]->operation.AsLaunch()->entry = "add_f32";
  expectRefused(artifact, absl::StatusCode::kDataLoss,
                "expected 3 parameters of 8 bytes");
  artifact.variant().run[0]->operation.AsLaunch()->entry = "increment";
  expectRefused(artifact, absl::StatusCode::kDataLoss, "the kernel has 2");
}

TEST_F(CudaLoadTest, refusesLaunchesBeyondTheDevicesLimits) {
  auto limited = [](auto change, const std::string &reason) {
    TestArtifact artifact = cudaScaleArtifact(8);
    change(*artifact.variant().run[0]->operation.AsLaunch());
    expectRefused(artifact, absl::StatusCode::kFailedPrecondition, reason);
  };
  limited([](format::LaunchT &launch) { launch.shared_bytes = 228 * 1024; },
          "bytes of shared memory a block: expected at most 232448 on this "
          "device, got 233472");
  fake.kernelThreads = 256; // it needs many registers
  limited([](format::LaunchT &launch) { launch.block = {128, 4}; },
          "launch 'scale_f32': threads of a block: expected at most 256 on "
          "this device, got 512");
  fake.major = 8;
  limited(
      [](format::LaunchT &launch) {
        launch.grid = {2};
        launch.cluster = {2};
      },
      "blocks of a cluster: expected at most 1 on this device, got 2");
}

TEST_F(CudaLoadTest, survivesRunningOutOfMemoryAnywhere) {
  TestArtifact artifact = cudaScaleArtifact(8);
  uint32_t constant = artifact.constant("w", {2}, {1, 2});
  cudaLaunch(artifact, "scale_f32", 2,
             {constantAddress(constant), outputAddress(0)}, {2});
  artifact.variant().persistent_bytes = 256;
  int failures = 0;
  for (int nth = 1;; ++nth) {
    fake.failAllocation = nth;
    LoadedArtifact loaded(artifact);
    if (loaded.status().ok()) {
      break;
    }
    ++failures;
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(loaded.status().message()),
                AllOf(HasSubstr("256 bytes of memory of CUDA device 0"),
                      HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
  }
  EXPECT_EQ(failures, 2); // persistent memory, constants
}

TEST_F(CudaLoadTest, everyFailingCallOfTheDriverIsAStatus) {
  TestArtifact artifact = cudaScaleArtifact(8);
  artifact.constant("w", {2}, {1, 2});
  cudaLaunch(artifact, "scale_f32", 2, {constantAddress(0), outputAddress(0)},
             {2});
  for (const char *function :
       {"cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain",
        "cuCtxPushCurrent", "cuStreamCreate", "cuMemAlloc", "cuMemcpyHtoDAsync",
        "cuStreamSynchronize", "cuModuleLoadDataEx", "cuModuleGetFunction",
        "cuFuncLoad", "cuFuncGetParamInfo", "cuFuncGetAttribute"}) {
    fake.failFunction = function;
    LoadedArtifact loaded(artifact);
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInternal) << function;
    fake.failFunction.clear();
    fake.contextsRetained = 0; // where it is the retaining that failed
  }
}

TEST_F(CudaLoadTest, doesNotEndACaptureOfAnotherStream) {
  CallerStream stream;
  {
    CudaScope scope(stream.owner());
    ASSERT_EQ(driver().cuStreamBeginCapture(stream.get(),
                                            CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
  }
  {
    LoadedArtifact loaded(cudaScaleArtifact(8));
    EXPECT_TRUE(loaded.status().ok()) << loaded.status();
  }
  CudaScope scope(stream.owner());
  CUgraph graph = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(stream.get(), &graph), CUDA_SUCCESS);
  driver().cuGraphDestroy(graph);
}

TEST_F(CudaLoadTest, saysThatALibraryOfTheCpuIsNotForAGpu) {
  TestArtifact artifact = cudaArtifact();
  artifact.variant().arena_bytes = 256;
  format::CallT &matmul = artifact.matmul();
  for (const char *role : {"lhs", "rhs", "result"}) {
    setOperand(matmul, role, tensorView(arenaAddress(0), {1, 1}, {1, 1}));
  }
  LoadedArtifact loaded(artifact);
  EXPECT_FALSE(loaded.status().ok());
}

} // namespace
} // namespace minic::runtime
