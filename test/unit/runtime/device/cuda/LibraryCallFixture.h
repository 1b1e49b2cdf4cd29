// SPDX-License-Identifier: Apache-2.0
//
// LibraryCallFixture: runs calls of libraries on tensors with guard zones.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_LIBRARYCALLFIXTURE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_LIBRARYCALLFIXTURE_H

#include "runtime/device/cuda/LibraryCall.h"
#include "test/unit/runtime/device/cuda/StridedTensor.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <algorithm>

namespace minic::runtime {

class LibraryCallFixture : public minic::testing::GpuOrSkip {
protected:
  /// Once, before any call.
  void allocateArena(uint64_t bytes) {
    auto made = memory->allocate(bytes);
    ASSERT_TRUE(made.ok()) << made.status();
    arena = *made;
  }
  void TearDown() override {
    for (void *pointer : allocated) {
      memory->release(pointer);
    }
    if (memory) {
      memory->release(arena);
    }
  }

  /// Device memory of the tensor and a guard zone, until the test ends.
  void *upload(const StridedTensor &tensor) {
    auto made = memory->allocate(tensor.bytes.size() + kGuardBytes);
    EXPECT_TRUE(made.ok()) << made.status();
    allocated.push_back(*made);
    poison(tensor, *made);
    EXPECT_TRUE(
        memory->copyIn(*made, tensor.bytes.data(), tensor.bytes.size()).ok());
    return *made;
  }
  /// Makes NaN of the tensor uploaded to `at`.
  void poison(const StridedTensor &tensor, void *at) {
    EXPECT_TRUE(memory->fill(at, 0xff, tensor.bytes.size() + kGuardBytes).ok());
  }
  /// Fails where the guard zone was written.
  void download(StridedTensor &tensor, void *from) {
    std::vector<std::byte> all(tensor.bytes.size() + kGuardBytes);
    ASSERT_TRUE(memory->copyOut(all.data(), from, all.size()).ok());
    for (size_t i = tensor.bytes.size(); i < all.size(); ++i) {
      ASSERT_EQ(all[i], std::byte{0xff}) << "written beyond the result";
    }
    std::copy_n(all.begin(), tensor.bytes.size(), tensor.bytes.begin());
  }

  /// Of a call whose first tensors are inputs.
  PlanBases basesOf(const std::vector<void *> &callers,
                    size_t inputCount) const {
    PlanBases bases;
    bases.arena = static_cast<std::byte *>(arena);
    bases.callers = callers.data();
    bases.inputCount = inputCount;
    return bases;
  }

  static constexpr size_t kGuardBytes = 256;
  void *arena = nullptr;
  std::vector<void *> allocated, constants;
};

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_LIBRARYCALLFIXTURE_H
