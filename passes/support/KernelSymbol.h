// SPDX-License-Identifier: Apache-2.0
//
// KernelSymbol: what kernels are called, for debuggers and profilers.

#ifndef MINIC_PASSES_SUPPORT_KERNELSYMBOL_H
#define MINIC_PASSES_SUPPORT_KERNELSYMBOL_H

#include "mlir/IR/Operation.h"

#include <string>

namespace minic {

/// Ops, shapes and dtype of `op` (a fusion or relayout), then its schedule:
/// "linear_relu_256x1024_512x1024_f32__gemm_packed_4x64_ku4". The shapes are
/// those of the anchor's operands, else of the inputs. [A-Za-z0-9_] only, at
/// most 120 characters: what is longer ends with a hash of the whole.
std::string kernelSymbol(mlir::Operation *op, llvm::StringRef schedule);

/// The attribute of a module whose kernels are called by their family alone,
/// and whose launches have no labels, so that equal code gives equal artifacts.
inline constexpr llvm::StringLiteral anonymousKernels =
    "plan.anonymous_kernels";

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_KERNELSYMBOL_H
