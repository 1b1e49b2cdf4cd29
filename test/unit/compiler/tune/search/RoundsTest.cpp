// SPDX-License-Identifier: Apache-2.0
//
// Rounds on a machine that is noisy and whose clock drifts.

#include "compiler/tune/search/Rounds.h"
#include "test/unit/compiler/tune/FakeMachine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace minic::tune {
namespace {

struct NoisyMachine {
  std::vector<double> us;
  double noise = 0.01, drift = 0.02, jump = 0;
  FakeClock clock = {};
  std::mt19937_64 random = std::mt19937_64(3);
  double speed = 1;
  std::vector<std::vector<int>> orders = {};

  absl::StatusOr<std::vector<double>> operator()(absl::Span<const int> order) {
    std::normal_distribution<double> normal;
    orders.emplace_back(order.begin(), order.end());
    speed *= std::exp(drift * normal(random));
    std::vector<double> times;
    for (size_t i = 0; i < order.size(); ++i) {
      if (jump > 0 && i == order.size() / 2 && random() % 2) {
        speed *= 1 + jump;
      }
      times.push_back(us[order[i]] * speed *
                      std::exp(noise * std::abs(normal(random))));
      clock.seconds += 0.001;
    }
    return times;
  }
};

RoundsResult run(NoisyMachine &machine, RoundsOptions options = {}) {
  auto result = runRounds(int(machine.us.size()), std::ref(machine),
                          machine.clock, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(Rounds, FindsTheFasterUnderDrift) {
  // 3 % apart while the machine's speed wanders by far more.
  NoisyMachine machine{{103, 100, 110, 180}};
  RoundsResult result = run(machine);
  EXPECT_EQ(result.leader, 1);
  EXPECT_EQ(result.ended, "separated");
  EXPECT_NEAR(result.contestants[0].ratio.value, 1.03, 0.01);
  EXPECT_GT(result.contestants[0].ratio.low, 1);
  EXPECT_TRUE(result.contestants[2].eliminated);
  // The hopeless one took part in few rounds only.
  EXPECT_LT(result.contestants[3].samplesUs.size(),
            result.contestants[1].samplesUs.size());
}

TEST(Rounds, IntervalsHoldTheTruth) {
  int covered = 0;
  for (int seed = 0; seed < 100; ++seed) {
    NoisyMachine machine{{101, 100}};
    machine.random.seed(seed);
    RoundsOptions options;
    options.minRounds = options.maxRounds = 20;
    options.clockTolerance = 1;
    RoundsResult result = run(machine, options);
    double ratio = result.leader == 1 ? 1.01 : 1 / 1.01;
    const auto &estimate = result.contestants[1 - result.leader].ratio;
    covered += estimate.low <= ratio && ratio <= estimate.high;
  }
  EXPECT_GE(covered, 88);
}

TEST(Rounds, EqualCandidatesTie) {
  NoisyMachine machine{{100, 100}};
  machine.noise = 0.002;
  RoundsResult result = run(machine);
  EXPECT_EQ(result.ended, "tied");
  EXPECT_EQ(result.contestants[0].eliminated, false);
}

TEST(Rounds, OrderIsRandomRepeatsTheFirstAndDependsOnTheSeed) {
  NoisyMachine one{{100, 100, 100}}, two = one, other = one;
  RoundsOptions options;
  run(one, options);
  run(two, options);
  options.seed = 1;
  run(other, options);
  EXPECT_EQ(one.orders, two.orders);
  EXPECT_NE(one.orders, other.orders);
  std::set<std::vector<int>> distinct(one.orders.begin(), one.orders.end());
  EXPECT_GT(distinct.size(), 2u);
  for (const std::vector<int> &order : one.orders) {
    EXPECT_EQ(order.front(), order.back());
  }
}

TEST(Rounds, DropsRoundsInWhichTheClockMoved) {
  NoisyMachine machine{{100, 102}};
  machine.noise = 0.003;
  machine.jump = 0.2;
  RoundsResult result = run(machine);
  EXPECT_GT(result.dropped, 0);
  EXPECT_EQ(result.leader, 0);
  EXPECT_NEAR(result.contestants[1].ratio.value, 1.02, 0.01);
}

TEST(Rounds, AClockThatNeverRestsStillGivesAResult) {
  NoisyMachine machine{{100, 150}};
  machine.noise = 0.2;
  RoundsOptions options;
  options.clockTolerance = 1e-6;
  EXPECT_EQ(run(machine, options).leader, 0);
}

TEST(Rounds, EndsByTimeAndByRounds) {
  NoisyMachine machine{{100, 100}};
  machine.noise = 0.1;
  RoundsOptions options;
  options.maxSeconds = 0.05;
  options.clockTolerance = 10;
  EXPECT_EQ(run(machine, options).ended, "time");
  options.maxSeconds = 1e9;
  options.indifference = 0;
  options.maxRounds = 12;
  RoundsResult result = run(machine, options);
  EXPECT_LE(result.rounds, 12);
}

TEST(Rounds, StopsWhenAsked) {
  NoisyMachine machine{{100, 100}};
  RoundsOptions options;
  int asked = 0;
  options.stop = [&] { return ++asked > 3; };
  EXPECT_EQ(run(machine, options).ended, "stopped");
  options.stop = [] { return true; };
  auto result = runRounds(2, std::ref(machine), machine.clock, options);
  EXPECT_FALSE(result.ok());
}

TEST(Rounds, OneCandidateNeedsNoRepeats) {
  NoisyMachine machine{{100}};
  RoundsResult result = run(machine);
  EXPECT_EQ(result.leader, 0);
  EXPECT_EQ(machine.orders[0].size(), 1u);
  EXPECT_EQ(result.contestants[0].ratio.value, 1);
}

TEST(Rounds, RejectsTimesThatCannotBe) {
  FakeClock clock;
  for (double time : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    auto result = runRounds(
        1,
        [&](absl::Span<const int>) -> absl::StatusOr<std::vector<double>> {
          return std::vector<double>{time};
        },
        clock);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
  }
}

TEST(Rounds, PairsAreSettledOneByOne) {
  // 0 and 1 differ clearly, 1 and 2 hardly: 0 need not stay until they settle.
  NoisyMachine machine{{150, 100, 100.1}};
  RoundsOptions options;
  options.maxRounds = 500;
  options.maxSeconds = 100;
  options.indifference = 0.001;
  options.pairs = {{0, 1}, {1, 2}};
  RoundsResult result = run(machine, options);
  EXPECT_EQ(result.ended, "settled");
  ASSERT_EQ(result.pairRatios.size(), 2u);
  EXPECT_GT(result.pairRatios[0].low, 1);
  EXPECT_NEAR(result.pairRatios[0].value, 1.5, 0.02);
  EXPECT_NEAR(result.pairRatios[1].value, 1, 0.01);
  EXPECT_EQ(result.contestants[0].samplesUs.size(), 8u);
  EXPECT_EQ(int(result.contestants[1].samplesUs.size()), result.rounds);
  EXPECT_GT(result.rounds, 8);
}

} // namespace
} // namespace minic::tune
