// SPDX-License-Identifier: Apache-2.0
//
// Rows by what a test says of each.

#include "compiler/tune/search/Rivals.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Row row(double us, const std::string &sources = "gemm",
        RowStatus status = RowStatus::Verified) {
  Row row;
  row.candidate.sources = sources;
  row.status = status;
  row.screenUs = us;
  return row;
}

TEST(Rivals, AreTheFastestThatComeClose) {
  std::vector<Row> rows = {row(12), row(10), row(13.1), row(11), row(11.5)};
  EXPECT_THAT(selectRivals(rows, 1), ElementsAre(3, 4, 0));
  rows.push_back(row(10.5));
  EXPECT_THAT(selectRivals(rows, 1), ElementsAre(5, 3, 4));
}

TEST(Rivals, OfOtherSourcesTheFastestIsOneMore) {
  std::vector<Row> rows = {row(10),
                           row(10.1),
                           row(10.2),
                           row(10.3),
                           row(12, "blas"),
                           row(12.5, "blas"),
                           row(12.6, "gemm,blas"),
                           row(14, "dnn")};
  EXPECT_THAT(selectRivals(rows, 0), ElementsAre(1, 2, 3, 4, 6));
}

TEST(Rivals, WereVerifiedTimedAndAreAllowed) {
  std::vector<Row> rows = {row(10), row(10, "gemm", RowStatus::Wrong), row(0),
                           row(11)};
  rows[3].deterministic = true;
  rows.push_back(row(11));
  EXPECT_THAT(selectRivals(rows, 0), ElementsAre(3, 4));
  EXPECT_THAT(selectRivals(rows, 0, {.deterministic = true}), ElementsAre(3));
  EXPECT_THAT(selectRivals(rows, 2), IsEmpty());
}

TEST(Rivals, ByTheFinalWhereThereWasOne) {
  std::vector<Row> rows = {row(9), row(11), row(12)};
  rows[0].timeUs = 10;
  rows[2].timeUs = 10.5;
  EXPECT_THAT(selectRivals(rows, 0), ElementsAre(2, 1));
}

TEST(Rivals, LoseLittleByTheLowEndOfTheirInterval) {
  std::vector<Row> rows = {row(10), row(10.8), row(10.8)};
  for (Row &finalist : rows) {
    finalist.timeUs = finalist.screenUs;
    finalist.ratio = finalist.ratioLow = finalist.timeUs / 10;
  }
  rows[2].ratioLow = 1.02;
  RivalLimits limits{.slowerAlike = 1.05};
  EXPECT_THAT(selectRivals(rows, 0, {}, limits), ElementsAre(2));
  // Other sources are asked with their own limit.
  rows[1].candidate.sources = "blas";
  EXPECT_THAT(selectRivals(rows, 0, {}, limits), ElementsAre(1, 2));
}

TEST(Rivals, HaveToGainMoreWhereTheProblemIsASmallPart) {
  std::vector<Row> rows = {row(10), row(10.5), row(12)};
  EXPECT_THAT(selectRivals(rows, 0, {}, {.leastGain = 0.05}),
              ElementsAre(1, 2));
  EXPECT_THAT(selectRivals(rows, 0, {}, {.leastGain = 0.2}), ElementsAre(1));
  EXPECT_THAT(selectRivals(rows, 0, {}, {.leastGain = 0.3}), IsEmpty());
}

} // namespace
} // namespace minic::tune
