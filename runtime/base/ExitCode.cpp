// SPDX-License-Identifier: Apache-2.0
//
// From statuses to exit codes.

#include "runtime/base/ExitCode.h"

namespace minic::runtime {

ExitCode exitCodeOf(const absl::Status &status) {
  switch (status.code()) {
  case absl::StatusCode::kOk:
    return ExitCode::Success;
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kNotFound:
  case absl::StatusCode::kDataLoss:
  case absl::StatusCode::kOutOfRange:
  case absl::StatusCode::kAlreadyExists:
  case absl::StatusCode::kPermissionDenied:
  case absl::StatusCode::kUnavailable:
    return ExitCode::BadInput;
  case absl::StatusCode::kCancelled:
    return ExitCode::Interrupted;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kResourceExhausted:
  case absl::StatusCode::kUnimplemented:
    return ExitCode::Unsupported;
  default:
    return ExitCode::Internal;
  }
}

} // namespace minic::runtime
