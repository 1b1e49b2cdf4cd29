// SPDX-License-Identifier: Apache-2.0
//
// The rule on figures that a test makes up.

#include "compiler/tune/model/ShipRule.h"
#include "compiler/tune/model/PlanWays.h"

#include <gtest/gtest.h>

namespace minic::tune {
namespace {

/// A ratio whose interval is as wide as that of a few dozen rounds.
Comparison ratio(double value) {
  return {.tunedUs = 10 * value,
          .defaultUs = 10,
          .ratio = value,
          .ratioLow = value - 0.003,
          .ratioHigh = value + 0.003};
}

/// Of too few rounds for an interval.
Comparison vague(double value) {
  return {.tunedUs = 10 * value, .defaultUs = 10, .ratio = value};
}

TEST(ShipRuleTest, OneCallDecidesElseBackToBackTime) {
  struct Case {
    double backToBack, call;
    bool isBetter;
    const char *decides;
  };
  for (const Case &c : {
           Case{1.15, 0.89, true, "one synchronized call decides"},
           Case{0.80, 1.05, false, "one synchronized call decides"},
           Case{0.90, 1.00, true, "back-to-back time decides"},
           Case{1.10, 0.995, false, "back-to-back time decides"},
           Case{1.00, 1.00, false, "neither figure separates them"},
           Case{0.995, 0.995, false, "neither figure separates them"},
       }) {
    Figures figures{ratio(c.backToBack), ratio(c.call)};
    EXPECT_EQ(isBetter(figures), c.isBetter) << c.backToBack << ' ' << c.call;
    EXPECT_STREQ(describeDecision(figures), c.decides);
  }
  EXPECT_FALSE(isBetter({vague(0.5), vague(0.5)}));
}

TEST(ShipRuleTest, WhatShipsForTheDefaultPlanIsFasterBackToBack) {
  EXPECT_TRUE(mayShip({ratio(0.97), ratio(1.00)}));
  EXPECT_FALSE(mayShip({ratio(0.985), ratio(0.80)}));
  EXPECT_FALSE(mayShip({ratio(1.00), ratio(0.80)}));
  EXPECT_FALSE(mayShip({ratio(0.80), ratio(1.02)}));
  EXPECT_FALSE(mayShip({ratio(0.80), vague(1.02)}));
}

TEST(ShipRuleTest, ACallThatIsLongerByLessThanAPercentRefusesNothing) {
  EXPECT_TRUE(ratio(1.008).isLonger());
  EXPECT_TRUE(mayShip({ratio(0.95), ratio(1.008)}));
  EXPECT_FALSE(mayShip({ratio(0.95), ratio(1.012)}));
  EXPECT_FALSE(mayReplace({ratio(0.95), ratio(1.008)}));
}

TEST(ShipRuleTest, TheDevicesTimeDecidesInPlaceOfBackToBackTime) {
  Figures figures{ratio(1.05), ratio(0.99), ratio(0.94)};
  EXPECT_TRUE(mayShip(figures));
  EXPECT_EQ(describeDevice(figures),
            ", on the device 9.40 us for 10.00, ratio 0.940 [0.937, 0.943]");
  EXPECT_FALSE(mayShip({ratio(0.90), ratio(0.99), ratio(0.99)}));
  EXPECT_FALSE(mayShip({ratio(0.90), ratio(1.02), ratio(0.90)}));
  EXPECT_EQ(describeDevice({ratio(0.94), ratio(0.94)}), "");
}

TEST(ShipRuleTest, FiguresTakenBesideOthersMustSayMore) {
  EXPECT_FALSE(mayShip({.backToBack = ratio(0.96), .isDisturbed = true}));
  EXPECT_TRUE(mayShip({.backToBack = ratio(0.94), .isDisturbed = true}));
  EXPECT_TRUE(mayShip({.backToBack = ratio(0.96), .teamsDiffer = true}));
  EXPECT_FALSE(mayShip(
      {.backToBack = ratio(0.5), .isDisturbed = true, .teamsDiffer = true}));
}

TEST(ShipRuleTest, APlanIsReplacedByWhatIsClearlyFasterAndNowhereSlower) {
  EXPECT_TRUE(mayReplace({ratio(0.985), {}}));
  EXPECT_FALSE(mayReplace({ratio(0.995), {}}));
  EXPECT_FALSE(mayReplace({vague(0.5), {}}));
  EXPECT_TRUE(mayReplace({ratio(0.985), ratio(1.00)}));
  EXPECT_TRUE(mayReplace({ratio(1.00), ratio(0.985)}));
  EXPECT_FALSE(mayReplace({ratio(0.80), ratio(1.02)}));
  EXPECT_FALSE(mayReplace({ratio(1.02), ratio(0.80)}));
  EXPECT_FALSE(mayReplace({.backToBack = ratio(0.96), .isDisturbed = true}));
  EXPECT_TRUE(mayReplace({.backToBack = ratio(0.94), .isDisturbed = true}));
  EXPECT_FALSE(mayReplace(
      {.backToBack = ratio(0.5), .isDisturbed = true, .teamsDiffer = true}));
}

TEST(ShipRuleTest, APlanIsReplacedByWhatTakesTheDeviceLess) {
  EXPECT_TRUE(mayReplace({ratio(1.05), ratio(1.008), ratio(0.985)}));
  EXPECT_FALSE(mayReplace({ratio(0.90), ratio(1.00), ratio(0.995)}));
  EXPECT_FALSE(mayReplace({ratio(0.90), ratio(0.90), ratio(1.00)}));
  EXPECT_FALSE(mayReplace({ratio(1.00), ratio(1.02), ratio(0.90)}));
}

TEST(ShipRuleTest, ReplayWhenIdleNeedsAShorterCallAndLosesNothing) {
  EXPECT_TRUE(mayShipWhenIdle({ratio(1.00), ratio(0.90)}));
  EXPECT_TRUE(mayShipWhenIdle({ratio(1.002), ratio(0.98)}));
  EXPECT_TRUE(mayShipWhenIdle({ratio(0.90), ratio(0.90)}));
  EXPECT_FALSE(mayShipWhenIdle({ratio(1.00), ratio(0.985)}));
  EXPECT_FALSE(mayShipWhenIdle({ratio(1.01), ratio(0.50)}));
  EXPECT_FALSE(mayShipWhenIdle({ratio(1.00), ratio(1.10)}));
  EXPECT_FALSE(mayShipWhenIdle({ratio(0.90), ratio(1.00)}));
  EXPECT_FALSE(mayShipWhenIdle({ratio(1.00), vague(0.50)}));
}

TEST(ShipRuleTest, ARunIsTakenToLastLongerThanBackToBackAndLessThanACall) {
  Figures figures;
  figures.backToBack = {.tunedUs = 9.25, .defaultUs = 8.08};
  figures.call = {.tunedUs = 14.0, .defaultUs = 15.7};
  EXPECT_DOUBLE_EQ(busyUs(figures), (9.25 + 14.0) / 2);
}

} // namespace
} // namespace minic::tune
