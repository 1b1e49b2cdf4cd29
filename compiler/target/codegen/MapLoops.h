// SPDX-License-Identifier: Apache-2.0
//
// MapLoops: a body as a loop over result elements, each computed on its own.
// Everything comes from the ops' interfaces; no op is asked for its name.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_MAPLOOPS_H
#define MINIC_COMPILER_TARGET_CODEGEN_MAPLOOPS_H

#include "compiler/target/codegen/KernelBuilder.h"
#include "dialects/kernel/Kernel.h"

namespace minic {

class ReductionShare;

/// `map` with 0 for loops of one iteration, so that equal maps compare equal.
mlir::AffineMap withoutUnitLoops(mlir::AffineMap map,
                                 llvm::ArrayRef<int64_t> extents);

/// Builds the element of `value` at `indices` (i64), in compute type, from the
/// addresses `operands` of the arguments of its fusion. Reports clamped indices
/// by `statusWord`. Whatever `value` is made by must compute its elements one
/// by one.
mlir::Value emitElement(KernelBuilder &k, mlir::Value value,
                        llvm::ArrayRef<mlir::Value> indices,
                        llvm::ArrayRef<mlir::Value> operands,
                        mlir::Value statusWord);

/// The new element of an update in place: in compute type, where in the cache
/// it belongs (in elements), and where along the update's axis (both i64).
struct UpdatedElement {
  mlir::Value element, offset, position;
};

/// Builds the new element of `update` at `indices` (i64, of its new elements),
/// as emitElement() does.
UpdatedElement emitUpdatedElement(KernelBuilder &k, graph::CacheUpdateOp update,
                                  llvm::ArrayRef<mlir::Value> indices,
                                  llvm::ArrayRef<mlir::Value> operands,
                                  mlir::Value statusWord);
/// Stores it in the cache at `base`.
void storeUpdatedElement(KernelBuilder &k, graph::CacheUpdateOp update,
                         UpdatedElement updated, mlir::Value base);

class MapLoops {
public:
  /// Takes pointwise ops, ops that move elements by a map, ops that say their
  /// own reads, and at most one reduction or search, whose result others read
  /// at its own index only. All results have one shape. Fails with a reason,
  /// for people, for any other body.
  static mlir::FailureOr<MapLoops> get(kernel::FusionOp fusion,
                                       std::string &reason);

  /// How many elements each result has; of an update in place, how many are
  /// new.
  int64_t pointCount() const;
  /// Roughly how many ops are computed for each of them.
  int64_t opsPerPoint() const;
  /// Whether there are indices to report, by the variant's status word.
  bool reportsIndices() const;

  /// How many elements a row of a result has: neighbours in memory whose last
  /// index alone differs.
  int64_t rowLength() const;

  /// Builds what is computed for the element `point` (i64, row-major) of every
  /// result, loops over the points of a reduction included, and stores it.
  /// `operands` and `results` are the addresses of the fusion's, `statusWord`
  /// that of the status word; without it nobody hears of clamped indices. With
  /// a `share`, several threads compute an element, and this is one of them.
  void emitPoint(KernelBuilder &k, mlir::Value point,
                 llvm::ArrayRef<mlir::Value> operands,
                 llvm::ArrayRef<mlir::Value> results,
                 mlir::Value statusWord = {},
                 const ReductionShare *share = nullptr) const;
  /// The same of element `column` of row `row`. In a loop over columns LLVM
  /// moves all that depends on the row alone ahead of it.
  void emitPointOfRow(KernelBuilder &k, mlir::Value row, mlir::Value column,
                      llvm::ArrayRef<mlir::Value> operands,
                      llvm::ArrayRef<mlir::Value> results,
                      mlir::Value statusWord) const;

  /// How many points the reduction of one element has; 1 where none is.
  int64_t reductionPoints() const;
  /// True where consecutive points of the reduction read neighbours in memory.
  bool reducesRows() const;

private:
  kernel::FusionOp fusion_;
  llvm::SmallVector<int64_t> extents_;
  /// The reduction or search: the one op with a loop of its own.
  mlir::Operation *reduction_ = nullptr;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_MAPLOOPS_H
