// SPDX-License-Identifier: Apache-2.0
//
// BlockElements: elements that the threads of a block compute one by one.

#ifndef MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKELEMENTS_H
#define MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKELEMENTS_H

#include "compiler/target/cuda/KernelAbi.h"

#include <functional>

namespace minic::cuda {

/// `count` elements, numbered from 0 (i32). `make` may be asked for one again
/// by threads that have none; `store` is asked for each once.
struct BlockElements {
  using Made = llvm::SmallVector<mlir::Value, 3>;
  int64_t count;
  std::function<Made(mlir::Value number)> make;
  std::function<void(mlir::Value number, const Made &made)> store;
};

/// Spreads all `elements` over `threads` threads. A thread makes several of
/// each before it stores the first, so that it waits for memory once. All
/// threads pass `beforeStores` between them.
void emitElements(CudaKernelBuilder &k, int64_t threads,
                  llvm::ArrayRef<BlockElements> elements,
                  llvm::function_ref<void()> beforeStores = {});

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ATTENTION_BLOCKELEMENTS_H
