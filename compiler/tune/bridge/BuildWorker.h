// SPDX-License-Identifier: Apache-2.0
//
// BuildWorker: the loop of `minic build-worker`, which builds candidates for
// ProcessBuildPool.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H
#define MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/tune/process/BuildPool.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>

namespace minic::tune {

/// Builds one job with the ordinary tail of the compiler. `gpu`: what problems
/// of GPUs are built for; null: what their architecture alone says.
BuildOutcome buildCandidate(mlir::MLIRContext &context, const BuildJob &job,
                            const DeviceProfile *gpu = nullptr);

/// Answers jobs, lines of BuildProtocol, from `input` on `output` until the end
/// of the input. Returns the exit code of the process.
int serveBuilds(mlir::MLIRContext &context, std::FILE *input, std::FILE *output,
                const DeviceProfile *gpu = nullptr);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H
