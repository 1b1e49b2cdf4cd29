// SPDX-License-Identifier: Apache-2.0
//
// TimedContext: a program on a GPU, timed in the three ways that matter.

#ifndef MINIC_TOOLS_MINIC_BENCH_TIMEDCONTEXT_H
#define MINIC_TOOLS_MINIC_BENCH_TIMEDCONTEXT_H

#include "runtime/base/StatusWord.h"
#include "runtime/measure/TimedGpuFunction.h"
#include "runtime/program/Context.h"
#include "tools/common/DeviceTensors.h"
#include "tools/common/ModelInputs.h"

#include <memory>

namespace minic::tools {

/// Microseconds of one run.
struct GpuSample {
  double backToBack = 0; // host's clock, runs enqueued one behind the other
  double call = 0;       // host's clock, each run waited for
  double device = 0;     // device's clock, of runs unrolled in a graph
};

/// Runs through the Context that a user would have, on random inputs.
class TimedContext {
public:
  struct Options {
    runtime::GraphMode graph = runtime::GraphMode::Artifact;
    /// Of the device time; the host's times are warm.
    runtime::Residency residency = runtime::Residency::warm;
    /// Shares its tensors if they fit. Depending on where tensors lie, runs of
    /// one plan are up to 8 % slower or faster.
    const TimedContext *like = nullptr;
    bool nvtx = false;
  };
  static absl::StatusOr<std::unique_ptr<TimedContext>>
  create(std::shared_ptr<const runtime::Program> program,
         const Options &options);

  /// Means over `iterations`, at least 1; of single calls, over a tenth.
  absl::StatusOr<GpuSample> sample(int64_t iterations);
  /// Of back-to-back runs alone.
  absl::StatusOr<double> sampleBackToBack(int64_t iterations);

  /// One run, timed command by command.
  absl::StatusOr<runtime::RunTrace> trace();

  const runtime::Context &context() const { return *context_; }

private:
  /// Of a program, or of several that take such tensors.
  struct Tensors {
    std::shared_ptr<const runtime::Program> program; // outlives the others
    ModelTensors hostInputs, hostOutputs;
    DeviceTensors inputs, outputs;

    static absl::StatusOr<std::shared_ptr<const Tensors>>
    create(std::shared_ptr<const runtime::Program> program);
    bool fit(const runtime::Program &other) const;
  };
  explicit TimedContext(std::shared_ptr<const Tensors> tensors)
      : tensors_(std::move(tensors)) {}
  absl::StatusOr<double> sampleCalls(int64_t iterations);
  absl::Status run() {
    return runtime::exceptIndices(
        context_->run(tensors_->inputs.tensors(), tensors_->outputs.tensors()));
  }

  const std::shared_ptr<const Tensors> tensors_;
  std::shared_ptr<const runtime::RotatedOperands> operands_; // of device_
  std::unique_ptr<runtime::Context> context_;
  std::unique_ptr<runtime::TimedGpuFunction> device_;
};

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_TIMEDCONTEXT_H
