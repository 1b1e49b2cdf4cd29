// SPDX-License-Identifier: Apache-2.0
//
// The register tiles of both layouts and what they read.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_MICROKERNELS_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_MICROKERNELS_H

#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/conv_direct/ConvDirectGeometry.h"

namespace minic::cpu {

/// Adds `name`(pixels, panel, args, row, column, columnEnd): computes `height`
/// rows of the epilogue's iteration space from `row` on (in NCHW a line of each
/// channel, P apart) and the columns of one tile from `column` on, of which
/// those from `columnEnd` on are not stored. `pixels` points to what the first
/// tap of the tile's first pixel reads of its group's first channel, packed or
/// not as the schedule says; `panel` to the tile's first element of the filter.
/// Where the geometry skips pads, two more arguments are the first line of the
/// filter to take and the one behind the last. Where the schedule prefetches, a
/// last argument points to the part of the next panel that this tile fetches.
mlir::LLVM::LLVMFuncOp
emitNhwcMicrokernel(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ModuleOp device, llvm::StringRef name,
                    const kernel::FusionShape &shape,
                    const ConvDirectGeometry &geometry, int64_t height);
mlir::LLVM::LLVMFuncOp
emitNchwMicrokernel(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::ModuleOp device, llvm::StringRef name,
                    const kernel::FusionShape &shape,
                    const ConvDirectGeometry &geometry, int64_t height);

/// Adds `name`(input, line, to): copies what line number `line` reads of
/// `input` to `to`, laid out as the geometry says.
mlir::LLVM::LLVMFuncOp emitPackLine(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::ModuleOp device,
                                    llvm::StringRef name,
                                    const ConvDirectGeometry &geometry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_MICROKERNELS_H
