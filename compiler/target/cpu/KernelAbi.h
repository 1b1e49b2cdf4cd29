// SPDX-License-Identifier: Apache-2.0
//
// How CPU kernels are called.
//
// An entry is void(const Arg *args, int64_t begin, int64_t end, void *scratch):
// it computes tiles [begin, end) of a one-dimensional grid. An Arg is 8 bytes,
// a pointer or an integer: the addresses of a fusion's operands, its results,
// then what the launch adds, in order. `scratch` belongs to the thread.

#ifndef MINIC_COMPILER_TARGET_CPU_KERNELABI_H
#define MINIC_COMPILER_TARGET_CPU_KERNELABI_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic::cpu {

/// An entry being built. The body ends in llvm.return already; the builder that
/// created it stands before that.
struct KernelEntry {
  mlir::LLVM::LLVMFuncOp function;
  mlir::Value args, begin, end, scratch;

  /// Adds the exported function `name` to `device` and moves `builder` into it.
  static KernelEntry create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ModuleOp device, llvm::StringRef name);
};

/// The entry that does what `entry` does, on the same operands and grid, in a
/// process that cannot have the tiles of AMX. An entry that uses tiles has one,
/// no other does: the runtime knows by it that it has to ask for them
/// (runtime/device/cpu/TileState.h).
std::string withoutAmxName(llvm::StringRef entry);

/// Adds an internal function that is never inlined and moves `builder` into
/// its body, which ends in llvm.return of nothing.
mlir::LLVM::LLVMFuncOp
createInternalFunction(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ModuleOp device, llvm::StringRef name,
                       llvm::ArrayRef<mlir::Type> arguments);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_KERNELABI_H
