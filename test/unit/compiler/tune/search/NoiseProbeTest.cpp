// SPDX-License-Identifier: Apache-2.0
//
// What 20 ms of short loops say of a machine that a test makes up.

#include "compiler/tune/search/NoiseProbe.h"
#include "test/unit/compiler/tune/FakeMachine.h"

#include <gtest/gtest.h>

#include <thread>

namespace minic::tune {
namespace {

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
