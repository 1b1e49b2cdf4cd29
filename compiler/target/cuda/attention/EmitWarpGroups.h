// SPDX-License-Identifier: Apache-2.0
//
// The code of an attention kernel that multiplies by wgmma.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITWARPGROUPS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITWARPGROUPS_H

#include "compiler/target/cuda/attention/AttentionOutput.h"

namespace minic::cuda {

/// Fills `entry`, where `builder` stands: earlier launches are complete.
void emitWarpGroups(CudaKernelBuilder &builder,
                    const AttentionGeometry &geometry, KernelEntry entry,
                    const AttentionOutput::Memory &memory);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_EMITWARPGROUPS_H
