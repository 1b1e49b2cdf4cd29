// SPDX-License-Identifier: Apache-2.0
//
// KeysAhead: asking L2 for keys and values before earlier launches are done.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_KEYSAHEAD_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_KEYSAHEAD_H

#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/attention/AttentionGeometry.h"

namespace minic::cuda {

/// Where the keys are a cache with a length of its own, of which the launches
/// ahead write a few rows at most, and which keys a block has does not depend
/// on that length: asks L2 for all of them. The kernel reads them when it may.
/// Keys beyond the length are asked for in vain, a block of keys at most for
/// each block of threads.
void emitKeysAhead(CudaKernelBuilder &k, const AttentionGeometry &geometry,
                   KernelEntry entry);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_KEYSAHEAD_H
