// SPDX-License-Identifier: Apache-2.0
//
// pack against a naive computation of every element's place.

#include "runtime/format/Packer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace minic::runtime {
namespace {

/// Element offset in memory of a logical index, straight from the definition
/// of #kernel.layout.
int64_t offsetOf(const std::vector<int64_t> &index,
                 const BlockedLayout &layout) {
  std::vector<int64_t> blocks(layout.padded.size(), 1);
  for (size_t b = 0; b < layout.blockDims.size(); ++b) {
    blocks[layout.blockDims[b]] *= layout.blockSizes[b];
  }
  int64_t offset = 0;
  for (int64_t d : layout.order) {
    offset = offset * (layout.padded[d] / blocks[d]) + index[d] / blocks[d];
  }
  for (size_t b = 0; b < layout.blockDims.size(); ++b) {
    int64_t inner = 1; // what later blocks of this dimension hold
    for (size_t later = b + 1; later < layout.blockDims.size(); ++later) {
      if (layout.blockDims[later] == layout.blockDims[b]) {
        inner *= layout.blockSizes[later];
      }
    }
    offset = offset * layout.blockSizes[b] +
             index[layout.blockDims[b]] / inner % layout.blockSizes[b];
  }
  return offset;
}

std::vector<unsigned char> packNaively(const std::vector<unsigned char> &source,
                                       const std::vector<int64_t> &dims,
                                       int64_t elementBytes,
                                       const BlockedLayout &layout) {
  std::vector<unsigned char> packed(layout.elements() * elementBytes, 0);
  int64_t count = source.size() / elementBytes;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> index(dims.size());
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) {
      index[d] = rest % dims[d];
    }
    std::memcpy(&packed[offsetOf(index, layout) * elementBytes],
                &source[i * elementBytes], elementBytes);
  }
  return packed;
}

/// Of a dense row-major tensor, in elements.
std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * dims[d];
  }
  return strides;
}

void expectSame(const std::vector<int64_t> &dims, int64_t elementBytes,
                const BlockedLayout &layout) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    count *= dim;
  }
  std::vector<unsigned char> source(count * elementBytes);
  for (size_t i = 0; i < source.size(); ++i) {
    source[i] = i * 7 + i / 255 + 1;
  }
  std::vector<unsigned char> packed(layout.elements() * elementBytes, 0xee);
  pack(source.data(), dims, elementBytes, layout, packed.data());
  // The same in pieces of three slices.
  std::vector<unsigned char> pieces(packed.size(), 0xee);
  int64_t slices = layout.outermost();
  int64_t sliceBytes = slices == 0 ? 0 : int64_t(packed.size()) / slices;
  for (int64_t first = 0; first < slices; first += 3) {
    packSlices(source.data(), dims, stridesOf(dims), elementBytes, layout,
               first, std::min(first + 3, slices),
               pieces.data() + first * sliceBytes);
  }
  EXPECT_EQ(pieces, packed);
  // The same of a source whose dimensions lie in the opposite order.
  std::vector<int64_t> reversed(dims.rbegin(), dims.rend());
  std::vector<int64_t> strides = stridesOf(reversed);
  std::reverse(strides.begin(), strides.end());
  std::vector<int64_t> order(dims.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::vector<unsigned char> transposed =
      packNaively(source, dims, elementBytes, {order, {}, {}, dims});
  std::fill(pieces.begin(), pieces.end(), 0xee);
  for (int64_t first = 0; first < slices; first += 3) {
    packSlices(transposed.data(), dims, strides, elementBytes, layout, first,
               std::min(first + 3, slices), pieces.data() + first * sliceBytes);
  }
  EXPECT_EQ(pieces, packed);
  EXPECT_EQ(packed, packNaively(source, dims, elementBytes, layout))
      << ::testing::PrintToString(dims) << " of " << elementBytes << " order "
      << ::testing::PrintToString(layout.order) << " blocks "
      << ::testing::PrintToString(layout.blockDims)
      << ::testing::PrintToString(layout.blockSizes) << " padded "
      << ::testing::PrintToString(layout.padded);
}

TEST(PackerTest, packsWeightPanels) {
  // [N / 32][K][32], padded columns; [N / 16][K / 2][16][2], odd K padded.
  expectSame({50, 37}, 4, {{0, 1}, {0}, {32}, {64, 37}});
  expectSame({50, 37}, 2, {{0, 1}, {0, 1}, {16, 2}, {64, 38}});
  expectSame({64, 40}, 2, {{0, 1}, {0, 1}, {32, 2}, {64, 40}});
  expectSame({64, 40}, 4, {{0, 1}, {0}, {64}, {64, 40}});
}

TEST(PackerTest, transposesAndPads) {
  expectSame({5, 7}, 4, {{1, 0}, {}, {}, {5, 7}});
  expectSame({5, 7}, 4, {{1, 0}, {}, {}, {8, 16}});
  expectSame({5, 7}, 2, {{0, 1}, {}, {}, {5, 8}});
  expectSame({3, 4, 5}, 1, {{2, 0, 1}, {}, {}, {3, 4, 5}});
}

TEST(PackerTest, packsBlocksOfOneDimension) {
  expectSame({19}, 4, {{0}, {0, 0}, {4, 2}, {24}});
  expectSame({19, 3}, 2, {{0, 1}, {0, 0}, {4, 2}, {24, 3}});
  expectSame({19, 9}, 2, {{1, 0}, {1, 0, 1}, {2, 4, 2}, {20, 12}});
}

TEST(PackerTest, packsScalarsAndNothing) {
  expectSame({}, 8, {{}, {}, {}, {}});
  expectSame({1}, 8, {{0}, {}, {}, {1}});
  expectSame({0, 4}, 4, {{0, 1}, {}, {}, {0, 4}});
  expectSame({0, 4}, 4, {{0, 1}, {0}, {8}, {8, 4}}); // all padding
}

TEST(PackerTest, agreesWithTheDefinitionOnRandomLayouts) {
  std::mt19937 random(7);
  auto upTo = [&](int64_t n) { return int64_t(random() % n); };
  for (int round = 0; round < 2000; ++round) {
    size_t rank = 1 + upTo(4);
    std::vector<int64_t> dims;
    BlockedLayout layout;
    std::vector<int64_t> blocks(rank, 1);
    for (size_t d = 0; d < rank; ++d) {
      dims.push_back(1 + upTo(20));
      layout.order.push_back(d);
    }
    std::shuffle(layout.order.begin(), layout.order.end(), random);
    for (int64_t b = upTo(4); b > 0; --b) {
      layout.blockDims.push_back(upTo(rank));
      layout.blockSizes.push_back(1 + upTo(6));
      blocks[layout.blockDims.back()] *= layout.blockSizes.back();
    }
    for (size_t d = 0; d < rank; ++d) {
      int64_t count = (dims[d] + blocks[d] - 1) / blocks[d] + upTo(2);
      layout.padded.push_back(count * blocks[d]);
    }
    expectSame(dims, int64_t(1) << upTo(4), layout);
    if (HasFailure()) {
      return;
    }
  }
}

} // namespace
} // namespace minic::runtime
