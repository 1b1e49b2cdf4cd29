// SPDX-License-Identifier: Apache-2.0
//
// PhaseRunner: runs phases and does what the debugging options ask around each:
// timing, dumps, a reproducer.

#ifndef MINIC_COMPILER_PIPELINE_PHASERUNNER_H
#define MINIC_COMPILER_PIPELINE_PHASERUNNER_H

#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/Pipelines.h"

#include <string>
#include <utility>
#include <vector>

namespace minic {

class PhaseRunner {
public:
  explicit PhaseRunner(const CompileOptions &options) : options(options) {}

  /// Runs the passes of `phase`; fails as well once interrupted.
  mlir::LogicalResult run(Phase phase, mlir::ModuleOp module,
                          const PipelineInputs &inputs);
  /// Runs `body`, which is the whole phase and returns its module.
  mlir::LogicalResult
  run(Phase phase, llvm::function_ref<mlir::FailureOr<mlir::ModuleOp>()> body);

  /// The phase that ran last or is running.
  Phase current() const { return phase_; }
  /// What each phase took so far, in milliseconds; of several targets each.
  const std::vector<std::pair<Phase, double>> &times() const { return times_; }
  /// For the message of an internal error: where the IR is, or how to get it.
  std::string reproducerHint() const;

  /// Prints IR without the bytes of constants to `path`, "-" for stdout.
  mlir::LogicalResult print(mlir::ModuleOp module, llvm::StringRef path) const;

private:
  const CompileOptions &options;
  Phase phase_ = Phase::Import;
  std::vector<std::pair<Phase, double>> times_;
};

/// Prints `module` with the bytes of constants left out.
void printElided(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_PHASERUNNER_H
