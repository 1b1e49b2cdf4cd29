// SPDX-License-Identifier: Apache-2.0
//
// Which bodies have squares, and how threads are spread over them.

#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "compiler/target/cuda/pointwise/PointAccess.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Neighbouring threads along the turned loop, then along the innermost one:
/// with 8 lanes of 16 bits they read 64 bytes in a row and write 128.
constexpr int64_t kAlongTurned = 4, kAlongInnermost = 8;

bool isTurned(const PointwiseLoops::Read &read, size_t turned, int64_t lanes) {
  if (read.gathered || !read.pieces.empty() || read.offset % lanes != 0) {
    return false;
  }
  for (auto [loop, stride] : llvm::enumerate(read.strides)) {
    if (loop == turned ? stride != 1 : stride % lanes != 0) {
      return false;
    }
  }
  return read.strides.back() != 0;
}

std::optional<TurnedPoints> TurnedPoints::get(const PointwiseLoops &loops,
                                              ArrayRef<Type> dtypes,
                                              int64_t lanes) {
  if (loops.pairsPerRow > 0 || loops.gathers() ||
      loops.columns() % lanes != 0) {
    return std::nullopt;
  }
  for (auto [write, type] : llvm::zip_equal(loops.results, dtypes)) {
    if (!isOneAccess(loops, write, type, lanes)) {
      return std::nullopt;
    }
  }
  for (size_t turned = 0; turned + 1 < loops.extents.size(); ++turned) {
    bool isAny = false;
    bool isWide = llvm::all_of(loops.reads, [&](const auto &read) {
      bool isOwn = isTurned(read, turned, lanes);
      isAny = isAny || isOwn;
      return isOwn ||
             (read.pieces.empty() &&
              (read.strides.back() == 0 || isOneAccess(loops, read, lanes)));
    });
    if (!isWide || !isAny || loops.extents[turned] % lanes != 0) {
      continue;
    }
    TurnedPoints found;
    found.lanes = lanes;
    found.turned = turned;
    found.extents = loops.extents;
    found.strides.resize(loops.extents.size());
    found.points = 1;
    for (size_t d = loops.extents.size(); d-- > 0;) {
      found.strides[d] = found.points;
      found.points *= loops.extents[d];
    }
    return found;
  }
  return std::nullopt;
}

/// The largest power of two, `most` at most, that divides `count`.
static int64_t powerDividing(int64_t count, int64_t most) {
  while (count % most != 0) {
    most /= 2;
  }
  return most;
}

Value TurnedPoints::firstPoint(CudaKernelBuilder &k, Value square) const {
  Value first = k.integer(square.getType(), 0);
  auto take = [&](int64_t count, int64_t stride) {
    first = k.add(first, k.mul(k.rem(square, count), stride));
    square = k.div(square, count);
  };
  size_t innermost = extents.size() - 1;
  int64_t alongTurned = extents[turned] / lanes,
          alongInnermost = extents[innermost] / lanes;
  int64_t few = powerDividing(alongTurned, kAlongTurned),
          some = powerDividing(alongInnermost, kAlongInnermost);
  take(few, lanes * strides[turned]);
  take(some, lanes);
  take(alongInnermost / some, some * lanes);
  take(alongTurned / few, few * lanes * strides[turned]);
  for (size_t d = innermost; d-- > 0;) {
    if (d != turned) {
      take(extents[d], strides[d]);
    }
  }
  return first;
}

} // namespace minic::cuda
