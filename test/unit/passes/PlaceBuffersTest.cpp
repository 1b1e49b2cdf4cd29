// SPDX-License-Identifier: Apache-2.0

#include "passes/support/PlaceBuffers.h"

#include "gmock/gmock.h"

#include <random>

namespace minic {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool areLiveTogether(const BufferLife &a, const BufferLife &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Places them, checks that no two collide, and returns the arena's bytes over
/// those of the largest live set.
double placeAndCheck(const std::vector<BufferLife> &buffers) {
  PlacedBuffers placed = placeBuffers(buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t begin = placed.offsets[i], end = begin + buffers[i].bytes;
    EXPECT_GE(begin, 0);
    EXPECT_EQ(begin % buffers[i].alignment, 0);
    EXPECT_LE(end, placed.end);
    for (size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(!areLiveTogether(buffers[i], buffers[j]) ||
                  end <= placed.offsets[j] ||
                  placed.offsets[j] + buffers[j].bytes <= begin)
          << "buffers " << j << " and " << i;
    }
  }
  return double(placed.end) / double(getLiveBytes(buffers));
}

TEST(PlaceBuffers, OfNothing) {
  PlacedBuffers placed = placeBuffers({});
  EXPECT_THAT(placed.offsets, IsEmpty());
  EXPECT_EQ(placed.end, 0);
  EXPECT_EQ(getLiveBytes({}), 0);
}

TEST(PlaceBuffers, SharesWhatIsNeverLiveTogether) {
  PlacedBuffers placed =
      placeBuffers({{128, 64, 0, 1}, {128, 64, 1, 2}, {128, 64, 2, 3}});
  EXPECT_THAT(placed.offsets, ElementsAre(0, 128, 0));
  EXPECT_EQ(placed.end, 256);
}

TEST(PlaceBuffers, AlignsEachAsItAsks) {
  EXPECT_THAT(placeBuffers({{6, 64, 0, 1}, {6, 4, 0, 1}}).offsets,
              ElementsAre(0, 8));
}

TEST(PlaceBuffers, CountsAnEmptyBuffer) {
  EXPECT_EQ(placeBuffers({{0, 64, 0, 0}, {64, 64, 0, 0}}).end, 64);
}

// Largest first, the small buffer that lives through all of it would lie
// between two large ones, and the third, larger one would fit on neither side.
TEST(PlaceBuffers, KeepsLongLivesOutOfTheMiddle) {
  EXPECT_EQ(placeAndCheck({{64, 64, 0, 4},
                           {256, 64, 0, 1},
                           {192, 64, 1, 2},
                           {320, 64, 2, 3},
                           {128, 64, 3, 4}}),
            1.0);
}

/// A layer of a transformer: a residual that lives through it, a norm, three
/// slices of one product, scores, and a wide hidden value.
void appendLayer(std::vector<BufferLife> &buffers, int64_t at, int64_t width) {
  auto add = [&](int64_t bytes, int64_t first, int64_t last) {
    buffers.push_back({bytes, 64, at + first, at + last});
  };
  add(width, -1, 9);    // the layer's input
  add(width, 0, 1);     // norm
  add(3 * width, 1, 4); // query, key, value
  for (int64_t i = 0; i < 3; ++i) {
    add(width, 2 + i, 5);
  }
  add(2 * width + 40, 5, 6); // scores
  add(width, 6, 7);
  add(width, 7, 11); // the residual
  add(width, 8, 9);
  add(4 * width, 9, 10);
}

TEST(PlaceBuffers, PacksLayersWithinTwoPercent) {
  for (int64_t layers : {1, 2, 12, 48}) {
    for (int64_t width : {1872, 4096, 1572864}) {
      std::vector<BufferLife> buffers;
      for (int64_t i = 0; i < layers; ++i) {
        appendLayer(buffers, 1 + 11 * i, width);
      }
      EXPECT_LE(placeAndCheck(buffers), 1.02) << layers << " of " << width;
    }
  }
}

TEST(PlaceBuffers, NeverLetsRandomLivesCollide) {
  std::minstd_rand random(7);
  for (int run = 0; run < 50; ++run) {
    std::vector<BufferLife> buffers;
    int64_t count = 1 + random() % 60;
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = random() % 40, last = first + random() % 12;
      buffers.push_back({int64_t(random() % 5000), int64_t(4) << (random() % 5),
                         first, last});
    }
    EXPECT_LE(placeAndCheck(buffers), 1.35) << "run " << run;
  }
}

TEST(PlaceBuffers, GivesTheSamePlacesAgain) {
  std::vector<BufferLife> buffers;
  appendLayer(buffers, 1, 1000);
  appendLayer(buffers, 12, 1000);
  EXPECT_EQ(placeBuffers(buffers).offsets, placeBuffers(buffers).offsets);
}

} // namespace
} // namespace minic
