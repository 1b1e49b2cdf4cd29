// SPDX-License-Identifier: Apache-2.0
//
// Shuffles of two vectors at a time.

#include "compiler/target/cpu/Interleave.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace minic::cpu {

static int64_t lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

/// Groups of `size` lanes of `a` and `b` alternating, from lane `begin` of each
/// to `end`.
static Value alternate(KernelBuilder &k, Value a, Value b, int64_t begin,
                       int64_t end, int64_t size) {
  SmallVector<int64_t> lanes;
  for (int64_t group = begin; group != end; group += size) {
    for (int64_t from : {group, group + lanesOf(a)}) {
      llvm::append_range(lanes, llvm::seq(from, from + size));
    }
  }
  return vector::ShuffleOp::create(k.b, k.loc, a, b, lanes);
}

Value interleaveHalf(KernelBuilder &k, Value a, Value b, bool high) {
  int64_t half = lanesOf(a) / 2;
  return alternate(k, a, b, high ? half : 0, high ? 2 * half : half, 1);
}

Value interleaveAll(KernelBuilder &k, ArrayRef<Value> vectors) {
  SmallVector<Value> groups(vectors);
  for (int64_t size = 1; groups.size() > 1; size *= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i != groups.size(); i += 2) {
      next.push_back(
          alternate(k, groups[i], groups[i + 1], 0, lanesOf(groups[i]), size));
    }
    groups = std::move(next);
  }
  return groups.front();
}

// Interleaving the lower with the upper half of the vectors moves the top bit
// of an element's row number below its column number; once for each of the
// bits.
SmallVector<Value> transpose(KernelBuilder &k, SmallVector<Value> rows) {
  size_t half = rows.size() / 2;
  for (size_t bit = rows.size(); bit > 1; bit /= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i != half; ++i) {
      next.push_back(interleaveHalf(k, rows[i], rows[i + half], false));
      next.push_back(interleaveHalf(k, rows[i], rows[i + half], true));
    }
    rows = std::move(next);
  }
  return rows;
}

} // namespace minic::cpu
