// SPDX-License-Identifier: Apache-2.0
//
// Exit codes are an interface: scripts depend on the numbers.

#include "runtime/base/ExitCode.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

int codeOf(const absl::Status &status) {
  return static_cast<int>(exitCodeOf(status));
}

TEST(ExitCode, TellsWhoseFaultAStatusIs) {
  EXPECT_EQ(codeOf(absl::OkStatus()), 0);
  EXPECT_EQ(codeOf(absl::InvalidArgumentError("a shape")), 3);
  EXPECT_EQ(codeOf(absl::NotFoundError("a file")), 3);
  EXPECT_EQ(codeOf(absl::DataLossError("a checksum")), 3);
  EXPECT_EQ(codeOf(absl::PermissionDeniedError("an output")), 3);
  EXPECT_EQ(codeOf(absl::FailedPreconditionError("a CPU feature")), 4);
  EXPECT_EQ(codeOf(absl::UnimplementedError("a library call")), 4);
  EXPECT_EQ(codeOf(absl::InternalError("an invariant")), 5);
  EXPECT_EQ(codeOf(absl::UnknownError("anything else")), 5);
}

} // namespace
} // namespace minic::runtime
