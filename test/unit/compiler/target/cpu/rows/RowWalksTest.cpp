// SPDX-License-Identifier: Apache-2.0
//
// What each walk over a row computes, keeps and writes; which schedules follow.

#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/rows/RowSchedule.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace minic::cpu {
namespace {

/// `parsed` outlives it.
RowFusion match(ParsedFusion &parsed) {
  std::string reason;
  auto rows = RowFusion::get(parsed.get(), reason);
  EXPECT_TRUE(succeeded(rows)) << reason;
  return std::move(*rows);
}

std::string softmax(const std::string &type) {
  return "%y = graph.softmax %0 axis = 1 : " + type +
         "\nkernel.yield %y : " + type;
}

TEST(RowWalks, KeepsTheExponentialsOfSoftmax) {
  std::string type = "tensor<4x8xf32>";
  ParsedFusion parsed({type}, type, softmax(type));
  RowFusion rows = match(parsed);
  RowWalks walks = RowWalks::get(rows, /*keeps=*/true);
  ASSERT_THAT(walks.walks, SizeIs(3));
  ASSERT_THAT(walks.kept, SizeIs(1));
  EXPECT_EQ(rows.nodes[walks.kept[0]].op->getName().getStringRef(),
            "graph.exp");
  EXPECT_THAT(walks.walks[1].computed, ::testing::Contains(walks.kept[0]));
  EXPECT_THAT(walks.walks[2].reloaded, ElementsAre(walks.kept[0]));
  EXPECT_THAT(walks.walks[2].computed, SizeIs(1)) << "the quotient alone";
  EXPECT_THAT(walks.walks[2].results, ElementsAre(0));
  EXPECT_LT(walks.instructionCount(rows),
            RowWalks::get(rows, /*keeps=*/false).instructionCount(rows));
}

TEST(RowWalks, ComputesAgainWhereNothingIsToBeKept) {
  std::string type = "tensor<4x8xf32>";
  ParsedFusion parsed({type}, type, softmax(type));
  RowFusion rows = match(parsed);
  RowWalks walks = RowWalks::get(rows, /*keeps=*/false);
  EXPECT_THAT(walks.kept, IsEmpty());
  // Read, difference, exponential, quotient.
  EXPECT_THAT(walks.walks[2].computed, SizeIs(4));
}

TEST(RowWalks, ReadsPlainElementsAgain) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>",
                      "%y = graph.layer_norm %0 axis = 1 : (tensor<4x8xf32>) "
                      "-> tensor<4x8xf32>\n"
                      "kernel.yield %y : tensor<4x8xf32>");
  RowFusion rows = match(parsed);
  EXPECT_THAT(RowWalks::get(rows, /*keeps=*/true).kept, IsEmpty());
}

TEST(RowWalks, WritesASumWhereItIsFirstKnown) {
  ParsedFusion parsed(
      {"tensor<4x8xbf16>", "tensor<4x8xbf16>"},
      "(tensor<4x8xbf16>, tensor<4x8xbf16>)",
      "%s = graph.add %0, %1 : tensor<4x8xbf16>\n"
      "%y = graph.rms_norm %s axis = 1 : (tensor<4x8xbf16>) -> "
      "tensor<4x8xbf16>\n"
      "kernel.yield %s, %y : tensor<4x8xbf16>, tensor<4x8xbf16>");
  RowFusion rows = match(parsed);
  RowWalks walks = RowWalks::get(rows, /*keeps=*/true);
  ASSERT_THAT(walks.walks, SizeIs(2));
  EXPECT_THAT(walks.walks[0].results, ElementsAre(0));
  EXPECT_THAT(walks.walks[1].results, ElementsAre(1));
  EXPECT_THAT(walks.kept, SizeIs(1)) << "the sum, from two tensors";
}

TEST(RowWalks, WritesWhatARowSpreadsOverItsColumns) {
  ParsedFusion parsed(
      {"tensor<4x8xf32>"}, "tensor<4x8xf32>",
      "%m = graph.reduce max, %0 [1] {keep_dims} : tensor<4x8xf32> -> "
      "tensor<4x1xf32>\n"
      "%y = graph.broadcast %m : tensor<4x1xf32> to tensor<4x8xf32>\n"
      "kernel.yield %y : tensor<4x8xf32>");
  RowFusion rows = match(parsed);
  RowWalks walks = RowWalks::get(rows, /*keeps=*/false);
  ASSERT_THAT(walks.walks, SizeIs(2));
  EXPECT_THAT(walks.walks[1].results, ElementsAre(0));
}

std::vector<EstimatedRows> schedulesOf(const std::string &type, int threads,
                                       double bytes) {
  ParsedFusion parsed({type}, type, softmax(type));
  DeviceProfile profile = getCpuProfile(threads);
  profile.joinUs = kUnknownJoinUs;
  return enumerateSchedules(match(parsed), bytes, profile);
}

TEST(RowSchedule, OffersOneTileWhereATeamWouldWait) {
  auto small = schedulesOf("tensor<64x256xf32>", 2, 131072);
  EXPECT_TRUE(llvm::any_of(
      small, [](const EstimatedRows &s) { return s.schedule.rows == 64; }));
  auto large = schedulesOf("tensor<40960x1000xf32>", 2, 3.2e8);
  EXPECT_FALSE(llvm::any_of(
      large, [](const EstimatedRows &s) { return s.schedule.rows == 40960; }));
  EXPECT_TRUE(large.front().schedule.keeps);
  EXPECT_EQ(toString(large.front().schedule).substr(0, 10), "rows tile=");
}

TEST(RowSchedule, OffersFewSchedulesBestFirst) {
  for (std::string type : {"tensor<1x1xf32>", "tensor<3x50257xf32>",
                           "tensor<4097x7xf32>", "tensor<64x256xf32>"}) {
    auto schedules = schedulesOf(type, 2, 1e5);
    EXPECT_GE(schedules.size(), 1u);
    EXPECT_LE(schedules.size(), 6u);
    for (size_t i = 1; i < schedules.size(); ++i) {
      EXPECT_LE(schedules[i - 1].us, schedules[i].us);
    }
  }
}

} // namespace
} // namespace minic::cpu
