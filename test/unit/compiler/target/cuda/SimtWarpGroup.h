// SPDX-License-Identifier: Apache-2.0
//
// What a warp group's tensor cores do by themselves: matrices in shared memory,
// and products that are added as late as a wait allows. A register of a sum
// that is still pending is NaN; above its 32 bits it says which one it is, and
// so stays that sum wherever it is moved as a whole: through structs, loops.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWARPGROUP_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWARPGROUP_H

#include "test/unit/compiler/target/cuda/SimtMemory.h"
#include "test/unit/compiler/target/cuda/SimtValues.h"

#include "mlir/IR/BuiltinTypes.h"

#include <deque>
#include <optional>

namespace minic::cuda {

/// Rows of 16 elements of 16 bits in shared memory, as a descriptor has them:
/// atoms of 8 swizzled lines, of which these elements are a part. A line is a
/// row, or, transposed, one element of each.
struct WgmmaMatrix {
  uint64_t start = 0, stride = 0, rowBytes = 0;
  /// Transposed: from each rowBytes of a line to the next.
  uint64_t slab = 0;
  int64_t rows = 0;
  bool isTransposed = false;

  /// Returns what is wrong, empty for nothing.
  std::string parse(uint64_t descriptor, int64_t rowCount,
                    bool transposed = false);

  int64_t lines() const { return isTransposed ? 16 : rows; }
  int64_t chunksPerLine() const { return isTransposed ? rows / 8 : 2; }
  /// The 8 elements from `number * 8` on are together.
  uint64_t chunk(int64_t line, int64_t number) const {
    auto byte = uint64_t(number * 16);
    uint64_t at = start + uint64_t(line / 8) * stride +
                  uint64_t(line % 8) * rowBytes + byte / rowBytes * slab +
                  byte % rowBytes;
    // Of each row's 16-byte chunks: 8, 4 or 2.
    return at ^ (at >> 3 & (rowBytes - 16));
  }

  /// `warp`: one of those that read.
  std::string beginReads(SimtMemory &memory, int64_t warp) const;
  void endReads(SimtMemory &memory) const;
  /// Row after row.
  std::vector<double> load(const SimtMemory &memory,
                           mlir::FloatType type) const;
};

/// One m64nNk16.
struct WgmmaProduct {
  WgmmaMatrix a, b;
  /// A's elements, row after row, where they come from registers.
  std::vector<double> left;
  mlir::FloatType type;
  /// Whether it is added to what the sums were, or replaces it.
  bool adds = false;
  /// The product whose sums these were when this one was issued.
  std::optional<size_t> continues;
  /// Register i of thread t at [t * registers() + i]; to begin with what the
  /// product is added to.
  std::vector<float> sums;
  bool isComplete = false, isContinued = false;

  int64_t registers() const { return b.rows / 2; }
};

/// Which sum a pending register is of.
struct PendingSum {
  size_t product;
  int64_t index;

  uint64_t bits() const {
    return uint64_t(product * 128 + size_t(index) + 1) << 32 | poison;
  }
  static std::optional<PendingSum> of(uint64_t bits) {
    if (bits >> 32 == 0 || lowBits(bits, 32) != poison) {
      return std::nullopt;
    }
    uint64_t number = (bits >> 32) - 1;
    return PendingSum{size_t(number / 128), int64_t(number % 128)};
  }

private:
  static constexpr uint64_t poison = 0x7fedcba9;
};

/// The products of one warp group, which end in the order of their issue.
struct WarpGroup {
  /// Whether a wgmma.fence came after registers were last touched by others.
  bool isFenced = false;
  std::vector<WgmmaProduct> products;
  std::vector<size_t> open;
  std::deque<std::vector<size_t>> committed;

  /// Begins `product`, whose sums so far are `registers`, as bits: numbers, or
  /// all of a pending product.
  std::string issue(WgmmaProduct product, llvm::ArrayRef<uint64_t> registers,
                    SimtMemory &memory, int64_t warp);
  void commit() { committed.push_back(std::exchange(open, {})); }
  void wait(size_t left, SimtMemory &memory);

private:
  std::string takeSums(WgmmaProduct &product,
                       llvm::ArrayRef<uint64_t> registers);
  void complete(WgmmaProduct &product, SimtMemory &memory);
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTWARPGROUP_H
