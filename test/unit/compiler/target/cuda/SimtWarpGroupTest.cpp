// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's transposed matrices, and left operands in registers.

#include "test/unit/compiler/target/cuda/SimtWarpGroup.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>

namespace minic::cuda {
namespace {

using testing::HasSubstr;

/// Of a matrix at `start`, all in bytes.
uint64_t descriptor(uint64_t start, uint64_t rowBytes, uint64_t slab) {
  uint64_t layout = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  return start / 16 | slab / 16 << 16 | 8 * rowBytes / 16 << 32 | layout << 62;
}

// 16 lines of K, two slabs of columns; 16-byte chunks are exchanged by line.
TEST(SimtWarpGroup, TransposedMatrices) {
  mlir::MLIRContext context;
  auto type = mlir::BFloat16Type::get(&context);
  for (int64_t rowBytes : {128, 64, 32}) {
    SCOPED_TRACE(rowBytes);
    const int64_t rows = rowBytes, slab = 32 * rowBytes, start = 1024;
    std::vector<GlobalRange> none;
    SimtMemory memory(128, start + 2 * slab, 1, none);
    auto element = [](int64_t row, int64_t k) {
      return double((row * 7 + k * 3) % 128);
    };
    for (int64_t row = 0; row != rows; ++row) {
      for (int64_t k = 0; k != 16; ++k) {
        int64_t byte = row * 2 % rowBytes;
        int64_t flip = rowBytes == 128  ? k % 8
                       : rowBytes == 64 ? k / 2 % 4
                                        : k / 4 % 2;
        int64_t at = start + row * 2 / rowBytes * slab + k * rowBytes +
                     (byte / 16 ^ flip) * 16 + byte % 16;
        memory.store(/*shared=*/true, uint64_t(at), 2,
                     encode(element(row, k), type));
      }
    }
    WgmmaMatrix matrix;
    ASSERT_EQ(
        matrix.parse(descriptor(start, uint64_t(rowBytes), uint64_t(slab)),
                     rows, /*transposed=*/true),
        "");
    std::vector<double> loaded = matrix.load(memory, type);
    for (int64_t row = 0; row != rows; ++row) {
      for (int64_t k = 0; k != 16; ++k) {
        ASSERT_EQ(loaded[size_t(row * 16 + k)], element(row, k))
            << row << ", " << k;
      }
    }
  }
}

TEST(SimtWarpGroup, TransposedMatricesAreWholeAtoms) {
  WgmmaMatrix matrix;
  auto parse = [&](uint64_t start, uint64_t slab) {
    return matrix.parse(descriptor(start, 64, slab), 64, /*transposed=*/true);
  };
  EXPECT_EQ(parse(512, 1024), "");
  EXPECT_THAT(parse(544, 1024), HasSubstr("not aligned to 512"));
  EXPECT_THAT(parse(512, 768), HasSubstr("not aligned to 512"));
}

TEST(SimtWarpGroup, RegistersNeedAFence) {
  mlir::MLIRContext context;
  std::vector<GlobalRange> none;
  SimtMemory memory(128, 1024, 1, none);
  WgmmaProduct product;
  product.type = mlir::BFloat16Type::get(&context);
  product.left.assign(64 * 16, 1);
  ASSERT_EQ(product.b.parse(descriptor(0, 32, 512), 16, /*transposed=*/true),
            "");
  std::vector<uint64_t> sums(128 * 8, 0);
  WarpGroup group;
  EXPECT_THAT(group.issue(product, sums, memory, /*warp=*/0),
              HasSubstr("no wgmma.fence before"));
  group.isFenced = true;
  EXPECT_EQ(group.issue(product, sums, memory, /*warp=*/0), "");
}

} // namespace
} // namespace minic::cuda
