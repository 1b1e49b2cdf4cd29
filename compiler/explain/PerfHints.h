// SPDX-License-Identifier: Apache-2.0
//
// PerfHints: what to change in the model or on the command line for a faster
// result, and what the fusions became. Log text only; decides nothing.

#ifndef MINIC_COMPILER_EXPLAIN_PERFHINTS_H
#define MINIC_COMPILER_EXPLAIN_PERFHINTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Logs each fusion of `module` (topic fusion).
void logFusions(mlir::ModuleOp module, const CompileOptions &options);

/// Logs hints about the fusions of `module` (topic perf-hints).
void logPerfHints(mlir::ModuleOp module, const DeviceProfile &profile,
                  const CompileOptions &options);

/// Logs which ops lose a NaN as the choices of `module` implement them (topic
/// fusion).
void logNanLosses(mlir::ModuleOp module, const Target &target, const Log &log);

/// Logs constants, arena and buffers of a finished plan (topic memory).
void logMemory(mlir::ModuleOp plan, const Log &log);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_PERFHINTS_H
