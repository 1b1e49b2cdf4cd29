// SPDX-License-Identifier: Apache-2.0
//
// How many registers there are, on all architectures from sm_80 to sm_90 (CUDA
// C++ programming guide, "Compute capabilities").

#ifndef MINIC_COMPILER_TARGET_CUDA_REGISTERS_H
#define MINIC_COMPILER_TARGET_CUDA_REGISTERS_H

#include <cstdint>

namespace minic::cuda {

inline constexpr int64_t registersOfSm = 65536;
/// At most.
inline constexpr int64_t registersOfThread = 255;

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_REGISTERS_H
