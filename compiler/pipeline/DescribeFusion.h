// SPDX-License-Identifier: Apache-2.0
//
// DescribeFusion: fusions and choices in the words that tables, summaries and
// `minic explain` use.

#ifndef MINIC_COMPILER_PIPELINE_DESCRIBEFUSION_H
#define MINIC_COMPILER_PIPELINE_DESCRIBEFUSION_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/Kernel.h"

#include <string>

namespace minic {

/// "linear_relu(256x1024, 1024x1024) f32": body ops, shapes of the operands of
/// its anchor (of all inputs where there is none), dtype. What a convolution
/// has beside shapes follows: "conv2d(8x14x14x64, 64x64x3x3, nhwc, pads 1)".
std::string describeFusion(kernel::FusionOp fusion);

/// "gemm_packed mr=8 nr=32 + pointwise": one term per part.
std::string describeChoice(kernel::ChoiceAttr choice);

/// Floating-point operations of one run: 2MNK of a contraction, one per element
/// of a pointwise result.
int64_t countFusionFlops(kernel::FusionOp fusion);

/// Bytes that any implementation must read and write: inputs and results. Of a
/// table that is only gathered from or sliced, as many as are taken.
int64_t countFusionBytes(kernel::FusionOp fusion);

/// GFLOP/s that the fusion reaches at most on a GPU of this profile.
double peakGflopsOnGpu(kernel::FusionOp fusion, const DeviceProfile &profile);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_DESCRIBEFUSION_H
