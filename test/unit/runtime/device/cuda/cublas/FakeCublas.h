// SPDX-License-Identifier: Apache-2.0
//
// What tests set and read of the fake cuBLAS and cuBLASLt: products on host
// memory, which is the fake driver's device memory, by plain loops.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_FAKECUBLAS_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_FAKECUBLAS_H

#include <cstddef>
#include <cstdint>

namespace minic::testing {

struct FakeCublas {
  // What the library is.
  size_t version = 130100;
  /// Algorithm i needs i times this workspace.
  size_t workspaceUnit = 1024;
  /// None but algorithms of this number and up are known to AlgoCheck.
  uint64_t firstAlgorithm = 66;
  int algorithms = 3;

  // What happened last.
  void *stream = nullptr;
  const void *workspace = nullptr;
  size_t workspaceBytes = 0;
  uint64_t algorithm = 0;
  uint32_t epilogue = 0, reductionMask = 0, alignmentA = 0, alignmentB = 0;
  uint64_t biasAtSearch = 0;
  int computeType = 0;
  bool isBatched = false;
  int searches = 0, products = 0;
};

} // namespace minic::testing

/// Exported by the library.
extern "C" minic::testing::FakeCublas *minicFakeCublas();

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_FAKECUBLAS_H
