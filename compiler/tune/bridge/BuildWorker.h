// SPDX-License-Identifier: Apache-2.0
//
// BuildWorker: the loop of `minic build-worker`, which builds candidates for
// ProcessBuildPool.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H
#define MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/Plugin.h"
#include "compiler/tune/process/BuildPool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdio>
#include <memory>

namespace minic::tune {

/// What builders know beside their jobs.
struct BuilderSetting {
  /// What problems of GPUs are built for; null: what their architecture alone
  /// says.
  const DeviceProfile *gpu = nullptr;
  /// Those that candidates may be of.
  llvm::ArrayRef<std::unique_ptr<Plugin>> plugins;
};

/// Builds one job with the ordinary tail of the compiler.
BuildOutcome buildCandidate(mlir::MLIRContext &context, const BuildJob &job,
                            const BuilderSetting &setting = {});

/// Answers jobs, lines of BuildProtocol, from `input` on `output` until the end
/// of the input. Returns the exit code of the process.
int serveBuilds(mlir::MLIRContext &context, std::FILE *input, std::FILE *output,
                const BuilderSetting &setting = {});

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_BUILDWORKER_H
