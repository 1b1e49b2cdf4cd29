// SPDX-License-Identifier: Apache-2.0
//
// Descents on a CPU, back to back.

#include "test/unit/compiler/tune/model/DescentTest.h"

#include "compiler/tune/model/TuneReport.h"

namespace minic::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(DescentTest, TakesWhatMakesTheWholeFaster) {
  addProblem(3);
  addProblem(2);
  inputs.problems[0].share = 0.8, inputs.problems[1].share = 0.2;
  machine.driftPerRound = 0.02;
  machine.candidates["ba"] = {.us = 99.8, .noise = 0.002};
  machine.candidates["ca"] = {.us = 97, .noise = 0.002};
  machine.candidates["cb"] = {.us = 103, .noise = 0.002};
  DescentResult result = descendTo("ca");
  EXPECT_TRUE(result.measured);
  const Verdict &verdict = result.verdict;
  EXPECT_NEAR(verdict.backToBack.ratio, 0.97, 0.004);
  EXPECT_NEAR(verdict.backToBack.defaultUs * 0.97, verdict.backToBack.tunedUs,
              3);
  ASSERT_EQ(verdict.trials.size(), 3u); // ba, ca, cb
  EXPECT_FALSE(verdict.trials[0].isTaken);
  ASSERT_TRUE(verdict.trials[1].isTaken);
  EXPECT_EQ(verdict.trials[1].changes.front().problem, "p0");
  EXPECT_EQ(verdict.trials[1].changes.front().candidate, "c");
  EXPECT_THAT(describeGain(verdict.trials[1]), HasSubstr("] faster"));
  EXPECT_FALSE(verdict.trials[2].isTaken);
  EXPECT_THAT(describe(verdict),
              testing::StartsWith("1 of 3 changes makes the whole model "
                                  "faster: after "));
  EXPECT_THAT(said.front(), HasSubstr("trying change 1 of 3 in the whole "
                                      "model: linear(p0), 0 taken"));
}

TEST_F(DescentTest, SeveralChangesAreComparedWithTheStartAtTheEnd) {
  addProblem(2);
  addProblem(2);
  machine.candidates["ba"] = {.us = 96, .noise = 0.002};
  machine.candidates["bb"] = {.us = 92, .noise = 0.002};
  machine.candidates["ab"] = {.us = 101, .noise = 0.002};
  DescentResult result = descendTo("bb");
  EXPECT_NEAR(result.verdict.backToBack.ratio, 0.92, 0.004);
  EXPECT_NEAR(result.verdict.trials[1].backToBack.ratio, 92.0 / 96, 0.004);
}

TEST_F(DescentTest, AsksAProblemAgainOnceAnotherOneHasChanged) {
  addProblem(2);
  addProblem(2);
  // The first is better only beside the second's other candidate.
  machine.candidates["ba"] = {.us = 104, .noise = 0.002};
  machine.candidates["ab"] = {.us = 97, .noise = 0.002};
  machine.candidates["bb"] = {.us = 94, .noise = 0.002};
  descendTo("bb");
  EXPECT_THAT(built, ElementsAre("aa", "ba", "ab", "bb"));
}

TEST_F(DescentTest, WhatMayGainMostComesFirst) {
  addProblem(4);
  addProblem(3);
  addProblem(2);
  inputs.problems[0].share = 0.6;
  inputs.problems[1].share = 0.25;
  inputs.problems[2].share = 0.15;
  descendTo("aaa");
  EXPECT_THAT(built,
              ElementsAre("aaa", "baa", "caa", "aba", "daa", "aab", "aca"));
}

TEST_F(DescentTest, WholePlansComeFirst) {
  addProblem(3);
  addProblem(3);
  inputs.plans = {{1, 1}, {2, 2}};
  machine.candidates["bb"] = {.us = 105, .noise = 0.002};
  machine.candidates["cc"] = {.us = 90, .noise = 0.002};
  DescentResult result = descendTo("cc");
  EXPECT_EQ(built[1], "bb");
  EXPECT_EQ(built[2], "cc");
  EXPECT_EQ(result.verdict.trials[1].changes.size(), 2u);
  EXPECT_THAT(said.front(), HasSubstr("linear(p0) and 1 more"));
}

TEST_F(DescentTest, NoiseChangesNothing) {
  addProblem(4);
  addProblem(4);
  noise = 0.01;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    machine.random.seed(seed);
    inputs.model.planKey = "start" + std::to_string(seed);
    DescentResult result = descendTo("aa");
    EXPECT_EQ(describe(result.verdict).find("none of "), 0u)
        << describe(result.verdict);
  }
}

TEST_F(DescentTest, LessThanAPercentIsNoGain) {
  addProblem(2);
  machine.candidates["b"] = {.us = 99.3, .noise = 0.0005};
  noise = 0.0005;
  descendTo("a");
}

TEST_F(DescentTest, APlanThatWasLuckilyLoadedIsTimedAgain) {
  addProblem(2);
  // The first one is slow where it was loaded first: in four requests that
  // find out how long runs take, and eight rounds.
  machine.disturb = [](const std::string &plan, int round) {
    return plan == "a" && round <= 14 ? 1.1 : 1.0;
  };
  machine.isDisturbanceSeen = false;
  DescentResult result = descendTo("a");
  EXPECT_GT(machine.timedRounds, 20);
  EXPECT_FALSE(result.verdict.trials[0].isTaken);
}

TEST_F(DescentTest, HopelessPlansGetNoRounds) {
  addProblem(2);
  machine.candidates["b"] = {.us = 140, .noise = 0.002};
  DescentResult result = descendTo("a");
  ASSERT_EQ(result.verdict.trials.size(), 1u);
  EXPECT_FALSE(result.verdict.trials[0].backToBack.hasInterval());
  EXPECT_NEAR(result.verdict.trials[0].backToBack.ratio, 1.4, 0.01);
  EXPECT_LT(machine.timedRounds, 10);
}

TEST_F(DescentTest, BesideOthersTeamsThatDifferAreNotCompared) {
  addProblem(2);
  machine.candidates["b"] = {.us = 90, .noise = 0.002, .libraryThreads = 2};
  machine.disturb = [](const std::string &plan, int) {
    return plan == "a" ? 2.0 : 1.2;
  };
  DescentResult result = descendTo("a");
  EXPECT_TRUE(result.verdict.isProvisional);
  // When the machine is quieter it is searched again.
  result.verdict.noise = {0.4, 2, 2};
  ASSERT_TRUE(db->putVerdict(result.verdict).ok());
  EXPECT_TRUE(find());
  inputs.model.probeNoise = [] { return Noise{0.01, 0, 2}; };
  EXPECT_FALSE(find());
  machine.disturb = nullptr;
  EXPECT_FALSE(descendTo("b").verdict.isProvisional);
}

TEST_F(DescentTest, EndsWithItsTime) {
  addProblem(20);
  addProblem(20);
  buildSeconds = 0.4;
  inputs.maxSeconds = 3;
  machine.candidates["ca"] = {.us = 90, .noise = 0.002};
  DescentResult result = descendTo("ca");
  EXPECT_LT(seconds, 3);
  EXPECT_GT(seconds, 2);
  EXPECT_LT(result.verdict.trials.size(), 10u);
  EXPECT_THAT(describe(result.verdict),
              HasSubstr("time was up before all were tried"));
  // What there was time for is kept.
  ASSERT_TRUE(find());
  EXPECT_EQ(nameOf(find()->choices), "ca");
}

TEST_F(DescentTest, TriesNothingWhereARunTakesTooLong) {
  addProblem(2);
  machine.candidates["a"] = {.us = 2e6};
  inputs.maxSeconds = 10;
  descendTo("a");
  EXPECT_THAT(built, ElementsAre("a"));
  EXPECT_LT(seconds, 10);
}

TEST_F(DescentTest, AVerdictIsFoundAgain) {
  addProblem(2);
  addProblem(2);
  machine.candidates["ba"] = {.us = 96, .noise = 0.002};
  machine.candidates["bb"] = {.us = 92, .noise = 0.002};
  EXPECT_FALSE(find());
  Verdict first = descendTo("bb").verdict;
  std::optional<DescentResult> found = find();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->measured);
  EXPECT_EQ(nameOf(found->choices), "bb");
  EXPECT_EQ(describe(found->verdict), describe(first));
  EXPECT_EQ(found->verdict.trials.size(), first.trials.size());
  // The order of problems does not matter.
  std::swap(inputs.problems[0], inputs.problems[1]);
  EXPECT_TRUE(find());
  // Elsewhere it says nothing.
  inputs.model.retune = true;
  EXPECT_FALSE(find());
  inputs.model.retune = false;
  inputs.model.versions.sources["gemm"] = "2";
  EXPECT_FALSE(find());
  inputs.model.versions.sources["gemm"] = "1";
  inputs.model.planKey = "another";
  EXPECT_FALSE(find());
  // Nor where a record has another row now.
  inputs.model.planKey = "start";
  EXPECT_TRUE(find());
  inputs.problems[0].candidates[1] = "c";
  EXPECT_FALSE(find());
}

TEST_F(DescentTest, AVerdictMovesToAnotherDatabase) {
  addProblem(2);
  machine.candidates["b"] = {.us = 90, .noise = 0.002};
  std::string text = describe(descendTo("b").verdict);
  auto exported = db->exportJson();
  ASSERT_TRUE(exported.ok());
  db = folder.openDb("other.db");
  EXPECT_FALSE(find());
  ASSERT_TRUE(db->importJson(*exported).ok());
  std::optional<DescentResult> found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(nameOf(found->choices), "b");
  EXPECT_EQ(describe(found->verdict), text);
  EXPECT_THAT(formatReport({}, nullptr, &found->verdict),
              HasSubstr("\"candidate\": \"b\""));
}

TEST_F(DescentTest, ATrialThatFailsCostsOnlyItself) {
  addProblem(4);
  unbuildable = "b";
  machine.candidates["c"] = {.us = 80, .outOfMemory = true};
  machine.candidates["d"] = {.us = 90, .noise = 0.002};
  DescentResult result = descendTo("d");
  ASSERT_EQ(result.verdict.trials.size(), 3u);
  EXPECT_EQ(result.verdict.trials[0].refusal, "codegen gave up");
  EXPECT_THAT(result.verdict.trials[1].refusal,
              HasSubstr("out of device memory"));
}

TEST_F(DescentTest, AWorkerThatDiesIsLoadedAgain) {
  addProblem(3);
  machine.candidates["b"] = {.us = 80, .crashesWhenTimed = true};
  machine.candidates["c"] = {.us = 90, .noise = 0.002};
  DescentResult result = descendTo("c");
  EXPECT_EQ(machine.restarts, 1);
  EXPECT_THAT(result.verdict.trials[0].refusal, HasSubstr("killed by signal"));
}

TEST_F(DescentTest, AStartThatCannotBeRunIsAnErrorAndNothingIsStored) {
  addProblem(2);
  machine.candidates["a"] = {.us = 80, .outOfMemory = true};
  EXPECT_EQ(tryDescend().status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(find());
}

TEST_F(DescentTest, InterruptedItStoresNothing) {
  addProblem(3);
  machine.candidates["b"] = {.us = 90, .noise = 0.002};
  inputs.model.rounds.stop = [this] { return machine.timedRounds > 10; };
  EXPECT_EQ(tryDescend().status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(find());
  // The next one begins again.
  inputs.model.rounds.stop = nullptr;
  descendTo("b");
}

} // namespace
} // namespace minic::tune
