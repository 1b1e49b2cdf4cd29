// SPDX-License-Identifier: Apache-2.0
//
// Names of kernels in a user's PTX.

#include "compiler/target/cuda/user/UserPtx.h"

#include "gmock/gmock.h"

using ::testing::HasSubstr;

namespace minic::cuda {
namespace {

constexpr const char *kPtx = R"(.version 8.0
.target sm_80
.visible .entry add(
  .param .u64 add_param_0,
  .param .u32 add_param_1
)
{ call add_more; ret; }
.func add_more() { ret; }
.entry add_two(.param .u64 a) { ret; }
)";

std::string rename(const std::string &entry, unsigned parameters) {
  auto renamed = renameEntry(kPtx, entry, parameters, "k");
  return renamed ? *renamed : llvm::toString(renamed.takeError());
}

TEST(UserPtx, RenamesTheEntryAndNothingElse) {
  std::string text = rename("add", 2);
  EXPECT_THAT(text, HasSubstr(".visible .entry k("));
  EXPECT_THAT(text, HasSubstr("add_param_0"));
  EXPECT_THAT(text, HasSubstr("call add_more"));
  EXPECT_THAT(text, HasSubstr(".entry add_two("));
}

TEST(UserPtx, CountsParameters) {
  EXPECT_EQ(rename("add", 3),
            "expected 'add' to take 3 parameters (pointers to its operands, "
            "then its results, then its scalars), got 2");
  EXPECT_THAT(rename("add_two", 1), HasSubstr(".entry k(.param .u64 a)"));
}

TEST(UserPtx, NamesTheKernelsThatThereAre) {
  EXPECT_EQ(rename("sub", 2), "has no kernel 'sub'; there is add, add_two");
  // A function of the device is no kernel.
  EXPECT_EQ(rename("add_more", 0),
            "has no kernel 'add_more'; there is add, add_two");
  auto none = renameEntry("", "add", 1, "k");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "has no kernel 'add'; there is none");
}

} // namespace
} // namespace minic::cuda
