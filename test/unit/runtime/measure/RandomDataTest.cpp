// SPDX-License-Identifier: Apache-2.0
//
// Random data is the same everywhere, forever: tuner, reference and worker make
// it apart. The literal values pin that down.

#include "runtime/measure/RandomData.h"
#include "runtime/measure/ElementReader.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace minic::runtime {
namespace {

std::vector<double> random(DType dtype, std::vector<int64_t> dims,
                           uint64_t seed, const std::string &name,
                           bool scaleByFanIn = false,
                           std::optional<OperandValues> said = {}) {
  int64_t elements = 1;
  for (int64_t dim : dims) {
    elements *= dim;
  }
  std::vector<char> bytes(elements * elementBytes(dtype));
  fillRandom(bytes.data(), dtype, dims, seed, name, scaleByFanIn, said);
  std::vector<double> values;
  for (int64_t i = 0; i < elements; ++i) {
    values.push_back(readElement(bytes.data(), dtype, i));
  }
  return values;
}

TEST(RandomDataTest, NeverChanges) {
  EXPECT_EQ(random(DType::f32, {3}, 42, "x"),
            (std::vector<double>{8300641 * 0x1p-23, 4811110 * 0x1p-23,
                                 -4528344 * 0x1p-23}));
  EXPECT_EQ(random(DType::i32, {5}, 42, "x"),
            (std::vector<double>{8, 5, -5, 5, 3}));
}

TEST(RandomDataTest, FloatsBeginWithANanWhereTheSeedSaysSo) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    std::vector<double> values = random(dtype, {3, 5}, 42 | withNan, "x");
    EXPECT_TRUE(std::isnan(values[0]));
    for (size_t i = 1; i < values.size(); ++i) {
      EXPECT_TRUE(std::isfinite(values[i]));
    }
  }
  EXPECT_EQ(random(DType::f32, {0}, withNan, "x").size(), 0u);
  EXPECT_EQ(random(DType::i8, {2}, withNan, "x").size(), 2u);
}

TEST(RandomDataTest, IndicesAreAllOfTheirRange) {
  for (DType dtype : {DType::i8, DType::i32, DType::i64}) {
    auto values = random(dtype, {40, 50}, 1, "x", false,
                         OperandValues{ValuesKind::index, -2, 97});
    std::set<double> seen(values.begin(), values.end());
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(*seen.begin(), -2);
    EXPECT_EQ(*seen.rbegin(), 97);
  }
  auto one = random(DType::i64, {9}, 1, "x", false,
                    OperandValues{ValuesKind::index, 5, 5});
  EXPECT_EQ(one, std::vector<double>(9, 5));
}

TEST(RandomDataTest, IndicesMayBeFarApart) {
  for (double value :
       random(DType::i64, {100}, 1, "x", false,
              OperandValues{ValuesKind::index, INT64_MIN, INT64_MAX})) {
    EXPECT_LT(value, 0); // of the first 2^31
  }
}

TEST(RandomDataTest, LengthsAreOfTheUpperHalf) {
  for (double value : random(DType::i32, {500}, 1, "x", false,
                             OperandValues{ValuesKind::length, 1, 512})) {
    EXPECT_GE(value, 256);
    EXPECT_LE(value, 512);
  }
}

TEST(RandomDataTest, MasksKeepTheBeginningsOfRows) {
  constexpr int64_t rows = 20, length = 64;
  auto mask = random(DType::i1, {rows, length}, 1, "x", false,
                     OperandValues{ValuesKind::mask, 0, 1});
  std::set<int64_t> lengths;
  double first = 0;
  for (int64_t row = 0; row < rows; ++row) {
    EXPECT_EQ(mask[row * length], 1);
    int64_t last = 0;
    for (int64_t i = 0; i < length; ++i) {
      last = mask[row * length + i] ? i : last;
      first += i < length / 2 ? mask[row * length + i] : 0;
    }
    lengths.insert(last);
  }
  EXPECT_GT(lengths.size(), 5u);
  EXPECT_NEAR(first / (rows * length / 2), 7.0 / 8, 0.05);
}

TEST(RandomDataTest, FloatsHaveNoValues) {
  EXPECT_EQ(random(DType::f32, {64}, 1, "x", false,
                   OperandValues{ValuesKind::index, 0, 3}),
            random(DType::f32, {64}, 1, "x"));
}

TEST(RandomDataTest, DependsOnSeedNameAndIndexOnly) {
  auto x = random(DType::f32, {64}, 1, "x");
  EXPECT_NE(x, random(DType::f32, {64}, 2, "x"));
  EXPECT_NE(x, random(DType::f32, {64}, 1, "y"));
  EXPECT_NE(random(DType::f32, {64}, 0, ""), random(DType::f32, {64}, 0, "a"));
  // A longer tensor of another shape starts with the same elements.
  auto longer = random(DType::f32, {7, 11}, 1, "x");
  longer.resize(64);
  EXPECT_EQ(longer, x);
}

TEST(RandomDataTest, Distribution) {
  auto x = random(DType::f32, {100000}, 3, "x");
  double sum = 0, squares = 0, largest = 0;
  for (double value : x) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.01);
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.999);

  auto integers = random(DType::i8, {10000}, 3, "x");
  std::set<double> seen(integers.begin(), integers.end());
  EXPECT_EQ(seen.size(), 17u);
  EXPECT_EQ(*seen.begin(), -8);
  EXPECT_EQ(*seen.rbegin(), 8);

  auto bits = random(DType::i1, {10000}, 3, "x");
  EXPECT_NEAR(std::accumulate(bits.begin(), bits.end(), 0.0) / 1e4, 0.5, 0.02);
}

TEST(RandomDataTest, NarrowFloatsAreTheRoundedWideOnes) {
  auto f32 = random(DType::f32, {1001}, 5, "w");
  auto bf16 = random(DType::bf16, {1001}, 5, "w");
  auto f16 = random(DType::f16, {1001}, 5, "w");
  for (size_t i = 0; i < f32.size(); ++i) {
    EXPECT_LE(std::abs(bf16[i] - f32[i]), std::abs(f32[i]) / 256);
    EXPECT_LE(std::abs(f16[i] - f32[i]), std::abs(f32[i]) / 2048 + 0x1p-25);
  }
}

TEST(RandomDataTest, FanInScalesMatricesOnly) {
  auto plain = random(DType::f32, {3, 16}, 5, "w");
  auto scaled = random(DType::f32, {3, 16}, 5, "w", true);
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(scaled[i], plain[i] / 4);
  }
  EXPECT_EQ(random(DType::f32, {16}, 5, "b", true),
            random(DType::f32, {16}, 5, "b"));
}

TEST(RandomDataTest, NothingToFill) {
  fillRandom(nullptr, DType::f32, {4, 0}, 1, "x", true);
}

TEST(SmallFloatTest, EveryNarrowValueSurvives) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = f16ToFloat(uint16_t(bits));
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(wide))));
      EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBf16(wide))));
    } else {
      EXPECT_EQ(floatToF16(wide), bits);
    }
    wide = bf16ToFloat(uint16_t(bits));
    if (!std::isnan(wide)) {
      EXPECT_EQ(floatToBf16(wide), bits);
    }
  }
}

TEST(SmallFloatTest, RoundsToNearestEven) {
  EXPECT_EQ(f16ToFloat(0x3c01), 1 + 0x1p-10f);
  EXPECT_EQ(floatToF16(1 + 0x1p-11f), 0x3c00);             // tie, to even
  EXPECT_EQ(floatToF16(1 + 3 * 0x1p-11f), 0x3c02);         // tie, to even
  EXPECT_EQ(floatToF16(1 + 0x1p-11f + 0x1p-20f), 0x3c01);  // above the tie
  EXPECT_EQ(floatToF16(65519.996f), 0x7bff);               // largest
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);                 // infinity
  EXPECT_EQ(floatToF16(0x1p-25f), 0);                      // tie, to zero
  EXPECT_EQ(floatToF16(std::nextafter(0x1p-25f, 1.f)), 1); // smallest
  EXPECT_EQ(floatToF16(-0.0f), 0x8000);
  EXPECT_EQ(floatToBf16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBf16(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(floatToBf16(0x1.ffp127f), 0x7f80);
  EXPECT_EQ(floatToBf16(std::nextafter(0x1.ffp127f, 0.f)), 0x7f7f);
}

} // namespace
} // namespace minic::runtime
