// SPDX-License-Identifier: Apache-2.0
//
// The file that remembers what teams cost.

#include "compiler/driver/JoinCosts.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

namespace minic {
namespace {

TEST(JoinCostsTest, KeepsWhatEachMachineTook) {
  std::string folder = testing::TempDir() + "join-costs-test";
  std::filesystem::remove_all(folder);
  JoinCosts costs(folder + "/minic/costs.json");
  EXPECT_EQ(costs.find("amd threads=2"), std::nullopt);
  costs.keep("amd threads=2", 1);
  costs.keep("amd threads=4", 2);
  costs.keep("amd threads=2", 0.5);
  EXPECT_EQ(costs.find("amd threads=2"), 0.5);
  EXPECT_EQ(costs.find("amd threads=4"), 2);
  EXPECT_EQ(costs.find("amd threads=8"), std::nullopt);
}

TEST(JoinCostsTest, ADamagedFileIsAnEmptyOne) {
  std::string path = testing::TempDir() + "damaged-costs.json";
  JoinCosts costs(path);
  for (const char *text :
       {"{\"a\": ", "[1]", "{\"a\": \"1\"}", "{\"a\": -1}"}) {
    std::ofstream(path) << text;
    EXPECT_EQ(costs.find("a"), std::nullopt) << text;
  }
  costs.keep("a", 4);
  EXPECT_EQ(costs.find("a"), 4);
}

TEST(JoinCostsTest, WhatCannotBeWrittenIsMeasuredAgain) {
  JoinCosts costs("/proc/no/costs.json");
  costs.keep("a", 4);
  EXPECT_EQ(costs.find("a"), std::nullopt);
}

TEST(JoinCostsTest, RoundsToPowersOfTwo) {
  EXPECT_EQ(JoinCosts::rounded(0.01), 0.25);
  EXPECT_EQ(JoinCosts::rounded(0.7), 0.5);
  EXPECT_EQ(JoinCosts::rounded(0.72), 1);
  EXPECT_EQ(JoinCosts::rounded(3), 4);
  EXPECT_EQ(JoinCosts::rounded(1e6), 64);
}

} // namespace
} // namespace minic
