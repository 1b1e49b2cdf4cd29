// SPDX-License-Identifier: Apache-2.0
//
// Searches on a GPU whose candidates are algorithms that only a library can
// list.

#include "test/unit/compiler/tune/search/AutotunerGpuTest.h"

#include "gmock/gmock.h"

namespace minic::tune {
namespace {

using testing::HasSubstr;
using LibraryAlgorithmsTest = AutotunerGpuTest;

TEST_F(LibraryAlgorithmsTest, BesideACheaperPeerFewerAlgorithmsAreTried) {
  std::vector<runtime::AlgorithmReply> algorithms;
  for (int i = 0; i < 10; ++i) {
    std::string name = std::to_string(i);
    algorithms.push_back({name, "engine " + name, 0});
    machine.candidates["p/k0/" + name] = {40};
    machine.candidates["q/k0/" + name] = {40};
  }
  TuningTask task = makeGpuTask("p", {{.algorithms = algorithms}});
  EXPECT_EQ(tuneOne(task).record.rows.size(), 8u);
  task = makeGpuTask("q", {{.algorithms = algorithms}});
  task.candidates[0].hasCheaperPeer = true;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(tuned.record.rows.size(), 4u);
  EXPECT_NE(find(tuned, "k0 engine 0"), nullptr);
  EXPECT_NE(find(tuned, "k0 engine 3"), nullptr);
}

TEST_F(LibraryAlgorithmsTest, ALibrarysAlgorithmsAreCandidates) {
  machine.candidates["p/k0/00"] = {40};
  machine.candidates["p/k0/01"] = {25};
  TuningTask task =
      makeGpuTask("p", {{.us = 40,
                         .algorithms = {{"00", "tile=64", 10},
                                        {"01", "tile=128", 500},
                                        {"02", "needs too much", 5000}}},
                        {30}});
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(chosen(tuned), "k0 tile=128");
  // The open one is gone: others stand for it.
  EXPECT_EQ(tuned.record.rows.size(), 3u);
  EXPECT_EQ(find(tuned, "k0"), nullptr);
  EXPECT_EQ(tuned.record.candidates, 3);
  EXPECT_EQ(tuned.record.state, RecordState::Complete);
  EXPECT_EQ(machine.builds, 4);
  // The record is a hit.
  EXPECT_FALSE(tuneOne(task).measured);
}

TEST_F(LibraryAlgorithmsTest, StayWhereAnotherSourceChanged) {
  machine.candidates["p/k0/00"] = {40};
  machine.candidates["p/k0/01"] = {25};
  TuningTask task = makeGpuTask(
      "p", {{.us = 40, .algorithms = {{"00", "tile=64"}, {"01", "tile=128"}}},
            {30}});
  task.candidates[0].sources = "cublaslt";
  task.candidates[0].needsLibrary = true;
  task.candidates[1].sources = "gemm";
  task.problem.versions.sources["cublaslt"] = "1";
  EXPECT_EQ(chosen(tuneOne(task)), "k0 tile=128");
  // Of a source that offers nothing here: algorithms stand for the open call.
  task.problem.versions.sources["conv"] = "1";
  EXPECT_FALSE(tuneOne(task).measured);
  machine.verified.clear();
  task.problem.versions.sources["gemm"] = "2";
  machine.candidates["p/k1"].us = 20;
  EXPECT_EQ(chosen(tuneOne(task)), "k1");
  EXPECT_EQ(machine.verified, std::set<std::string>{"p/k1"});
  machine.verified.clear();
  task.problem.versions.libraries = "cuBLAS 13.2.0";
  EXPECT_EQ(chosen(tuneOne(task)), "k1");
  EXPECT_EQ(machine.verified, (std::set<std::string>{"p/k0/00", "p/k0/01"}));
}

TEST_F(LibraryAlgorithmsTest, AlgorithmsOfOneNameStayApart) {
  machine.candidates["p/k0/00"] = {40};
  machine.candidates["p/k0/01"] = {30};
  TunedProblem tuned = tuneOne(makeGpuTask(
      "p", {{.algorithms = {{"00", "tile=64", 0}, {"01", "tile=64", 0}}}}));
  EXPECT_NE(find(tuned, "k0 tile=64"), nullptr);
  EXPECT_EQ(chosen(tuned), "k0 tile=64 (form 2)");
}

TEST_F(LibraryAlgorithmsTest, WhereTheLibraryListsNoneItIsOneCandidate) {
  TuningTask task = makeGpuTask("p", {{20}, {30}});
  task.candidates[0].expandable = true;
  TunedProblem tuned = tuneOne(task);
  EXPECT_EQ(chosen(tuned), "k0");
  EXPECT_EQ(tuned.record.rows.size(), 2u);
}

TEST_F(LibraryAlgorithmsTest, ACrashOfTheListingIsTheCandidatesLoss) {
  TunedProblem tuned =
      tuneOne(makeGpuTask("p", {{.crashesWhenAsked = true}, {30}}));
  EXPECT_EQ(chosen(tuned), "k1");
  EXPECT_EQ(find(tuned, "k0")->status, RowStatus::Crashed);
  EXPECT_THAT(find(tuned, "k0")->reason, HasSubstr("algorithms: killed"));
}

} // namespace
} // namespace minic::tune
