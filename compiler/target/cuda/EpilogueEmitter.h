// SPDX-License-Identifier: Apache-2.0
//
// EpilogueEmitter: from the anchor's accumulators to the fusion's results.

#ifndef MINIC_COMPILER_TARGET_CUDA_EPILOGUEEMITTER_H
#define MINIC_COMPILER_TARGET_CUDA_EPILOGUEEMITTER_H

#include "compiler/target/cuda/BodyEvaluator.h"

namespace minic::cuda {

/// Adds the anchor's bias, computes the pointwise ops behind it and stores
/// every result. `row` of a position counts all dimensions of the anchor's
/// result but the last (batch and M), `column` and lanes are of its N. Where
/// two columns make one result (FusionShape::turns), there are twice as many
/// lanes as of results, and at least two.
///
/// What the epilogue reads can be loaded ahead of the accumulators:
///   emitter.prefetch(position);   // loads only
///   ... last k steps ...
///   emitter.finish(accumulators);
class EpilogueEmitter {
public:
  /// Of a thread: `ofRows` hold what differs by row, `ofColumns` the rest.
  struct Registers {
    int64_t ofRows = 0, ofColumns = 0;
  };

  /// `operands` are the kernel's pointers parallel to the body's arguments,
  /// `results` those parallel to shape.results. `shape` must outlive this.
  EpilogueEmitter(CudaKernelBuilder &k, const kernel::FusionShape &shape,
                  llvm::ArrayRef<mlir::Value> operands,
                  llvm::ArrayRef<mlir::Value> results);

  /// Results are stored by this policy of L2 from here on.
  void setPolicy(mlir::Value policy) { policy_ = policy; }
  /// Moves to `position` and loads the operands there.
  void prefetch(const SpacePosition &position);
  /// Moves there and loads those alone that differ by row; finish() loads the
  /// others.
  void prefetchRows(const SpacePosition &position);
  /// Computes and stores at the position. `anchor`: the plain sum of products
  /// in f32, a scalar for one lane, else a vector.
  void finish(mlir::Value anchor);
  /// Both.
  void emit(const SpacePosition &position, mlir::Value anchor) {
    prefetch(position);
    finish(anchor);
  }
  /// Computes without storing: the results in compute type, in order. A caller
  /// that stages its stores rounds and stores them itself.
  llvm::SmallVector<mlir::Value> compute(mlir::Value anchor);
  /// Stores what compute() made of the only result, rounded by the caller, at
  /// `position`.
  void storeRounded(const SpacePosition &position, mlir::Value rounded);

  /// Registers of a thread that hold what prefetch() loads for `lanes` lanes.
  int64_t inputRegisters(int64_t lanes) const;
  static Registers inputRegisters(const kernel::FusionShape &shape,
                                  int64_t lanes);

  /// The most lanes, a power of two up to `most`, that all accesses allow, or
  /// two where they are one result's.
  static int64_t lanesFor(const kernel::FusionShape &shape, int64_t most);

  /// Whether all that is read besides sums is the same for every row.
  static bool readsColumnsAlone(const kernel::FusionShape &shape);

  /// Instructions per element, roughly, for estimates.
  static int64_t instructionCount(const kernel::FusionShape &shape);

private:
  /// The anchor's, null for none.
  mlir::Value bias() const;
  bool hasTurns() const { return !shape_.turns.empty(); }
  /// Moves to `position` and loads the inputs that are `wanted`.
  void load(const SpacePosition &position,
            llvm::function_ref<bool(mlir::Value input)> wanted);
  /// `position` in the space of results.
  SpacePosition ofResults(const SpacePosition &position) const;
  /// Tells the body what `anchor` is.
  void setSums(mlir::Value anchor);

  CudaKernelBuilder &k_;
  const kernel::FusionShape &shape_;
  llvm::SmallVector<mlir::Value> results_;
  mlir::Value policy_;
  BodyEvaluator body_;
  BodyEvaluator ofSums_; // the bias of columns that take turns
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_EPILOGUEEMITTER_H
