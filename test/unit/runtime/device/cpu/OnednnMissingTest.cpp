// SPDX-License-Identifier: Apache-2.0
//
// A plan that calls oneDNN where oneDNN cannot be opened. CMakeLists.txt hides
// the library.

#include "runtime/program/Program.h"
#include "test/unit/runtime/testing/PackedTable.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

TEST(OnednnMissingTest, isNamedWhenThePlanNeedsIt) {
  TestArtifact artifact;
  artifact.variant().arena_bytes = 64;
  format::CallT &matmul = artifact.matmul();
  for (const char *role : {"lhs", "rhs", "result"}) {
    setOperand(matmul, role, tensorView(arenaAddress(0), {1, 1}, {1, 1}));
  }
  absl::Status status = Program::loadBytes(artifact.bytes()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              ::testing::ContainsRegex(
                  "this plan calls oneDNN, which cannot be opened: .*"
                  "libdnnl.*; install libdnnl2"));
}

TEST(OnednnMissingTest, isNotMissedWhenThePlanDoesNot) {
  EXPECT_TRUE(Program::loadBytes(scaleArtifact(4).bytes()).ok());
}

} // namespace
} // namespace minic::runtime
