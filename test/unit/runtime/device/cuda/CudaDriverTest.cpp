// SPDX-License-Identifier: Apache-2.0
//
// Opening drivers that are not there, not whole or not well.

#include "runtime/device/cuda/CudaDriver.h"
#include "test/unit/runtime/device/cuda/FakeCuda.h"

#include <gmock/gmock.h>

#include <fstream>

namespace minic::runtime {
namespace {

using ::minic::testing::FakeCuda;
using ::minic::testing::fakeCuda;
using ::minic::testing::fakeCudaPath;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CudaDriverTest : public ::testing::Test {
protected:
  CudaDriverTest() { fake.reset(); }
  ~CudaDriverTest() override { fake.reset(); }
  static absl::Status loadFake() {
    return CudaDriver::load(fakeCudaPath()).status();
  }
  FakeCuda &fake = fakeCuda();
};

TEST_F(CudaDriverTest, loadsWhatWorks) {
  absl::StatusOr<std::unique_ptr<const CudaDriver>> driver =
      CudaDriver::load(fakeCudaPath());
  ASSERT_TRUE(driver.ok()) << driver.status();
  EXPECT_EQ((*driver)->version, 13000);
}

TEST_F(CudaDriverTest, isNotFoundWhereThereIsNone) {
  absl::Status status = CudaDriver::load("libminic-no-such.so.1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("no CUDA driver"), HasSubstr("libminic-no-such.so.1")));
}

TEST_F(CudaDriverTest, refusesWhatIsNoLibrary) {
  std::string path = ::testing::TempDir() + "/not-a-driver.so";
  std::ofstream(path) << "not a library\n";
  absl::Status status = CudaDriver::load(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the CUDA driver cannot be opened"));
}

TEST_F(CudaDriverTest, refusesALibraryThatIsNoDriver) {
  absl::Status status = CudaDriver::load("libm.so.6").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "libm.so.6 is no CUDA driver: it lacks cuInit");
}

TEST_F(CudaDriverTest, refusesAnOldDriver) {
  fake.version = 12040;
  absl::Status status = loadFake();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected a driver for CUDA 13.0 or newer, got one for "
                        "CUDA 12.4"));
}

TEST_F(CudaDriverTest, isNotFoundWhereThereIsNoDevice) {
  fake.initResult = CUDA_ERROR_NO_DEVICE;
  absl::Status status = loadFake();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no CUDA device: the driver found none");
}

TEST_F(CudaDriverTest, saysWhyTheDriverDoesNotStart) {
  fake.initResult = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  absl::Status status = loadFake();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("the CUDA driver does not start"),
                    HasSubstr("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)")));
}

TEST_F(CudaDriverTest, statusesTellWhoseFaultItIs) {
  absl::StatusOr<const CudaDriver *> opened = CudaDriver::open();
  ASSERT_TRUE(opened.ok()) << opened.status();
  const CudaDriver &driver = **opened;
  EXPECT_TRUE(driver.status(CUDA_SUCCESS, "x").ok());
  EXPECT_EQ(driver.status(CUDA_ERROR_OUT_OF_MEMORY, "x").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(driver.status(CUDA_ERROR_NO_BINARY_FOR_GPU, "x").code(),
            absl::StatusCode::kFailedPrecondition);
  absl::Status illegal = driver.status(CUDA_ERROR_ILLEGAL_ADDRESS, "a run");
  EXPECT_EQ(illegal.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(illegal.message()),
              AllOf(HasSubstr("a run: CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
                    HasSubstr("the CUDA context is lost")));
  // A newer driver's error has no name in an older one.
  EXPECT_EQ(driver.status(CUresult(1000), "x").message(),
            "x: unknown CUDA error (1000): text of the fake driver");
}

} // namespace
} // namespace minic::runtime
