// SPDX-License-Identifier: Apache-2.0
//
// returnFusions: what a plan stores between its kernels becomes results.

#ifndef MINIC_COMPILER_COMPARE_RETURNFUSIONS_H
#define MINIC_COMPILER_COMPARE_RETURNFUSIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Has each function of `module`, after select-algorithm, return every result
/// of its fusions, after its own results, but for updates in place. Fusions and
/// what was chosen for them stay as they are, so the kernels are those of the
/// model.
void returnFusions(mlir::ModuleOp module);

} // namespace minic

#endif // MINIC_COMPILER_COMPARE_RETURNFUSIONS_H
