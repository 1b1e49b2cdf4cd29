// SPDX-License-Identifier: Apache-2.0
//
// PointwiseLoops: a pointwise body as loops over memory. Transposes, slices,
// broadcasts and reshapes disappear into the strides with which operands are
// read, gathers of rows and updates in place into where a row begins, and
// concats into which operand is read.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H
#define MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H

#include "dialects/kernel/FusionShape.h"

#include <optional>

namespace minic {

struct PointwiseLoops {
  /// Where data say which part of a tensor is accessed: `stride` elements
  /// further for each of an index that is the same along the innermost loop.
  struct Gathered {
    size_t index; // of `reads`, an earlier one
    int64_t stride;
    int64_t extent; // of what is indexed
  };
  /// How a tensor is accessed: with one stride (in elements) per loop, 0 where
  /// it broadcasts.
  struct Walk {
    llvm::SmallVector<int64_t> strides;
    int64_t offset = 0;     // of the first element
    int64_t pairStride = 0; // from the first of a pair to the second
  };
  /// An operand of the fusion.
  struct Source : Walk {
    unsigned argument = 0;
  };
  /// A source that is read from index `begin` of a read's `pieceLoop` on.
  struct Piece : Source {
    int64_t begin;
  };
  /// One operand, or those of a concat, of which an index says which one.
  struct Read : Source {
    mlir::Type storage;
    std::optional<Gathered> gathered = {};
    size_t pieceLoop = 0;
    llvm::SmallVector<Piece> pieces = {}; // behind the first, by `begin`
  };
  /// What is computed at each point, operands before users: a read, or a
  /// pointwise op on earlier nodes. For a rotary embedding these are the
  /// element, its partner, the cosine and the sine.
  struct Node {
    mlir::Operation *op = nullptr; // null: reads[read]
    size_t read = 0;
    llvm::SmallVector<size_t> operands;
  };
  /// A result of the fusion, which `node` computes. Where `updated` says it,
  /// the elements are new ones in a tensor that is there already.
  struct Write : Walk {
    size_t node;
    std::optional<Gathered> updated = {};
  };

  /// Loop extents, outermost first, at least one; neighbouring dimensions that
  /// every tensor walks alike are one loop.
  llvm::SmallVector<int64_t> extents;
  /// Not 0 where each point stands for two elements of every result, which a
  /// rotary embedding turns together: how many pairs a row of it has.
  int64_t pairsPerRow = 0;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<Node> nodes;
  llvm::SmallVector<Write> results; // dense over the loops, but for updates

  /// Product of all extents but the innermost.
  int64_t rows() const;
  int64_t columns() const { return extents.back(); }
  /// How many elements of each result a point is.
  int64_t elementsPerPoint() const { return pairsPerRow > 0 ? 2 : 1; }
  /// True where an operand is read across rows.
  bool isTransposing() const;
  /// True where an index may be out of range, to be reported.
  bool gathers() const;
  /// Of the operands and results of `fusion`, what gathers and updates leave
  /// out at least.
  double bytesLeftOut(kernel::FusionOp fusion) const;

  /// `shape` has no anchor. Fails with a reason where an element is not read at
  /// constant strides: a reshape of a transposed, sliced or broadcast value,
  /// unless it only gives the results their shape; and a gather of single
  /// elements, or of or by what the body computes. No read has pieces, no point
  /// is a pair, and nothing is updated.
  static mlir::FailureOr<PointwiseLoops> get(const kernel::FusionShape &shape,
                                             std::string &reason);
  /// The same for an emitter that knows all forms: also concats of operands,
  /// rotary embeddings of whole rows and updates in place.
  static mlir::FailureOr<PointwiseLoops> getWithMoves(kernel::FusionOp fusion,
                                                      std::string &reason);
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_POINTWISELOOPS_H
