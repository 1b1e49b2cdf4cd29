// SPDX-License-Identifier: Apache-2.0
//
// What a search looks at first, and what it then rules out.

#include "compiler/tune/search/Prospects.h"

#include "gmock/gmock.h"

namespace minic::tune {
namespace {

using ::testing::ElementsAre;

TEST(Prospects, AFewOfEachKindComeFirst) {
  std::vector<Prospect> prospects = {{"a", 1}, {"a", 2}, {"a", 3}, {"b", 4},
                                     {"", 5},  {"c", 6}, {"b", 7}, {"b", 8}};
  EXPECT_THAT(firstToLookAt(prospects, {.firstOfKind = 2}),
              ElementsAre(true, true, false, true, true, true, true, false));
  // What has no kind is beyond the count.
  EXPECT_THAT(firstToLookAt(prospects,
                            {.first = 3, .firstOfKind = 2, .firstOfFamily = 0}),
              ElementsAre(true, true, false, true, true, false, false, false));
}

TEST(Prospects, AFewOfEachFamilyComeFirst) {
  std::vector<Prospect> prospects = {{"a 1", 1}, {"a 2", 2}, {"a 3", 3},
                                     {"b 1", 4}, {"b 1", 5}, {"b 2", 6},
                                     {"a 4", 7}, {"b 3", 8}};
  EXPECT_THAT(firstToLookAt(prospects,
                            {.first = 3, .firstOfKind = 1, .firstOfFamily = 2}),
              ElementsAre(true, true, true, true, false, true, false, false));
}

TEST(Prospects, AllAreLookedAtWhereThatIsAsked) {
  std::vector<Prospect> prospects = {{"a", 1, 1}, {"a", 1000}, {"a", 1000}};
  ProspectPolicy all = {.isExhaustive = true};
  EXPECT_THAT(firstToLookAt(prospects, all), ElementsAre(true, true, true));
  EXPECT_TRUE(isPromising(prospects, 2, all));
  EXPECT_FALSE(isPromising(prospects, 2));
}

TEST(Prospects, NothingIsRuledOutBeforeAnythingWasTimed) {
  std::vector<Prospect> prospects = {{"a", 1}, {"a", 1000}};
  EXPECT_TRUE(isPromising(prospects, 1));
  // A library's call alone says nothing about estimates.
  prospects.push_back({"", 1, 20});
  EXPECT_TRUE(isPromising(prospects, 1));
}

TEST(Prospects, AKindHasAFactorOfItsOwn) {
  // "a" takes twice its estimates, "b" what they say.
  std::vector<Prospect> prospects = {{"a", 10, 20}, {"b", 21, 21}, {"a", 11},
                                     {"a", 12},     {"b", 22},     {"b", 23},
                                     {"c", 22},     {"c", 23}};
  EXPECT_TRUE(isPromising(prospects, 2));  // 22 us
  EXPECT_FALSE(isPromising(prospects, 3)); // 24 us
  EXPECT_TRUE(isPromising(prospects, 4));
  EXPECT_FALSE(isPromising(prospects, 5));
  // Nothing is known of "c": the best factor of all is.
  EXPECT_TRUE(isPromising(prospects, 6));
  EXPECT_FALSE(isPromising(prospects, 7));
}

TEST(Prospects, TheBestOfAKindSpeaksForIt) {
  // One that a kind's tile does not suit says nothing of the others.
  std::vector<Prospect> prospects = {{"a", 10, 40}, {"a", 12, 13}, {"a", 13}};
  EXPECT_TRUE(isPromising(prospects, 2));
}

TEST(Prospects, AFastLibraryRulesKernelsOut) {
  std::vector<Prospect> prospects = {{"a", 50, 64}, {"", 50, 32}, {"a", 28}};
  EXPECT_FALSE(isPromising(prospects, 2));
  // Whatever the estimate: calls of libraries are always looked at.
  prospects.push_back({"", 1000});
  EXPECT_TRUE(isPromising(prospects, 3));
}

} // namespace
} // namespace minic::tune
