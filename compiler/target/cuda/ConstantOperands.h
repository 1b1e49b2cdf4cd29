// SPDX-License-Identifier: Apache-2.0
//
// ConstantOperands: which operands of a fusion no launch writes, so that a
// programmatic launch may read them before earlier ones have ended.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONSTANTOPERANDS_H
#define MINIC_COMPILER_TARGET_CUDA_CONSTANTOPERANDS_H

#include "dialects/kernel/Kernel.h"

#include "llvm/ADT/SmallBitVector.h"

namespace minic::cuda {

/// Notes on `fusion`, where it is lowered, what is known there only: its
/// kernel's copy of it has the note, too.
void noteConstantOperands(kernel::FusionOp fusion);
/// The same, of operands that are known otherwise.
void noteConstantOperands(kernel::FusionOp fusion,
                          llvm::ArrayRef<int64_t> constants);
/// A bit for each operand of `fusion`, set where it was noted.
llvm::SmallBitVector constantOperands(kernel::FusionOp fusion);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CONSTANTOPERANDS_H
