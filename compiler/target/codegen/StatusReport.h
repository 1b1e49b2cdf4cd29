// SPDX-License-Identifier: Apache-2.0
//
// StatusReport: how kernels of every target say that an index was out of range.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_STATUSREPORT_H
#define MINIC_COMPILER_TARGET_CODEGEN_STATUSREPORT_H

#include "compiler/target/codegen/KernelBuilder.h"

namespace minic {

/// Sets the variant's status word, at the address `statusWord` (see
/// plan::PlanBuilder::statusWord), where `isOutside` (i1) holds. Threads that
/// do so at once do not disturb each other.
void emitReport(KernelBuilder &k, mlir::Value statusWord,
                mlir::Value isOutside);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_STATUSREPORT_H
