// SPDX-License-Identifier: Apache-2.0
//
// GpuOrSkip: what tests labelled `gpu` start with.

#ifndef MINIC_TEST_UNIT_RUNTIME_TESTING_GPUORSKIP_H
#define MINIC_TEST_UNIT_RUNTIME_TESTING_GPUORSKIP_H

#include "runtime/device/cuda/CudaMemory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace minic::testing {

/// Fixture: the first GPU's context, current, and its memory. Skips with the
/// reason where there is none; fails where MINIC_REQUIRE_GPU=1 says that there
/// must be one.
class GpuOrSkip : public ::testing::Test {
public:
  static bool isRequired() {
    const char *value = std::getenv("MINIC_REQUIRE_GPU");
    return value && value == std::string("1");
  }
  static void giveUp(const std::string &why) {
    if (isRequired()) {
      GTEST_FAIL() << why;
    }
    GTEST_SKIP() << why;
  }

protected:
  void SetUp() override {
    auto found = runtime::CudaContext::retain(0);
    if (!found.ok()) {
      return giveUp(found.status().ToString());
    }
    context = *found;
    scope = std::make_unique<runtime::CudaScope>(*context);
    memory = std::make_unique<runtime::CudaMemory>(context);
    absl::Status status =
        memory->runAndWait("find its stream", [&](CUstream its) {
          stream = its; // stays: nothing holds one
          return absl::OkStatus();
        });
    if (!status.ok()) {
      return giveUp(status.ToString());
    }
  }

  absl::Status waitForStream() const {
    return context->driver().status(
        context->driver().cuStreamSynchronize(stream), "a run");
  }

  std::shared_ptr<const runtime::CudaContext> context;
  std::unique_ptr<runtime::CudaScope> scope;
  std::unique_ptr<runtime::CudaMemory> memory;
  CUstream stream = nullptr; // of `memory`
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_TESTING_GPUORSKIP_H
