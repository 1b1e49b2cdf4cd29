// SPDX-License-Identifier: Apache-2.0
//
// What every test on the fake driver starts and ends with.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDAFIXTURE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDAFIXTURE_H

#include "runtime/device/cuda/CudaContext.h"
#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/device/cuda/FakeCuda.h"

#include <gmock/gmock.h>

namespace minic::testing {

/// Fails where a test left something alive on the device or a context current.
class CudaFixture : public ::testing::Test {
protected:
  void SetUp() override { fake.reset(); }
  void TearDown() override {
    EXPECT_EQ(fake.liveAllocations, 0);
    EXPECT_EQ(fake.liveModules, 0);
    EXPECT_EQ(fake.liveStreams, 0);
    EXPECT_EQ(fake.liveGraphs, 0);
    EXPECT_EQ(fake.contextsRetained, 0);
    EXPECT_EQ(current(), nullptr);
    fake.reset();
  }
  static const runtime::CudaDriver &driver() {
    return **runtime::CudaDriver::open();
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    driver().cuCtxGetCurrent(&context);
    return context;
  }
  /// After its first run an execution asks the driver once in each run for
  /// each of `functions`, and for nothing else but its context.
  void expectRunsCallOnly(std::vector<std::string> functions,
                          runtime::Execution &execution, void *const *callers) {
    ASSERT_TRUE(execution.run(callers).ok());
    fake.calls.clear();
    constexpr int runs = 10;
    for (int run = 0; run < runs; ++run) {
      ASSERT_TRUE(execution.run(callers).ok());
    }
    std::map<std::string, int> expected = {{"cuCtxPushCurrent", runs},
                                           {"cuCtxPopCurrent", runs}};
    for (const std::string &function : functions) {
      expected[function] = runs;
    }
    EXPECT_EQ(fake.calls, expected);
  }
  FakeCuda &fake = fakeCuda();
};

/// A caller's stream, in the primary context of a device.
class CallerStream {
public:
  explicit CallerStream(int device = 0)
      : context(*runtime::CudaContext::retain(device)) {
    runtime::CudaScope scope(*context);
    EXPECT_EQ(context->driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
              CUDA_SUCCESS);
  }
  ~CallerStream() {
    runtime::CudaScope scope(*context);
    context->driver().cuStreamDestroy(stream);
  }
  CUstream get() const { return stream; }
  const runtime::CudaContext &owner() const { return *context; }

private:
  std::shared_ptr<const runtime::CudaContext> context;
  CUstream stream = nullptr;
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDAFIXTURE_H
