// SPDX-License-Identifier: Apache-2.0
//
// BodyEvaluator: values of a fusion's body at an index of an iteration space.

#ifndef MINIC_COMPILER_TARGET_CUDA_BODYEVALUATOR_H
#define MINIC_COMPILER_TARGET_CUDA_BODYEVALUATOR_H

#include "compiler/target/cuda/KernelAbi.h"
#include "dialects/kernel/FusionShape.h"

#include "llvm/ADT/DenseMap.h"

namespace minic::cuda {

/// A position in a space: every index but the last as one row-major number
/// (`row`), the last as `column`, and how many consecutive columns are meant.
/// Indices are i32; they must be inside the space.
struct SpacePosition {
  mlir::Value row, column;
  int64_t lanes = 1;
};

/// Computes pointwise DAGs. Body arguments are dense and broadcast into the
/// space after NumPy's rules, as do intermediate values. Results are in compute
/// type: scalars for one lane, vectors otherwise.
///
/// Several lanes are read by accesses of their size: `column` must be a
/// multiple of `lanes`, `lanes` a power of two that divides the last extent.
class BodyEvaluator {
public:
  /// `operands` are the kernel's pointers, parallel to the body's arguments.
  BodyEvaluator(CudaKernelBuilder &k, llvm::ArrayRef<int64_t> space,
                llvm::ArrayRef<mlir::Value> operands);

  /// Reads `argument` as if it had `shape`: it broadcasts otherwise than its
  /// type says.
  void readAs(mlir::Value argument, llvm::ArrayRef<int64_t> shape) {
    shapes_[argument].assign(shape.begin(), shape.end());
  }
  /// Moves to `position` and forgets the values known from elsewhere, except
  /// those that vary with neither row nor column.
  void moveTo(const SpacePosition &position);
  /// `value`'s value at the position is `known` (the anchor's result).
  void set(mlir::Value value, mlir::Value known) { values_[value] = known; }
  /// `value` at the position: loads and computes what is not known yet.
  mlir::Value get(mlir::Value value);
  /// Loads `argument` at the position, in as few registers as it has in memory:
  /// get() is to convert it.
  void fetch(mlir::BlockArgument argument);

  /// The pointer to the position in a dense tensor of the space's shape.
  mlir::Value pointerTo(mlir::Value base, mlir::Type storage);
  /// Stores `value` (compute type) there, by a policy of L2 where there is one.
  void store(mlir::Value value, mlir::Value base, mlir::Type storage,
             mlir::Value policy = {});

  /// The most lanes, a power of two up to `most`, that a space allows.
  static int64_t lanesFor(llvm::ArrayRef<int64_t> space, int64_t most);

  /// Instructions per element, roughly, for estimates.
  static int64_t instructionCount(llvm::ArrayRef<mlir::Operation *> ops);

private:
  /// `argument` as memory has it; converted.
  mlir::Value load(mlir::BlockArgument argument);
  mlir::Value convert(mlir::BlockArgument argument, mlir::Value loaded);
  mlir::Value offsetOf(const kernel::BroadcastMap &map);

  CudaKernelBuilder &k_;
  llvm::SmallVector<int64_t> space_;
  llvm::SmallVector<mlir::Value> operands_;
  bool isWide_ = false; // offsets need 64 bits
  SpacePosition position_;
  llvm::DenseMap<mlir::Value, mlir::Value> values_, fetched_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> shapes_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_BODYEVALUATOR_H
