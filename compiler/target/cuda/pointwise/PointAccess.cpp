// SPDX-License-Identifier: Apache-2.0
//
// One access where lanes are neighbours in memory, aligned to its size; else
// one per lane.

#include "compiler/target/cuda/pointwise/PointAccess.h"

#include "compiler/target/codegen/GatheredIndex.h"
#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

using namespace mlir;

namespace minic::cuda {

constexpr int64_t kMostBytes = 16; // of one access

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

/// Whether one point is `step` elements behind the other, also from row to row.
static bool isDense(const PointwiseLoops &loops,
                    const PointwiseLoops::Walk &walk, int64_t step = 1) {
  for (size_t d = loops.extents.size(); d-- > 0;) {
    if (loops.extents[d] != 1 && walk.strides[d] != step) {
      return false;
    }
    step *= loops.extents[d];
  }
  return true;
}

/// Whether lanes of one vector never cross a row, so that all of them are at
/// one offset plus multiples of the innermost stride.
static bool staysInRow(const PointwiseLoops &loops, int64_t lanes) {
  return loops.columns() % lanes == 0;
}

/// Whether vectors of `lanes` points begin at multiples of as many elements as
/// they are, which are neighbours. `further` is what data add to the offset.
static bool isContiguous(const PointwiseLoops &loops,
                         const PointwiseLoops::Walk &walk, int64_t further,
                         int64_t lanes) {
  if (walk.offset % lanes != 0 || walk.pairStride % lanes != 0 ||
      further % lanes != 0) {
    return false;
  }
  return isDense(loops, walk) ||
         (staysInRow(loops, lanes) && walk.strides.back() == 1 &&
          llvm::all_of(ArrayRef(walk.strides).drop_back(),
                       [&](int64_t stride) { return stride % lanes == 0; }));
}

/// The same of both elements of each point, which are neighbours.
static bool isOfNeighbours(const PointwiseLoops &loops,
                           const PointwiseLoops::Walk &walk, int64_t further,
                           int64_t lanes, Type storage) {
  int64_t elements = 2 * lanes;
  int64_t first = std::min(walk.offset, walk.offset + walk.pairStride);
  if (loops.pairsPerRow == 0 || std::abs(walk.pairStride) != 1 ||
      first % elements != 0 || further % elements != 0 ||
      elements * kernel::getElementBytes(storage) > kMostBytes) {
    return false;
  }
  return isDense(loops, walk, 2) ||
         (staysInRow(loops, lanes) && walk.strides.back() == 2 &&
          llvm::all_of(ArrayRef(walk.strides).drop_back(),
                       [&](int64_t stride) { return stride % elements == 0; }));
}

/// Whether all lanes read from one piece of a concat.
static bool staysInPiece(const PointwiseLoops &loops,
                         const PointwiseLoops::Read &read, int64_t lanes) {
  return read.pieces.empty() ||
         (staysInRow(loops, lanes) &&
          (read.pieceLoop + 1 != loops.extents.size() ||
           llvm::all_of(read.pieces, [&](const PointwiseLoops::Piece &piece) {
             return piece.begin % lanes == 0;
           })));
}

static bool allSources(const PointwiseLoops::Read &read,
                       function_ref<bool(const PointwiseLoops::Walk &)> holds) {
  return holds(read) && llvm::all_of(read.pieces, holds);
}

static int64_t
furtherOf(const std::optional<PointwiseLoops::Gathered> &gathered) {
  return gathered ? gathered->stride : 0;
}

static bool isContiguous(const PointwiseLoops &loops,
                         const PointwiseLoops::Read &read, int64_t lanes) {
  return staysInPiece(loops, read, lanes) &&
         allSources(read, [&](const PointwiseLoops::Walk &walk) {
           return isContiguous(loops, walk, furtherOf(read.gathered), lanes);
         });
}

static bool isOfNeighbours(const PointwiseLoops &loops,
                           const PointwiseLoops::Read &read, int64_t lanes) {
  return staysInPiece(loops, read, lanes) &&
         allSources(read, [&](const PointwiseLoops::Walk &walk) {
           return isOfNeighbours(loops, walk, furtherOf(read.gathered), lanes,
                                 read.storage);
         });
}

bool isOneAccess(const PointwiseLoops &loops, const PointwiseLoops::Read &read,
                 int64_t lanes) {
  return isContiguous(loops, read, lanes) || isOfNeighbours(loops, read, lanes);
}

bool isOneAccess(const PointwiseLoops &loops,
                 const PointwiseLoops::Write &write, Type dtype,
                 int64_t lanes) {
  int64_t further = furtherOf(write.updated);
  return isContiguous(loops, write, further, lanes) ||
         isOfNeighbours(loops, write, further, lanes, dtype);
}

bool reachesFar(const PointwiseLoops &loops) {
  auto isFar = [&](const PointwiseLoops::Walk &walk) {
    int64_t reach = 0;
    for (auto [extent, stride] : llvm::zip_equal(loops.extents, walk.strides)) {
      reach += (extent - 1) * std::abs(stride);
    }
    return reach > int64_t(INT32_MAX);
  };
  return llvm::any_of(loops.reads,
                      [&](const PointwiseLoops::Read &read) {
                        return isFar(read) || llvm::any_of(read.pieces, isFar);
                      }) ||
         llvm::any_of(loops.results, isFar);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

PointAccess::PointAccess(CudaKernelBuilder &k, const PointwiseLoops &loops,
                         ArrayRef<Type> dtypes, ArrayRef<Value> tensors)
    : k(k), loops(loops), dtypes(dtypes),
      tensors(tensors.drop_back(dtypes.size())),
      results(tensors.take_back(dtypes.size())) {
  // What an element's address is made of.
  std::map<std::vector<int64_t>, size_t> known;
  for (const Read &read : loops.reads) {
    std::array<size_t, 2> own;
    for (int64_t which : {0, 1}) {
      std::vector<int64_t> key = {int64_t(read.pieceLoop),
                                  read.gathered ? int64_t(read.gathered->index)
                                                : -1};
      auto add = [&](const PointwiseLoops::Source &source, int64_t begin) {
        llvm::append_values(key, int64_t(source.argument), begin,
                            source.offset + which * source.pairStride);
        llvm::append_range(key, source.strides);
      };
      add(read, 0);
      for (const PointwiseLoops::Piece &piece : read.pieces) {
        add(piece, piece.begin);
      }
      own[which] = known.try_emplace(key, known.size()).first->second;
    }
    ids.push_back(own);
  }
  idCount = known.size();
}

Value PointAccess::either(Value lhs, Value rhs) {
  if (!lhs || !rhs) {
    return lhs ? lhs : rhs;
  }
  return arith::OrIOp::create(k.b, k.loc, lhs, rhs);
}

/// Row-major position of number `point` in every loop.
ArrayRef<Value> PointAccess::indicesOf(PointVector &points, Value point) {
  SmallVector<Value> &indices = points.indices[point.getAsOpaquePointer()];
  if (indices.empty()) {
    indices.resize(loops.extents.size());
    for (size_t d = loops.extents.size(); d-- > 0;) {
      indices[d] = d == 0 ? point : k.rem(point, loops.extents[d]);
      point = k.div(point, loops.extents[d]);
    }
  }
  return indices;
}

Value PointAccess::offsetOf(const Walk &walk, PointVector &points,
                            Value point) {
  if (isDense(loops, walk)) {
    return point;
  }
  Value offset = k.integer(point.getType(), 0);
  for (auto [index, stride] :
       llvm::zip_equal(indicesOf(points, point), walk.strides)) {
    offset = k.add(offset, k.mul(index, stride));
  }
  return offset;
}

/// Where `point` is read, `shift` pairs' strides further, in whichever piece
/// has it: pieces are chosen without a branch.
PointAccess::Place PointAccess::find(const Read &read, PointVector &points,
                                     Value point, int64_t shift) {
  auto start = [&](const PointwiseLoops::Source &source) {
    return k.advance(tensors[source.argument],
                     source.offset + shift * source.pairStride, read.storage);
  };
  if (read.pieces.empty()) {
    return {start(read), offsetOf(read, points, point)};
  }
  ArrayRef<Value> indices = indicesOf(points, point);
  SmallVector<Value> isBefore;
  for (const PointwiseLoops::Piece &piece : read.pieces) {
    isBefore.push_back(k.lessThan(indices[read.pieceLoop], piece.begin));
  }
  auto choose =
      [&](function_ref<Value(const PointwiseLoops::Source &)> valueOf) {
        Value chosen = valueOf(read);
        for (auto [before, piece] : llvm::zip_equal(isBefore, read.pieces)) {
          chosen = arith::SelectOp::create(k.b, k.loc, before, chosen,
                                           valueOf(piece));
        }
        return chosen;
      };
  Place place{choose(start), k.integer(point.getType(), 0)};
  for (size_t d = 0; d != indices.size(); ++d) {
    bool isAlike =
        llvm::all_of(read.pieces, [&](const PointwiseLoops::Piece &piece) {
          return piece.strides[d] == read.strides[d];
        });
    Value along =
        isAlike ? k.mul(indices[d], read.strides[d])
                : k.mul(indices[d],
                        choose([&](const PointwiseLoops::Source &source) {
                          return k.integer(point.getType(), source.strides[d]);
                        }));
    place.offset = k.add(place.offset, along);
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Where data say
//===----------------------------------------------------------------------===//

Value PointAccess::moveToUpdates() {
  Value isOutside;
  for (auto [write, type, base] :
       llvm::zip_equal(loops.results, dtypes, results)) {
    if (!write.updated) {
      continue;
    }
    // The position is one for all points.
    const Read &read = loops.reads[write.updated->index];
    Value loaded = loadOne(read, {tensors[read.argument], k.i32(0)});
    GatheredIndex begin = GatheredIndex::get(
        k, k.toCompute(loaded, read.storage), write.updated->extent);
    isOutside = either(isOutside, begin.isOutside);
    base = k.advance(base, k.mul(begin.value, write.updated->stride), type);
  }
  return isOutside;
}

/// How much further `read` begins for `point`, in 64 bits since tables may be
/// larger than results.
Value PointAccess::rowOf(const Read &read, PointVector &points, Value point) {
  const Read &which = loops.reads[read.gathered->index];
  Value loaded = loadOne(which, find(which, points, point, 0));
  GatheredIndex index = GatheredIndex::get(
      k, k.toCompute(loaded, which.storage), read.gathered->extent);
  points.isOutside = either(points.isOutside, index.isOutside);
  return k.mul(index.value, read.gathered->stride);
}

void PointAccess::findRows(PointVector &points) {
  points.loaded.resize(idCount);
  for (const Read &read : loops.reads) {
    points.rows.push_back(read.gathered ? rowOf(read, points, points.first)
                                        : Value());
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value PointAccess::vectorOf(ArrayRef<Value> elements) {
  if (elements.size() == 1) {
    return elements.front();
  }
  auto type = VectorType::get(int64_t(elements.size()), elements[0].getType());
  return vector::FromElementsOp::create(k.b, k.loc, type, elements);
}

Value PointAccess::element(Value vector, int64_t lane) {
  return isa<VectorType>(vector.getType())
             ? Value(vector::ExtractOp::create(k.b, k.loc, vector, lane))
             : vector;
}

Value PointAccess::loadOne(const Read &read, const Place &place) {
  return k.loadAligned(KernelBuilder::memoryType(read.storage),
                       k.advance(place.base, place.offset, read.storage));
}

Value PointAccess::load(size_t number, PointVector &points, int64_t which) {
  Value &known = points.loaded[ids[number][which]];
  if (known) {
    return known;
  }
  const Read &read = loops.reads[number];
  if (isOfNeighbours(loops, read, points.lanes) &&
      !isContiguous(loops, read, points.lanes)) {
    loadPairs(number, points);
    return known;
  }
  return known = loadNew(number, points, which);
}

/// Both elements of each point by one access.
void PointAccess::loadPairs(size_t number, PointVector &points) {
  const Read &read = loops.reads[number];
  int64_t which = read.pairStride < 0 ? 1 : 0; // the one that is first
  Place place = find(read, points, points.first, which);
  if (read.gathered) {
    place.base = k.advance(place.base, points.rows[number], read.storage);
  }
  auto type = VectorType::get(2 * points.lanes,
                              KernelBuilder::memoryType(read.storage));
  Value both = k.toCompute(
      k.loadAligned(type, k.advance(place.base, place.offset, read.storage)),
      read.storage);
  for (int64_t odd : {0, 1}) {
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane != points.lanes; ++lane) {
      lanes.push_back(element(both, 2 * lane + odd));
    }
    points.loaded[ids[number][which ^ odd]] = vectorOf(lanes);
  }
}

void PointAccess::loadTurned(MutableArrayRef<PointVector> square,
                             size_t turned) {
  for (auto [number, read] : llvm::enumerate(loops.reads)) {
    if (isTurned(read, turned, square.front().lanes) &&
        !square.front().loaded[ids[number][0]]) {
      loadSquare(number, square);
    }
  }
}

/// An access for each lane, along the square's vectors.
void PointAccess::loadSquare(size_t number,
                             MutableArrayRef<PointVector> square) {
  const Read &read = loops.reads[number];
  PointVector &points = square.front();
  auto type =
      VectorType::get(points.lanes, KernelBuilder::memoryType(read.storage));
  Place place = find(read, points, points.first, /*shift=*/0);
  SmallVector<Value> across;
  for (int64_t lane = 0; lane != points.lanes; ++lane) {
    Value offset = k.add(place.offset, lane * read.strides.back());
    across.push_back(
        k.loadAligned(type, k.advance(place.base, offset, read.storage)));
  }
  for (auto [i, each] : llvm::enumerate(square)) {
    SmallVector<Value> lanes;
    for (Value vector : across) {
      lanes.push_back(element(vector, int64_t(i)));
    }
    each.loaded[ids[number][0]] = k.toCompute(vectorOf(lanes), read.storage);
  }
}

Value PointAccess::loadNew(size_t number, PointVector &points, int64_t which) {
  const Read &read = loops.reads[number];
  int64_t lanes = points.lanes;
  auto isStill = [&](size_t loopsLeft) {
    return allSources(read, [&](const Walk &walk) {
      return llvm::all_of(ArrayRef(walk.strides).take_back(loopsLeft),
                          [](int64_t stride) { return stride == 0; });
    });
  };
  bool isConstant =
      !read.gathered && read.pieces.empty() && isStill(loops.extents.size());
  bool isSplat = isConstant || (staysInRow(loops, lanes) && isStill(1) &&
                                staysInPiece(loops, read, lanes));
  if (lanes != 1 && !isSplat && !isContiguous(loops, read, lanes)) {
    return loadLanes(number, points, which);
  }
  Place place = find(read, points, points.first, which);
  if (read.gathered) {
    place.base = k.advance(place.base, points.rows[number], read.storage);
  }
  if (lanes == 1 || isSplat) {
    Value value = k.toCompute(loadOne(read, place), read.storage);
    return lanes == 1 ? value : k.splat(value, lanes);
  }
  auto type = VectorType::get(lanes, KernelBuilder::memoryType(read.storage));
  Value pointer = k.advance(place.base, place.offset, read.storage);
  return k.toCompute(k.loadAligned(type, pointer), read.storage);
}

/// An access for each lane.
Value PointAccess::loadLanes(size_t number, PointVector &points,
                             int64_t which) {
  const Read &read = loops.reads[number];
  // Lanes in one row are a stride apart.
  bool isOneRow = staysInRow(loops, points.lanes) &&
                  staysInPiece(loops, read, points.lanes) &&
                  allSources(read, [&](const Walk &walk) {
                    return walk.strides.back() == read.strides.back();
                  });
  Place place;
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane != points.lanes; ++lane) {
    Value point = k.add(points.first, lane);
    if (lane == 0 || !isOneRow) {
      place = find(read, points, point, which);
      if (read.gathered) {
        Value row =
            lane == 0 ? points.rows[number] : rowOf(read, points, point);
        place.base = k.advance(place.base, row, read.storage);
      }
    } else {
      place.offset = k.add(place.offset, read.strides.back());
    }
    elements.push_back(loadOne(read, place));
  }
  return k.toCompute(vectorOf(elements), read.storage);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void PointAccess::store(size_t number, PointVector &points,
                        ArrayRef<Value> elements) {
  const PointwiseLoops::Write &write = loops.results[number];
  Type type = dtypes[number];
  int64_t lanes = points.lanes, further = furtherOf(write.updated);
  auto pointerAt = [&](Value point, int64_t which) {
    Value base = k.advance(results[number],
                           write.offset + which * write.pairStride, type);
    return k.advance(base, offsetOf(write, points, point), type);
  };
  if (isOfNeighbours(loops, write, further, lanes, type)) {
    SmallVector<Value> both;
    for (int64_t lane = 0; lane != lanes; ++lane) {
      both.push_back(element(elements[0], lane));
      both.push_back(element(elements[1], lane));
    }
    k.storeAligned(k.toStorage(vectorOf(both), type),
                   pointerAt(points.first, 0));
    return;
  }
  for (auto [which, value] : llvm::enumerate(elements)) {
    Value stored = k.toStorage(value, type);
    if (lanes == 1 || isContiguous(loops, write, further, lanes)) {
      k.storeAligned(stored, pointerAt(points.first, int64_t(which)));
      continue;
    }
    for (int64_t lane = 0; lane != lanes; ++lane) {
      k.storeAligned(element(stored, lane),
                     pointerAt(k.add(points.first, lane), int64_t(which)));
    }
  }
}

} // namespace minic::cuda
