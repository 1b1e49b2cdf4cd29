// SPDX-License-Identifier: Apache-2.0
//
// Each thread's last error.

#include "runtime/api/LastError.h"

#include <string>

namespace minic::runtime {

static thread_local std::string lastError;

static minic_status codeOf(absl::StatusCode code) {
  switch (code) {
  case absl::StatusCode::kOk:
    return MINIC_OK;
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kOutOfRange:
    return MINIC_INVALID_ARGUMENT;
  case absl::StatusCode::kNotFound:
    return MINIC_NOT_FOUND;
  case absl::StatusCode::kDataLoss:
    return MINIC_DATA_LOSS;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kPermissionDenied:
    return MINIC_FAILED_PRECONDITION;
  case absl::StatusCode::kUnimplemented:
    return MINIC_UNSUPPORTED;
  case absl::StatusCode::kResourceExhausted:
    return MINIC_OUT_OF_MEMORY;
  default:
    return MINIC_INTERNAL;
  }
}

minic_status report(const absl::Status &status) {
  if (!status.ok()) {
    lastError.assign(status.message().data(), status.message().size());
  }
  return codeOf(status.code());
}

} // namespace minic::runtime

const char *minic_last_error(void) { return minic::runtime::lastError.c_str(); }

const char *minic_version(void) { return MINIC_VERSION; }
