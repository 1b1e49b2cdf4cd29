// SPDX-License-Identifier: Apache-2.0
//
// BlockRows: which rows and keys of an attention a block and a thread have,
// and where they lie in memory.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKROWS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKROWS_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/attention/AttentionGeometry.h"

namespace minic::cuda {

/// Keys [low, high), as signed i32 that may lie outside of all keys; `low` is
/// null for 0.
struct KeyInterval {
  mlir::Value low, high;
};

/// Rows are numbered over the heads of the block, queries innermost. Earlier
/// launches must be complete where it is made and `readsLength`: without, there
/// is nothing to be asked about keys but where they lie.
class BlockRows {
public:
  /// `statusWord`: of a fusion that makes operands itself, else null.
  BlockRows(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
            KernelEntry entry, mlir::Value statusWord = {},
            bool readsLength = true);

  /// Which rows the block has, and which part of their keys: blocks of a
  /// cluster are neighbours.
  static mlir::Value block(CudaKernelBuilder &k,
                           const AttentionGeometry &geometry);
  static mlir::Value part(CudaKernelBuilder &k,
                          const AttentionGeometry &geometry);
  /// The batch of block number `block`.
  static mlir::Value batchOf(CudaKernelBuilder &k,
                             const AttentionGeometry &geometry,
                             mlir::Value block);
  /// Where element 0 of a row is, in elements of `access`' storage (i64):
  /// query, mask, result. Of `access` keys: of key 0.
  mlir::Value address(const AttentionFusion::Access &access, mlir::Value row);
  mlir::Value keyAddress(const AttentionFusion::Access &access);
  mlir::Value pointer(const AttentionFusion::Access &access, mlir::Value at);

  /// The block's batch, and its head of the keys.
  mlir::Value batch() const { return batch_; }
  mlir::Value keyHead() const { return keyHead_; }
  /// Which head and query a row of the block's rows is.
  mlir::Value headOf(mlir::Value row) const;
  mlir::Value queryOf(mlir::Value row) const;
  /// A number that is not negative, as i64.
  mlir::Value wide(mlir::Value value) const;
  /// Addresses of the fusion's operands, then of its results.
  mlir::Value parameter(unsigned number) const {
    return KernelEntry(entry_).parameter(number);
  }
  llvm::SmallVector<mlir::Value> operands() const;
  mlir::Value statusWord() const { return statusWord_; }
  /// The block's first row.
  mlir::Value firstRow() const { return firstRow_; }
  /// A row that exists, `row` if it does.
  mlir::Value clamp(mlir::Value row) const;
  /// Keys that there are: a constant unless they are counted at run time.
  mlir::Value keys() const { return keys_; }
  /// Which keys a row sees; that of several rows, from the first to the last:
  /// those that any sees, or those that all do.
  KeyInterval seenBy(mlir::Value row);
  KeyInterval seenByAny(mlir::Value first, int64_t rows);
  KeyInterval seenByAll(mlir::Value first, int64_t rows);
  /// Which blocks of keys this block has: those that some row sees, or its part
  /// of them; none where `begin` is not less than `end`.
  struct KeyBlocks {
    mlir::Value begin, end;
  };
  KeyBlocks keyBlocks();
  /// False where a block always has some.
  bool mayBeEmpty() const;
  /// False where every row sees all keys of every block of keys.
  bool cutsKeys() const;

private:
  std::pair<mlir::Value, mlir::Value> queries(mlir::Value first, int64_t rows);
  mlir::Value readKeyLength();
  mlir::Value low(mlir::Value query);
  mlir::Value high(mlir::Value query);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  KernelEntry entry_;
  mlir::Value statusWord_, firstRow_, batch_, head_, keyHead_, keys_;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKROWS_H
