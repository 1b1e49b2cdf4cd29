// SPDX-License-Identifier: Apache-2.0
//
// Algorithms of cuBLASLt as text: for plans, and for people.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTALGORITHM_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTALGORITHM_H

#include "runtime/device/cuda/CublasLibrary.h"

namespace minic::runtime {

/// "13.1.0:<hex of the algorithm's bytes>", which means something to that
/// version of the library alone.
std::string toText(const CublasltLibrary &library,
                   const cublasLtMatmulAlgo_t &algorithm);

/// "algo=66 tile=128x256 stages=64x4 cluster=2x1x1 splitk=3 swizzle=1"; what
/// the library leaves at its default is left out.
std::string describe(const CublasltLibrary &library,
                     const cublasLtMatmulAlgo_t &algorithm);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUBLASLTALGORITHM_H
