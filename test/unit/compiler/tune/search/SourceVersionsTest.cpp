// SPDX-License-Identifier: Apache-2.0
//
// One family or library changes; what was measured of the others stays.

#include "compiler/tune/search/SourceVersions.h"
#include "test/unit/compiler/tune/FakePool.h"
#include "test/unit/compiler/tune/FakeWorker.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

namespace minic::tune {
namespace {

const Versions made = {{{"conv", "3"}, {"gemm", "1"}, {"minic", "1"}}, "2.6"};

Row rowOf(const std::string &sources, bool needsLibrary = false) {
  Row row;
  row.candidate.sources = sources;
  row.candidate.needsLibrary = needsLibrary;
  return row;
}

TEST(SourceVersions, ARowIsAsFreshAsItsSources) {
  Versions now = made;
  EXPECT_TRUE(isFresh(rowOf(""), made, now));
  now.sources["gemm"] = "2";
  EXPECT_FALSE(isFresh(rowOf("gemm"), made, now));
  EXPECT_FALSE(isFresh(rowOf("conv,gemm"), made, now));
  EXPECT_TRUE(isFresh(rowOf("conv"), made, now));
  EXPECT_FALSE(isFresh(rowOf(""), made, now)) << "nobody knows what it is of";
  now.sources.erase("gemm");
  EXPECT_FALSE(isFresh(rowOf("gemm"), made, now));
  EXPECT_TRUE(isFresh(rowOf("conv"), made, now));
  now.sources["minic"] = "2";
  EXPECT_FALSE(isFresh(rowOf("conv"), made, now));
  now = made;
  now.libraries = "3.5";
  EXPECT_TRUE(isFresh(rowOf("gemm"), made, now));
  EXPECT_FALSE(isFresh(rowOf("gemm", /*needsLibrary=*/true), made, now));
}

TEST(SourceVersions, ChangesAreNamed) {
  EXPECT_EQ(describeChanges(made, made), "");
  Versions now = {{{"gemm", "2"}, {"amx", "1"}, {"minic", "1"}}, ""};
  EXPECT_EQ(describeChanges(made, now),
            "conv 3 is gone, gemm 1 is now 2, amx 1 is new, libraries: 2.6 is "
            "now none");
  EXPECT_EQ(describeChanges({{}, "2.6"}, made),
            "the versions of its sources are not known");
}

/// k0 and k1 are of gemm, k2 is a library's, which is slow.
class SourceVersionsTest : public testing::Test {
protected:
  SourceVersionsTest() {
    options.scratchDirectory = folder.path;
    // Who goes to the final for company alone is built for it.
    options.leastFinalists = 1;
    db = folder.openDb();
    task = makeTask(machine, "p", {{120}, {100}, {190}});
    task.candidates[0].sources = task.candidates[1].sources = "gemm";
    task.candidates[2].sources = "onednn";
    task.candidates[2].needsLibrary = true;
    task.problem.versions = {{{"gemm", "1"}, {"minic", "1"}, {"onednn", "1"}},
                             "2.6"};
  }

  absl::StatusOr<TunedProblem> tune() {
    machine.builds = 0;
    machine.verified.clear();
    Autotuner tuner(*db, pool, worker, machine.clock, options);
    auto result = tuner.tune({&task, 1});
    return result.ok() ? absl::StatusOr<TunedProblem>(result->front())
                       : result.status();
  }
  std::string winner() {
    auto tuned = tune();
    EXPECT_TRUE(tuned.ok()) << tuned.status();
    return tuned.ok() ? tuned->record.rows[tuned->selection.row].candidate.name
                      : "";
  }
  std::string replayError() {
    options.replay = true;
    auto tuned = tune();
    options.replay = false;
    return std::string(tuned.status().message());
  }

  TempFolder folder;
  FakeMachine machine;
  FakePool pool{machine};
  FakeWorker worker{machine};
  AutotunerOptions options;
  std::unique_ptr<TuningDb> db;
  TuningTask task;
};

TEST_F(SourceVersionsTest, AFamilyThatChangedIsMeasuredAgainAlone) {
  ASSERT_EQ(winner(), "k1");
  task.problem.versions.sources["gemm"] = "2";
  machine.candidates["p/k0"].us = 90;
  EXPECT_THAT(replayError(), testing::HasSubstr("is stale: gemm 1 is now 2"));
  EXPECT_EQ(winner(), "k0");
  EXPECT_EQ(machine.builds, 2);
  EXPECT_EQ(machine.verified, (std::set<std::string>{"p/k0", "p/k1"}));
  // From now on there is a record of today's versions, with all rows.
  auto found = db->find(task.problem);
  EXPECT_EQ(found->freshness, Freshness::Fresh);
  EXPECT_EQ(found->record.rows.size(), 3u);
  EXPECT_GT(found->record.rows[2].screenUs, 0);
}

TEST_F(SourceVersionsTest, ALibraryThatChangedLeavesGeneratedRows) {
  ASSERT_EQ(winner(), "k1");
  task.problem.versions.libraries = "3.5";
  EXPECT_EQ(replayError(), "") << "the winner is what it was";
  machine.candidates["p/k2"].us = 50;
  EXPECT_EQ(winner(), "k2");
  EXPECT_EQ(machine.builds, 1);
  EXPECT_EQ(machine.verified, std::set<std::string>{"p/k2"});
}

TEST_F(SourceVersionsTest, TheFinalIsHeldAgain) {
  machine.candidates["p/k2"].us = 104;
  ASSERT_EQ(winner(), "k1");
  task.problem.versions.libraries = "3.5";
  auto tuned = tune();
  ASSERT_TRUE(tuned.ok()) << tuned.status();
  EXPECT_EQ(tuned->selection.row, 1);
  for (int finalist : {1, 2}) {
    EXPECT_TRUE(tuned->record.rows[finalist].isFinalist());
  }
  EXPECT_FALSE(machine.verified.count("p/k1")) << "was verified already";
}

TEST_F(SourceVersionsTest, ASourceThatOffersNothingHereChangesNothing) {
  ASSERT_EQ(winner(), "k1");
  task.problem.versions.sources["conv"] = "1";
  EXPECT_EQ(replayError(), "");
  EXPECT_EQ(winner(), "k1");
  EXPECT_EQ(machine.builds, 0);
  // It offers one now.
  task.candidates.push_back(task.candidates[0]);
  task.candidates[3].name = "k3";
  task.candidates[3].choice = "p/k3";
  task.candidates[3].sources = "conv";
  machine.candidates["p/k3"].us = 30;
  EXPECT_EQ(winner(), "k3");
  EXPECT_EQ(machine.builds, 1);
}

TEST_F(SourceVersionsTest, WhatASourceDidThatIsGoneIsStale) {
  machine.candidates["p/k2"].us = 50;
  ASSERT_EQ(winner(), "k2");
  task.problem.versions.sources.erase("onednn");
  task.candidates.pop_back();
  EXPECT_THAT(replayError(), testing::HasSubstr("onednn 1 is gone"));
  EXPECT_EQ(winner(), "k1");
  EXPECT_EQ(machine.verified, std::set<std::string>{}) << "both were";
}

TEST_F(SourceVersionsTest, AKilledSearchKeepsTheRowsItWentOnFrom) {
  ASSERT_EQ(winner(), "k1");
  task.problem.versions.sources["onednn"] = "2";
  machine.candidates["p/k2"].us = 50;
  options.stop = [] { return true; };
  EXPECT_EQ(tune().status().code(), absl::StatusCode::kCancelled);
  options.stop = nullptr;
  EXPECT_EQ(db->find(task.problem)->freshness, Freshness::Unfinished);
  // Meanwhile the old record still answers who does not measure.
  EXPECT_EQ(replayError(), "");
  EXPECT_EQ(winner(), "k2");
  EXPECT_EQ(machine.verified, std::set<std::string>{"p/k2"});
}

TEST_F(SourceVersionsTest, ADuplicateIsKeptBesideItsLikeOnly) {
  machine.candidates["p/k2"].hash = "same";
  machine.candidates["p/k1"].hash = "same";
  ASSERT_EQ(winner(), "k1"); // k2 is a duplicate of it
  task.problem.versions.sources["gemm"] = "2";
  machine.candidates["p/k1"].hash = "other";
  machine.candidates["p/k2"].us = 50;
  EXPECT_EQ(winner(), "k2");
  EXPECT_EQ(machine.builds, 3);
}

} // namespace
} // namespace minic::tune
