// SPDX-License-Identifier: Apache-2.0
//
// What 20 ms of short loops say of a machine that a test makes up.

#include "compiler/tune/NoiseProbe.h"
#include "test/unit/compiler/tune/FakeMachine.h"

#include <gtest/gtest.h>

#include <thread>

namespace minic::tune {
namespace {

TEST(NoiseProbe, ReadsTheKernelsFiles) {
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30 3/345 6789\n"), 3);
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30"), std::nullopt);
  EXPECT_EQ(parseRunnable("0.50 0.40 0.30 x/345 6789"), std::nullopt);
  EXPECT_EQ(parseRunnable(""), std::nullopt);
  EXPECT_EQ(parseRunDelay("123 5000000 7\n"), 0.005);
  EXPECT_EQ(parseRunDelay("123"), std::nullopt);
  const char *stat = "cpu  10 0 20 30 4 0 0 50 0 0\ncpu0 1 1 1 1 1 1 1 9 1 1\n";
  EXPECT_EQ(parseSteal(stat, 100), 0.5);
  EXPECT_EQ(parseSteal("cpu 10 0 20 30", 100), std::nullopt);
  EXPECT_EQ(parseSteal("intr 1 2 3 4 5 6 7 8 9", 100), std::nullopt);
  EXPECT_EQ(parseSteal("", 100), std::nullopt);
}

class NoiseProbeTest : public testing::Test {
protected:
  Noise run() {
    NoiseProbe probe{clock,
                     [this] {
                       ++spins;
                       bool isLate = lateEvery && spins % lateEvery == 0;
                       clock.seconds += isLate ? 0.0004 : 0.0001;
                     },
                     [this](const std::string &path) { return read(path); }, 2};
    return probe.run();
  }
  std::string read(const std::string &path) {
    if (path == "/proc/loadavg") {
      return "0 0 0 " + std::to_string(1 + others) + "/9 1";
    }
    double seconds = clock.seconds - 1000;
    if (path == "/proc/stat") {
      return "cpu 0 0 0 0 0 0 0 " +
             std::to_string(std::lround(100 * stolen * seconds));
    }
    EXPECT_EQ(path, "/proc/thread-self/schedstat");
    return "0 " + std::to_string(std::llround(1e9 * waits * seconds)) + " 0";
  }

  FakeClock clock;
  int spins = 0, lateEvery = 0, others = 0;
  double stolen = 0, waits = 0; // cores; part of the time
};

TEST_F(NoiseProbeTest, AQuietMachineTakesItTwentyMilliseconds) {
  Noise noise = run();
  EXPECT_NEAR(noise.spread, 0, 1e-6);
  EXPECT_EQ(noise.others, 0);
  EXPECT_EQ(noise.cores, 2);
  EXPECT_NEAR(clock.seconds, 1000.02, 0.0003);
  EXPECT_NEAR(spins, 201, 2);
}

TEST_F(NoiseProbeTest, SpinsThatTakeLongerAreTheSpread) {
  lateEvery = 5;
  EXPECT_NEAR(run().spread, 3, 1e-3);
  lateEvery = 50; // fewer than a tenth
  EXPECT_NEAR(run().spread, 0, 1e-3);
}

TEST_F(NoiseProbeTest, OthersAreCountedOrFeltOrStealCores) {
  others = 2;
  EXPECT_NEAR(run().others, 2, 1e-9);
  others = 0;
  waits = 0.5;
  EXPECT_NEAR(run().others, 1, 0.02);
  others = 2; // the same ones
  EXPECT_NEAR(run().others, 2, 0.02);
  waits = 0;
  stolen = 1;
  EXPECT_NEAR(run().others, 3, 0.55); // in ticks of 10 ms
}

TEST_F(NoiseProbeTest, ThisMachineAnswersInTime) {
  SteadyClock steady;
  double begun = steady.now();
  Noise noise = probeNoise();
  EXPECT_GE(steady.now() - begun, NoiseProbe::seconds);
  EXPECT_GE(noise.spread, 0);
  EXPECT_GE(noise.others, 0);
  EXPECT_EQ(noise.cores, std::thread::hardware_concurrency());
}

} // namespace
} // namespace minic::tune
