// SPDX-License-Identifier: Apache-2.0
//
// GraphMode: whether variants on a GPU replay a captured graph, where nothing
// was measured of it.

#ifndef MINIC_COMPILER_DRIVER_GRAPHMODE_H
#define MINIC_COMPILER_DRIVER_GRAPHMODE_H

#include "compiler/options/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// With --cuda-graphs=auto, runs of so many commands are replayed where nothing
/// was measured. On an H200 a replay took 0.3 to 0.6 us less for each command
/// of a model (ResNet-50 174 us for 190, BERT-base 257 for 292, ViT-B 306 for
/// 340), and two commands back to back took 1.3 us more.
inline constexpr int64_t fewestReplayed = 8;

/// Sets `graph` of the GPU variants in `plan` that have none and are replayed:
/// with --cuda-graphs=on all, with auto those of fewestReplayed commands or
/// more. Measured verdicts stay as they are.
void setGraphMode(mlir::ModuleOp plan, const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_GRAPHMODE_H
