// SPDX-License-Identifier: Apache-2.0
//
// How CUDA kernels are called, and what their code asks of the hardware.
//
// An entry's parameters are pointers to global memory: the fusion's operands in
// order, its results, then what the launch adds (workspace, counters); then
// 64-bit scalars; then tensor maps. Pointers do not overlap unless the plan
// says so, and the plan never lets memory overlap that a kernel writes. Shapes
// are compiled in.

#ifndef MINIC_COMPILER_TARGET_CUDA_KERNELABI_H
#define MINIC_COMPILER_TARGET_CUDA_KERNELABI_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic::cuda {

/// Address spaces of !llvm.ptr.
enum AddressSpace : unsigned { kGlobal = 1, kShared = 3 };

mlir::LLVM::LLVMPointerType globalPointer(mlir::MLIRContext *context);
mlir::LLVM::LLVMPointerType sharedPointer(mlir::MLIRContext *context);

/// What a kernel promises about its launches.
struct KernelLaunchBounds {
  int64_t threads = 128; // of a block, all in x
  int64_t minBlocksPerSm = 0;
  int64_t clusterX = 0; // 0: no cluster
  /// The kernel's parameters before `scalars` many i64.
  int64_t pointers = 0;
  int64_t scalars = 0;
  /// Parameters behind them that are tensor maps, of 128 bytes each.
  int64_t tensorMaps = 0;
};

/// An entry being built. The body ends in llvm.return already; the builder that
/// created it stands before that.
struct KernelEntry {
  mlir::LLVM::LLVMFuncOp function;

  /// Adds the kernel `name` to `device` and moves `builder` into it.
  static KernelEntry create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ModuleOp device, llvm::StringRef name,
                            const KernelLaunchBounds &bounds);

  /// Parameter number `index`: !llvm.ptr<1>, i64 for a scalar, or !llvm.ptr to
  /// a tensor map.
  mlir::Value parameter(int64_t index) {
    return function.getArgument(unsigned(index));
  }
};

/// The dynamic shared memory of a block, aligned to 1024 bytes. All kernels of
/// a module share the symbol.
mlir::Value dynamicShared(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ModuleOp device);

/// KernelBuilder with what only GPUs have. Indices are i32.
class CudaKernelBuilder : public KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

  mlir::Value threadIdX();
  mlir::Value blockIdX();
  mlir::Value blockIdY();
  mlir::Value blockIdZ();
  /// threadIdX / 32 as one value of the whole warp (a uniform register), and
  /// threadIdX % 32.
  mlir::Value warpId();
  mlir::Value laneId();

  /// bar.sync 0 of the whole block.
  void barrier();
  /// barrier.cluster of all blocks of a cluster; also orders their accesses to
  /// shared memory.
  void clusterBarrier();
  /// Its halves: what came before an arrival is seen behind the wait for it by
  /// all blocks; `ordersMemory` false: nothing is. A block may end without the
  /// last wait.
  void arriveAtCluster(bool ordersMemory = true);
  void awaitCluster();
  /// `shared`, an address of this block, in block number `rank` of the cluster.
  mlir::Value ofClusterBlock(mlir::Value shared, mlir::Value rank);
  /// `shared`, an address of this block, as one of the cluster's.
  mlir::Value inCluster(mlir::Value shared);
  /// Asks L2 for the line at `pointer`, which nothing waits for.
  void prefetchToL2(mlir::Value pointer);
  /// griddepcontrol.wait: memory of earlier launches may be read from here on.
  /// Nothing where `programmatic` is not set.
  void waitForEarlierLaunches(bool programmatic);
  /// griddepcontrol.launch_dependents: the next launch may start.
  void allowLaterLaunches(bool programmatic);

  /// scf.if without results.
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  mlir::Value equal(mlir::Value lhs, int64_t rhs);
  mlir::Value lessThan(mlir::Value lhs, mlir::Value rhs); // signed
  mlir::Value lessThan(mlir::Value lhs, int64_t rhs);

  /// Loads and stores with one instruction of the vector's size, up to 16
  /// bytes, which `pointer` is aligned to. `readOnly` memory is not written by
  /// the kernel or an earlier launch that may still run (ld.global.nc).
  mlir::Value loadAligned(mlir::Type type, mlir::Value pointer,
                          bool readOnly = false);
  void storeAligned(mlir::Value value, mlir::Value pointer);
  /// The same, of whole words to global memory, by a policy of L2, an i64; for
  /// a narrower value, or without a policy, storeAligned.
  void storeByPolicy(mlir::Value value, mlir::Value pointer,
                     mlir::Value policy);
  /// The policy by which L2 gives a line up before others.
  mlir::Value evictFirst();
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_KERNELABI_H
