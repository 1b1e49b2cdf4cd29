// SPDX-License-Identifier: Apache-2.0
//
// FakeOrRealGpu: what tests start with that are built twice: for the fake
// driver and, with MINIC_TEST_ON_GPU, for a real one.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKEORREALGPU_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKEORREALGPU_H

#ifdef MINIC_TEST_ON_GPU
#include "test/unit/runtime/testing/GpuOrSkip.h"
#else
#include "test/unit/runtime/device/cuda/FakeCuda.h"
#endif

#include <gtest/gtest.h>

namespace minic::testing {

/// Fixture: a fake driver as at its start, or a GPU, which is skipped or
/// required as GpuOrSkip says. No context is current.
class FakeOrRealGpu : public ::testing::Test {
protected:
  void SetUp() override {
#ifdef MINIC_TEST_ON_GPU
    absl::Status status = runtime::CudaContext::retain(0).status();
    if (!status.ok()) {
      GpuOrSkip::giveUp(status.ToString());
    }
#else
    fakeCuda().reset();
#endif
  }
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_FAKEORREALGPU_H
