// SPDX-License-Identifier: Apache-2.0
//
// Names of engines, read and written.

#include "runtime/device/cuda/cudnn/EngineText.h"

#include <gmock/gmock.h>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(EngineTextTest, ReadsEngineAndKnobs) {
  auto choice = parseEngine("eng38_k2=5_k12=-1");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->engine, 38);
  EXPECT_THAT(choice->knobs, ElementsAre(Pair(2, 5), Pair(12, -1)));
  EXPECT_EQ(toString(*choice), "eng38_k2=5_k12=-1");
}

TEST(EngineTextTest, AnEngineMayHaveNoKnobs) {
  auto choice = parseEngine("eng0");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(toString(*choice), "eng0");
}

TEST(EngineTextTest, RejectsWhatIsNoEngine) {
  for (const char *text :
       {"", "eng", "38", "eng-1", "eng 1", "eng1_", "eng1_k2",
        "eng1_k2=", "eng1_k=2", "eng1_k2=-", "eng1_2=3", "eng1_k2=3=4",
        "eng1k2=3", "eng99999999999999999999", "ENG1"}) {
    auto choice = parseEngine(text);
    ASSERT_FALSE(choice.ok()) << text;
    EXPECT_EQ(choice.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(choice.status().message(), HasSubstr("no cuDNN engine"));
  }
}

} // namespace
} // namespace minic::runtime
