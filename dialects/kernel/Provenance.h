// SPDX-License-Identifier: Apache-2.0
//
// Provenance: what a fusion keeps of how its choice came about.

#ifndef MINIC_DIALECTS_KERNEL_PROVENANCE_H
#define MINIC_DIALECTS_KERNEL_PROVENANCE_H

#include "dialects/kernel/AlgorithmSelector.h"

namespace minic::kernel {

/// `choice`, without the choice itself, as the attribute `provenance` of a
/// fusion.
mlir::DictionaryAttr provenanceOf(const SelectedChoice &choice,
                                  mlir::MLIRContext *context);

/// Microseconds that `fusion` takes by its provenance: measured, else by
/// estimates; 0 where it says neither.
double expectedUs(FusionOp fusion);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_PROVENANCE_H
