// SPDX-License-Identifier: Apache-2.0
//
// AttentionOutput: what becomes of a warp's weighted sums: results in memory,
// where several warps or blocks share the keys after their parts are merged in
// a fixed order.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONOUTPUT_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONOUTPUT_H

#include "compiler/target/cuda/attention/LeftOutValues.h"

namespace minic::cuda {

class AttentionOutput {
public:
  /// `shared` is free to be used; `workspace` and `counters` are null where
  /// parts do not meet there.
  struct Memory {
    mlir::Value shared, workspace, counters;

    /// Of an entry with `pointers` operands and results.
    static Memory of(const AttentionGeometry &geometry, KernelEntry entry,
                     mlir::Value shared, int64_t pointers);
  };

  AttentionOutput(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
                  BlockRows &rows, Scores &scores, OnlineSoftmax &softmax,
                  const Memory &memory)
      : k(builder), g(geometry), rows(rows), scores(scores), softmax(softmax),
        leftOut(builder, geometry, rows, scores, softmax), memory(memory) {}

  /// At the start of a kernel.
  static void joinCluster(CudaKernelBuilder &k, const AttentionGeometry &g);

  /// Of the warp number `keyWarp` of those that share its rows; all threads of
  /// the block come here, and have left the memory of the stages.
  void emit(llvm::ArrayRef<RowState> states, llvm::ArrayRef<mlir::Value> sums,
            mlir::Value keyWarp, mlir::Value lane);

private:
  /// Two neighbouring results of a row.
  struct Group {
    mlir::Value row, column;
    std::array<mlir::Value, 2> values;
    RowState state;
    /// Whether it is the row's first; null for false.
    mlir::Value isFirst;
  };
  using Sink = llvm::function_ref<void(const Group &)>;

  /// The groups that the thread has itself.
  void forEachOwn(llvm::ArrayRef<RowState> states,
                  llvm::ArrayRef<mlir::Value> sums, mlir::Value lane,
                  Sink sink);
  void storeOwn(llvm::ArrayRef<RowState> states,
                llvm::ArrayRef<mlir::Value> sums, mlir::Value lane);
  /// The same by WideStore.
  void storeWide(llvm::ArrayRef<RowState> states,
                 llvm::ArrayRef<mlir::Value> sums, mlir::Value lane);
  /// Two neighbouring sums of a row, of the keys of some parts.
  struct MergedPair {
    RowState state;
    std::array<mlir::Value, 2> values;
  };
  /// Two neighbouring columns of a row, and where a part has their sums and the
  /// state of their row.
  struct PairPlace {
    mlir::Value row, column, values, state;
  };
  /// Pairs number `first`, `first + step` and so on of the block's rows.
  void forEachPair(mlir::Value first, int64_t step,
                   llvm::function_ref<void(const PairPlace &)> visit);
  Group groupOf(const PairPlace &place, const MergedPair &merged);
  /// Groups merged of the parts at `first`, all threads of the block together.
  void merge(mlir::Value first, int64_t parts, Sink sink);
  /// Where the first block of a cluster gets part number `number`.
  mlir::Value sentPart(mlir::Value number);
  /// Groups merged of what the blocks of the cluster have sent the first one.
  void mergeSent(Sink sink);
  /// The same of the parts that the blocks of the cluster have at `ownPart`, by
  /// all of their threads.
  void mergeCluster(mlir::Value ownPart, Sink sink);
  /// `before`, if it has a state, and `parts`. All loads come first, so that
  /// memory is waited for once.
  MergedPair addParts(llvm::ArrayRef<mlir::Value> parts, const PairPlace &place,
                      const MergedPair &before);
  void storeResult(const Group &group);
  void storeLogSumExp(const Group &group);
  void storePart(mlir::Value part, const Group &group);
  /// Part number `number` of this block's rows in the workspace.
  mlir::Value partOf(mlir::Value number);
  mlir::Value isLastBlock();
  /// Calls `then` for rows that exist.
  void ifExists(mlir::Value row, llvm::function_ref<void()> then);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  BlockRows &rows;
  Scores &scores;
  OnlineSoftmax &softmax;
  LeftOutValues leftOut;
  Memory memory;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_ATTENTIONOUTPUT_H
