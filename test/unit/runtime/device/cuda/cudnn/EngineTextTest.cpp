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

// As 9.19 tells of an attention whose heads have 20 elements, cut short.
TEST(EngineTextTest, SaysWhyEnginesWereRefused) {
  EXPECT_EQ(refusals(R"({"engineId":1,"smVersion":900}
Warning: CUDNN_STATUS_NOT_SUPPORTED_SHAPE; Reason: Embedding dim per head for q and k is not a multiple of 8 at: d_qk % 8 != 0
Warning: CUDNN_STATUS_NOT_SUPPORTED_SHAPE; Reason: generate_attention_desc()

{"engineId":2,"smVersion":900}
Warning: CUDNN_STATUS_NOT_SUPPORTED_SHAPE; Reason: Embedding dim per head for q and k is not a multiple of 8 at: d_qk % 8 != 0

{"engineId":3,"smVersion":900}
Warning: CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH; Reason: only Blackwell is supported for this engine at: !(1000 <= deviceVer)
)"),
            "Embedding dim per head for q and k is not a multiple of 8; only "
            "Blackwell is supported for this engine");
  EXPECT_EQ(refusals("Warning: ...; Reason: finalize_internal()"),
            "finalize_internal()");
  EXPECT_EQ(refusals("fake detail"), "");
  EXPECT_EQ(refusals("Reason: "), "");
  EXPECT_EQ(refusals(""), "");
  EXPECT_EQ(refusals("Reason: " + std::string(5000, 'a')).size(), 300u);
}

} // namespace
} // namespace minic::runtime
