// SPDX-License-Identifier: Apache-2.0
//
// ExitCode: from statuses to exit codes.

#include "tools/common/ExitCode.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <cstdio>

namespace minic::tools {

ExitCode exitCodeOf(const absl::Status &status) {
  switch (status.code()) {
  case absl::StatusCode::kOk:
    return exitSuccess;
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kNotFound:
  case absl::StatusCode::kDataLoss:
  case absl::StatusCode::kOutOfRange:
  case absl::StatusCode::kAlreadyExists:
  case absl::StatusCode::kPermissionDenied:
  case absl::StatusCode::kUnavailable:
    return exitBadInput;
  case absl::StatusCode::kFailedPrecondition:
  case absl::StatusCode::kResourceExhausted:
  case absl::StatusCode::kUnimplemented:
    return exitUnsupported;
  default:
    return exitInternal;
  }
}

int fail(const char *tool, const absl::Status &status) {
  ExitCode code = exitCodeOf(status);
  std::string message =
      absl::StrReplaceAll(status.message(), {{"\n", " "}, {"\r", " "}});
  const char *kind = code == exitInternal ? "internal error" : "error";
  std::fprintf(stderr, "%s: %s: %s\n", tool, kind, message.c_str());
  return code;
}

} // namespace minic::tools
