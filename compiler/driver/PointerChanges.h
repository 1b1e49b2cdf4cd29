// SPDX-License-Identifier: Apache-2.0
//
// PointerChanges: how a captured graph follows callers that change pointers.

#ifndef MINIC_COMPILER_DRIVER_POINTERCHANGES_H
#define MINIC_COMPILER_DRIVER_POINTERCHANGES_H

#include "compiler/driver/WholeModel.h"
#include "dialects/plan/Plan.h"

#include <string>

namespace minic {

/// Sets what was measured of changed pointers in the variants of `plan`'s
/// functions that replay a graph.
void setPointerChanges(mlir::ModuleOp plan, const Verdicts &verdicts);

/// A line for the tensors whose pointers are patched, one for those that
/// library calls use: "x, y: patched", "w: launched kernel by kernel, 31.0 us a
/// call, staged 35.0 (back to back 12.1 and 14.0); updated after 12 runs on the
/// same ones", with the names of the function's inputs and outputs; empty where
/// `variant` replays no graph.
std::string describePointerChanges(plan::VariantOp variant);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_POINTERCHANGES_H
