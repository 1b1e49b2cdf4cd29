// SPDX-License-Identifier: Apache-2.0
//
// The register tile: its loop over K and its epilogue.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_MICROKERNEL_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_MICROKERNEL_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/gemm_packed/GemmGeometry.h"

namespace minic::cpu {

/// Adds `name`(lhs, panel, args, row, column[, next]): computes `height` rows
/// of the epilogue's iteration space from `row` on, and the columns of one
/// panel from `column` on; where the schedule prefetches, it fetches `next`,
/// its part of the next panel. `lhs` points to the tile, packed or not as the
/// schedule says, `panel` to the packed rhs, `args` are the kernel's. Of the
/// columns, those past N are not stored. All of K is summed up without a store;
/// float32 in chunks, whose sums are then added up.
mlir::LLVM::LLVMFuncOp
emitMicrokernel(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::ModuleOp device, llvm::StringRef name,
                const kernel::FusionShape &shape, const GemmGeometry &geometry,
                int64_t height);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_MICROKERNEL_H
