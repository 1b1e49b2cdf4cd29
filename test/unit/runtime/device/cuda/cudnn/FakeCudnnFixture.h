// SPDX-License-Identifier: Apache-2.0
//
// FakeCudnnFixture: fakes of the driver and of cuDNN, which offers nothing yet.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNNFIXTURE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNNFIXTURE_H

#include "test/unit/runtime/device/cuda/FakeCuda.h"
#include "test/unit/runtime/device/cuda/cudnn/FakeCudnn.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <cudnn.h>
#include <dlfcn.h>

namespace minic::runtime {

class FakeCudnnFixture : public minic::testing::GpuOrSkip {
protected:
  /// Of the library that minic opens, as CMakeLists.txt tells it.
  static minic::testing::FakeCudnn &fake() {
    void *library = dlopen(MINIC_FAKE_CUDNN, RTLD_NOW);
    auto *get = reinterpret_cast<decltype(&::minicFakeCudnn)>(
        dlsym(library, "minicFakeCudnn"));
    return *get();
  }

  void SetUp() override {
    minic::testing::fakeCuda();
    fake() = {};
    fake().heuristics = {{CUDNN_HEUR_MODE_A, {}},
                         {CUDNN_HEUR_MODE_B, {}},
                         {CUDNN_HEUR_MODE_FALLBACK, {}}};
    GpuOrSkip::SetUp();
  }
  void TearDown() override {
    EXPECT_EQ(fake().handles, 0) << "left behind";
    EXPECT_EQ(fake().strays, 0) << "calls without a context";
    EXPECT_EQ(fake().sharedHandles, 0) << "two threads, one handle";
  }

  std::vector<minic::testing::FakeCudnn::Engine> &
  listed(cudnnBackendHeurMode_t heuristic) {
    return fake().heuristics.at(heuristic);
  }
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNNFIXTURE_H
