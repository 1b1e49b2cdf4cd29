// SPDX-License-Identifier: Apache-2.0
//
// Passes on the kernel dialect; Passes.td says what each does.

#ifndef MINIC_PASSES_KERNEL_PASSES_H
#define MINIC_PASSES_KERNEL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace minic::kernel {

class AlgorithmSelector;

#define GEN_PASS_DECL
#include "passes/kernel/Passes.h.inc"

/// Like createSelectAlgorithm(); asks `selector`, which outlives the pass.
std::unique_ptr<mlir::Pass> createSelectAlgorithm(AlgorithmSelector &selector);

#define GEN_PASS_REGISTRATION
#include "passes/kernel/Passes.h.inc"

} // namespace minic::kernel

#endif // MINIC_PASSES_KERNEL_PASSES_H
