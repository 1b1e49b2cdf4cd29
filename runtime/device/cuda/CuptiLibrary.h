// SPDX-License-Identifier: Apache-2.0
//
// CuptiLibrary: the functions of CUPTI's activity API that traces need.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUPTILIBRARY_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUPTILIBRARY_H

#include "absl/status/statusor.h"

#include <cuda.h>
#include <cupti.h>

#include <memory>
#include <string>

namespace minic::runtime {

#define MINIC_CUPTI_FUNCTIONS(X)                                               \
  X(cuptiActivityRegisterCallbacks)                                            \
  X(cuptiActivityEnable)                                                       \
  X(cuptiActivityDisable)                                                      \
  X(cuptiActivityFlushAll)                                                     \
  X(cuptiActivityGetNextRecord)                                                \
  X(cuptiActivityPushExternalCorrelationId)                                    \
  X(cuptiActivityPopExternalCorrelationId)                                     \
  X(cuptiGetResultString)

struct CuptiLibrary {
#define MINIC_DECLARE(function) decltype(&::function) function = nullptr;
  MINIC_CUPTI_FUNCTIONS(MINIC_DECLARE)
#undef MINIC_DECLARE

  /// Of the major version of the headers, once in a process:
  /// MINIC_CUPTI_LIBRARY ("off": none), else where the loader finds it.
  static absl::StatusOr<const CuptiLibrary *> open();

  absl::Status status(CUptiResult result, const char *what) const;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUPTILIBRARY_H
