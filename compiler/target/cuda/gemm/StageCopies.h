// SPDX-License-Identifier: Apache-2.0
//
// StageCopies: the copies that keep a ring of stages in shared memory filled.

#ifndef MINIC_COMPILER_TARGET_CUDA_GEMM_STAGECOPIES_H
#define MINIC_COMPILER_TARGET_CUDA_GEMM_STAGECOPIES_H

#include "compiler/target/cuda/gemm/GemmGeometry.h"
#include "compiler/target/cuda/gemm/ImageCopy.h"
#include "compiler/target/cuda/gemm/SharedTile.h"

namespace minic::cuda {

/// The block that copies, and its ring.
struct StageRing {
  const GemmGeometry &geometry;
  const GemmSchedule &schedule;
  int64_t stageBytes, threads;
  /// Stages that copies run ahead of the one that is multiplied.
  int64_t ahead;
  mlir::Value shared, thread;
  TileIndex index;
};

/// Copies whole stages by cp.async, all threads of the block together, one
/// group of copies a stage. Code is emitted where the builder stands.
///
/// Windows of images whose elements are gathered pass through registers: a
/// stage is complete only behind completeIssue().
class StageCopies {
public:
  StageCopies(CudaKernelBuilder &builder, KernelEntry entry,
              const StageRing &ring);

  /// Stages [begin, end) of K are this block's.
  mlir::Value begin() const { return begin_; }
  mlir::Value end() const { return end_; }

  /// `operand`, which must outlive this, is copied to `offset` of each stage.
  /// `isUniform`: each thread copies the same elements of every row that it has
  /// a part in, as OperandPrologue relies on.
  void add(const GemmOperand &operand, bool isRhs, int64_t rowBytes,
           int64_t offset, bool isUniform = false);

  /// Issues the first `ahead` stages. In a programmatic launch they wait for
  /// earlier launches and allow later ones. Copies of rhs wait only if a launch
  /// may write it (not `rhsIsConstant`).
  void issueFirst(bool rhsIsConstant);
  /// Where the copies of the stage after those read. The loop over stages
  /// carries these values.
  llvm::SmallVector<mlir::Value> sources();
  /// Issues the copies of stage number `block` to `position` of the ring, if
  /// there is such a stage.
  void issue(mlir::Value block, mlir::Value position,
             llvm::ArrayRef<mlir::Value> sources);
  /// Stores what the last issue() gathered, ahead of a barrier.
  void completeIssue();
  /// `sources` and `position`, one stage on.
  void advanceSources(llvm::MutableArrayRef<mlir::Value> sources);
  mlir::Value advance(mlir::Value position);

private:
  struct Copy {
    TileCopy tile;
    int64_t rowBytes, offset;
    bool isOfRhs;
  };
  struct Images {
    ImageCopy tile;
    int64_t offset;
    bool isOfRhs;
    /// Gathered elements, and the stage that they belong to.
    llvm::SmallVector<mlir::Value> loaded;
    mlir::Value stage;
  };

  /// The operand's matrix of this block's batch.
  mlir::Value matrix(const GemmOperand &operand);
  void addImages(const GemmOperand &operand, bool isRhs, int64_t offset);
  /// Where stage number `block` begins in K, and elements from there to its
  /// end.
  mlir::Value firstK(mlir::Value block);
  mlir::Value kLeft(mlir::Value block);
  /// The copies of one operand or both, of the block's stage `stage`.
  void issueAhead(int64_t stage, bool lhs, bool rhs);

  CudaKernelBuilder &k_;
  KernelEntry entry_;
  StageRing ring_;
  const GemmGeometry &g_;
  mlir::Value begin_, end_;
  llvm::SmallVector<Copy> copies_;
  std::optional<Images> images_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GEMM_STAGECOPIES_H
