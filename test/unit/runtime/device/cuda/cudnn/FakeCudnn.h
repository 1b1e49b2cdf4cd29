// SPDX-License-Identifier: Apache-2.0
//
// What tests set and read of the fake cuDNN: heuristics that list engines,
// which are made into plans that compute nothing.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNN_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNN_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace minic::testing {

/// Calls are thread-safe; tests set and read while there are none.
struct FakeCudnn {
  struct Engine {
    int64_t index = 0;
    std::vector<std::pair<int64_t, int64_t>> knobs = {}; // type, value
    int64_t workspaceBytes = 0;
    int milliseconds = 0; // to make it
    enum { Works, IsNotSupported, Throws } behaviour = Works;
  };

  // What the library is.
  size_t version = 91900;
  std::string lastError = "fake detail";
  /// By cudnnBackendHeurMode_t; one that is not here answers with an error.
  std::map<int, std::vector<Engine>> heuristics;
  /// An engine is not done before so many are being made at the same time; the
  /// first fails after 10 s.
  int company = 1;

  // What happened.
  std::vector<int> asked;         // heuristics
  std::vector<int64_t> made = {}; // indices of engines, as they were begun
  int mostAtOnce = 0;             // engines being made
  int handles = 0;                // alive
  int sharedHandles = 0;          // times that two threads used one
  int strays = 0;                 // calls that need a context and had none
  std::set<int64_t> byValue = {}; // identifiers of tensors given by value
  /// Of the last run: what tensors given by value held, by identifier.
  std::map<int64_t, uint32_t> scalars = {};
};

} // namespace minic::testing

/// Exported by the library.
extern "C" minic::testing::FakeCudnn *minicFakeCudnn();

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_FAKECUDNN_H
