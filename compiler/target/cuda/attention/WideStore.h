// SPDX-License-Identifier: Apache-2.0
//
// WideStore: results of a warp stored 16 bytes at a time.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_WIDESTORE_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_WIDESTORE_H

#include "compiler/target/cuda/KernelAbi.h"

namespace minic::cuda {

/// Four threads that share a row have two of each 8 neighbours of it. They
/// exchange them so that each has all 8 of every fourth tile: whole sectors of
/// memory are written then, not halves.
class WideStore {
public:
  /// `storage`: bf16 or f16.
  WideStore(CudaKernelBuilder &builder, mlir::Type storage, mlir::Value lane);

  /// Of four tiles of 8 columns, the two values of each that the thread has,
  /// f32. Returns the 8 of the tile whose number is lane % 4, as four words.
  /// All threads of the warp come here.
  mlir::Value gather(llvm::ArrayRef<mlir::Value> pairs);

private:
  mlir::Value pack(mlir::Value low, mlir::Value high);
  void exchange(mlir::Value &first, mlir::Value &second, int64_t flips,
                mlir::Value isUpper);

  CudaKernelBuilder &k;
  mlir::Type storage;
  mlir::Value isOdd, isUpperHalf; // of the four threads
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_WIDESTORE_H
