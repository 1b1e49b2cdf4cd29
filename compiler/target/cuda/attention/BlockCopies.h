// SPDX-License-Identifier: Apache-2.0
//
// BlockCopies: the query, and blocks of keys and values, on their way to shared
// memory: the query at its beginning, then a ring of stages, each of keys and
// then values.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKCOPIES_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKCOPIES_H

#include "compiler/target/cuda/attention/BlockRows.h"
#include "compiler/target/cuda/attention/RowCopy.h"

namespace minic::cuda {

/// All threads of the block copy together, by cp.async. Places in shared memory
/// are bytes from its beginning, i32.
class BlockCopies {
public:
  BlockCopies(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
              BlockRows &rows, mlir::Value shared, mlir::Value thread);

  void copyQuery();
  /// Where the thread's first bytes of block number `keyBlock` of keys or
  /// values are in memory. A loop carries this: rows of a thread need no
  /// register each.
  mlir::Value keySource(mlir::Value keyBlock) {
    return source(keyCopy, g.fusion.key, keyBlock);
  }
  mlir::Value valueSource(mlir::Value keyBlock) {
    return source(valueCopy, g.fusion.value, keyBlock);
  }
  mlir::Value nextKeySource(mlir::Value from) {
    return advance(from, g.fusion.key);
  }
  mlir::Value nextValueSource(mlir::Value from) {
    return advance(from, g.fusion.value);
  }
  /// Copies block number `keyBlock` from its source to the stage at `stage`.
  void copyKeys(mlir::Value keyBlock, mlir::Value from, mlir::Value stage) {
    copyRows(keyCopy, g.fusion.key, keyBlock, from, stage);
  }
  void copyValues(mlir::Value keyBlock, mlir::Value from, mlir::Value stage) {
    copyRows(valueCopy, g.fusion.value, keyBlock, from,
             k.add(stage, g.keyBytes()));
  }
  /// Ends a group of copies.
  void commit();
  /// Waits until at most `groups` groups of the thread's copies are under way.
  void await(int64_t groups);

  mlir::Value at(mlir::Value position) {
    return k.advance(shared, position, k.b.getI8Type());
  }
  mlir::Value stage(int64_t number) {
    return k.i32(g.queryBytes() + number * g.stageBytes());
  }
  /// The stage `count` behind the one at `position`, in the ring.
  mlir::Value next(mlir::Value position, int64_t count = 1);

private:
  mlir::Value source(RowCopy &copy, const AttentionFusion::Access &access,
                     mlir::Value keyBlock);
  void copyRows(RowCopy &copy, const AttentionFusion::Access &access,
                mlir::Value keyBlock, mlir::Value from, mlir::Value to);
  /// `from`, a block on.
  mlir::Value advance(mlir::Value from, const AttentionFusion::Access &access) {
    return k.advance(from, g.schedule.keyBlock * access.strides[2],
                     access.storage);
  }

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  BlockRows &rows;
  mlir::Value shared;
  RowCopy queryCopy, keyCopy, valueCopy;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKCOPIES_H
