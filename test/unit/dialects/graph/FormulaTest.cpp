// SPDX-License-Identifier: Apache-2.0
//
// What formulas give, and what is no formula.

#include "dialects/graph/Formula.h"

#include "llvm/ADT/StringMap.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace minic::graph {
namespace {

/// With M = 100, BM = 16, ZERO = 0.
std::string valueOf(const std::string &text) {
  static const llvm::StringMap<int64_t> names = {
      {"M", 100}, {"BM", 16}, {"ZERO", 0}, {"BIG", INT64_MAX}};
  std::string error;
  auto formula = Formula::parse(text, error);
  if (!formula) {
    return error;
  }
  auto value = formula->evaluate(
      [&](llvm::StringRef name) -> std::optional<int64_t> {
        auto found = names.find(name);
        return found == names.end() ? std::nullopt
                                    : std::optional(found->second);
      },
      error);
  return value ? std::to_string(*value) : error;
}

TEST(Formula, BindsAsInPython) {
  EXPECT_EQ(valueOf("1 + 2 * 3"), "7");
  EXPECT_EQ(valueOf("(1 + 2) * 3"), "9");
  EXPECT_EQ(valueOf("10 - 3 - 2"), "5");
  EXPECT_EQ(valueOf("100 / 7 / 2"), "7");
  EXPECT_EQ(valueOf("-2 * 3"), "-6");
  EXPECT_EQ(valueOf("- - 2"), "2");
  EXPECT_EQ(valueOf("1 + 1 == 2 and 3 > 2"), "1");
  EXPECT_EQ(valueOf("not 1 == 2"), "1");
  EXPECT_EQ(valueOf("0 or 1 and 0"), "0");
  EXPECT_EQ(valueOf("not 1 or 1"), "1");
}

TEST(Formula, DividesTowardsMinusInfinity) {
  EXPECT_EQ(valueOf("-7 / 2"), "-4");
  EXPECT_EQ(valueOf("-7 % 2"), "1");
  EXPECT_EQ(valueOf("7 % -2"), "-1");
  EXPECT_EQ(valueOf("7 // 2"), "3");
  EXPECT_EQ(valueOf("ceildiv(M, BM)"), "7");
  EXPECT_EQ(valueOf("ceildiv(96, BM)"), "6");
  EXPECT_EQ(valueOf("ceildiv(-7, 2)"), "-3");
}

TEST(Formula, ComparesAndChooses) {
  EXPECT_EQ(valueOf("3 < 3"), "0");
  EXPECT_EQ(valueOf("3 <= 3"), "1");
  EXPECT_EQ(valueOf("3 >= 4"), "0");
  EXPECT_EQ(valueOf("4 > 3"), "1");
  EXPECT_EQ(valueOf("4 != 3"), "1");
  EXPECT_EQ(valueOf("min(3, 1, 2)"), "1");
  EXPECT_EQ(valueOf("max(3, 1, 2)"), "3");
  EXPECT_EQ(valueOf("select(M % BM == 0, 1, 2)"), "2");
  EXPECT_EQ(valueOf("select(M > 64 and BM < 32, M, BM)"), "100");
}

TEST(Formula, SaysWhatHasNoValue) {
  EXPECT_EQ(valueOf("M / ZERO"), "a division by 0 in 'M / ZERO'");
  EXPECT_EQ(valueOf("M % ZERO"), "a division by 0 in 'M % ZERO'");
  EXPECT_EQ(valueOf("BIG + 1"), "int64 overflows in 'BIG + 1'");
  EXPECT_EQ(valueOf("BIG * 2"), "int64 overflows in 'BIG * 2'");
  EXPECT_EQ(valueOf("(-BIG - 1) / -1"), "int64 overflows in '(-BIG - 1) / -1'");
  EXPECT_EQ(valueOf("-(-BIG - 1)"), "int64 overflows in '-(-BIG - 1)'");
  EXPECT_EQ(valueOf("N + 1"), "nothing is called 'N' in 'N + 1'");
}

TEST(Formula, SaysWhatIsNoFormula) {
  EXPECT_EQ(valueOf(""), "expected a number, a name or '(' at character 1, got "
                         "the end");
  EXPECT_EQ(valueOf("1 +"), "expected a number, a name or '(' at character 4, "
                            "got the end");
  EXPECT_EQ(valueOf("(1"), "expected ')' at character 3, got the end");
  EXPECT_EQ(valueOf("1 2"),
            "expected the end or an operator at character 3, got '2'");
  EXPECT_EQ(valueOf("ceildiv(1)"), "expected ',' at character 10, got ')'");
  EXPECT_EQ(valueOf("ceildiv(1, 2, 3)"),
            "expected ')' at character 13, got ','");
  EXPECT_EQ(valueOf("1, 2"), "expected one formula, got 2");
  EXPECT_EQ(valueOf("99999999999999999999"),
            "expected an int64 at character 1, got '9999999999'");
  EXPECT_EQ(valueOf("and"),
            "expected a number, a name or '(' at character 1, got 'and'");
  EXPECT_EQ(valueOf("M & 1"),
            "expected the end or an operator at character 3, got '&'");
  std::string deep(1000, '(');
  EXPECT_THAT(valueOf(deep), HasSubstr("100 levels"));
  EXPECT_EQ(valueOf(std::string(100000, '-') + "1"), "1");
}

TEST(Formula, KnowsItsNames) {
  std::string error;
  auto formulas =
      Formula::parseList(" ceildiv(M, BM) , N * BM + M, andy ", error);
  ASSERT_TRUE(formulas) << error;
  ASSERT_EQ(formulas->size(), 3u);
  EXPECT_EQ((*formulas)[0].text(), "ceildiv(M, BM)");
  EXPECT_THAT((*formulas)[0].names(), ElementsAre("M", "BM"));
  EXPECT_THAT((*formulas)[1].names(), ElementsAre("N", "BM", "M"));
  EXPECT_THAT((*formulas)[2].names(), ElementsAre("andy"));
  EXPECT_TRUE(isFormulaName("_a1"));
  EXPECT_FALSE(isFormulaName("1a"));
  EXPECT_FALSE(isFormulaName("min"));
  EXPECT_FALSE(isFormulaName("a-b"));
  EXPECT_FALSE(isFormulaName(""));
}

} // namespace
} // namespace minic::graph
