// SPDX-License-Identifier: Apache-2.0
//
// A loop is merged with the one outside it where every walk's outer step is the
// inner one times the inner extent.

#include "compiler/target/codegen/CollapseLoops.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

/// Of all that is read and written.
static SmallVector<PointwiseLoops::Walk *> walksOf(PointwiseLoops &loops) {
  SmallVector<PointwiseLoops::Walk *> all;
  for (PointwiseLoops::Read &read : loops.reads) {
    all.push_back(&read);
    for (PointwiseLoops::Piece &piece : read.pieces) {
      all.push_back(&piece);
    }
  }
  for (PointwiseLoops::Write &write : loops.results) {
    all.push_back(&write);
  }
  return all;
}

/// Pieces chosen by a loop ahead of number `d` that has become `loop`, which
/// now runs `extent` times as long.
static void scalePieces(PointwiseLoops &loops, ArrayRef<size_t> becomes,
                        size_t loop, size_t d, int64_t extent) {
  for (PointwiseLoops::Read &read : loops.reads) {
    if (read.pieceLoop < d && becomes[read.pieceLoop] == loop &&
        !read.pieces.empty()) {
      for (PointwiseLoops::Piece &piece : read.pieces) {
        piece.begin *= extent;
      }
    }
  }
}

void collapseLoops(PointwiseLoops &loops, bool hasPairs) {
  SmallVector<PointwiseLoops::Walk *> all = walksOf(loops);
  if (hasPairs) {
    loops.extents.pop_back();
    for (PointwiseLoops::Walk *each : all) {
      each->pairStride = each->strides.pop_back_val();
    }
  }
  SmallVector<int64_t> extents;
  SmallVector<SmallVector<int64_t>> strides(all.size());
  SmallVector<size_t> becomes(loops.extents.size(), 0); // loop numbers
  for (size_t d = 0; d != loops.extents.size(); ++d) {
    int64_t extent = loops.extents[d];
    if (extent == 1) {
      continue;
    }
    auto walksOn = [&](size_t i) {
      return strides[i].back() == all[i]->strides[d] * extent;
    };
    auto choosesBy = [&](const PointwiseLoops::Read &read) {
      return !read.pieces.empty() && read.pieceLoop == d;
    };
    bool merges = !extents.empty() && llvm::none_of(loops.reads, choosesBy) &&
                  llvm::all_of(llvm::seq<size_t>(0, strides.size()), walksOn);
    if (merges) {
      extents.back() *= extent;
      scalePieces(loops, becomes, extents.size() - 1, d, extent);
    } else {
      extents.push_back(extent);
    }
    becomes[d] = extents.size() - 1;
    for (auto [own, each] : llvm::zip_equal(strides, all)) {
      if (merges) {
        own.back() = each->strides[d];
      } else {
        own.push_back(each->strides[d]);
      }
    }
  }
  if (extents.empty()) {
    extents.push_back(1);
    for (SmallVector<int64_t> &own : strides) {
      own.push_back(0);
    }
  }
  loops.extents = extents;
  for (auto [own, each] : llvm::zip_equal(strides, all)) {
    each->strides = own;
  }
  for (PointwiseLoops::Read &read : loops.reads) {
    read.pieceLoop = read.pieces.empty() ? 0 : becomes[read.pieceLoop];
  }
}

} // namespace minic
