// SPDX-License-Identifier: Apache-2.0
//
// SharedLayouts: the layout of a weight chosen for all buckets of an entry
// together.

#ifndef MINIC_COMPILER_DRIVER_SHAREDLAYOUTS_H
#define MINIC_COMPILER_DRIVER_SHAREDLAYOUTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"
#include "compiler/tune/bridge/RecordedSelector.h"

namespace minic {

/// Chosen alone, the fusions of several buckets that read one weight may each
/// want it packed in another way, and the artifact would hold it so often. Of
/// the layouts that they want, the one that costs least in all of them together
/// becomes that of all: a fusion takes its best candidate with it. A fusion
/// whose own choice is faster by more than `options.repackGain` keeps it, and
/// its provenance has both times. Times are measured ones where `selector` has
/// a record, else estimates. For a module whose choices are made; touches only
/// functions of buckets.
mlir::LogicalResult shareLayouts(mlir::ModuleOp module, const Target &target,
                                 const CompileOptions &options,
                                 const tune::RecordedSelector &selector);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_SHAREDLAYOUTS_H
