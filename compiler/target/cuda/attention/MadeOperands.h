// SPDX-License-Identifier: Apache-2.0
//
// MadeOperands: what attention makes of its operands itself: new keys and
// values, which it leaves in their caches, and its query.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_MADEOPERANDS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_MADEOPERANDS_H

#include "compiler/target/cuda/attention/BlockCopies.h"
#include "compiler/target/cuda/attention/BlockElements.h"

namespace minic::cuda {

/// Of one block. `copies` know where in shared memory keys, values and query
/// are. What is made is stored by emitElements(), and read behind a barrier.
class MadeOperands {
public:
  MadeOperands(CudaKernelBuilder &builder, const AttentionGeometry &geometry,
               BlockRows &rows, BlockCopies &copies)
      : k(builder), g(geometry), rows(rows), copies(copies) {}

  /// New keys and values of the block's batch and head of keys, for the caches.
  /// With `keyBlock`, the one whose keys and values were copied before: for
  /// stage 0, too, where they belong there.
  llvm::SmallVector<BlockElements> updates(mlir::Value keyBlock = {});
  /// The block's rows of the query, where they would be copied to.
  llvm::SmallVector<BlockElements> query();

private:
  BlockElements update(AttentionFusion::Update update, mlir::Value keyBlock,
                       int64_t offset, int64_t pitch);

  CudaKernelBuilder &k;
  const AttentionGeometry &g;
  BlockRows &rows;
  BlockCopies &copies;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_MADEOPERANDS_H
