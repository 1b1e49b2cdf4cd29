// SPDX-License-Identifier: Apache-2.0
//
// Two readings of the host's clock and one of the device's.

#include "tools/minic-bench/TimedContext.h"

#include "runtime/measure/DescribeGpus.h"

#include <algorithm>
#include <chrono>

namespace minic::tools {

using Clock = std::chrono::steady_clock;
using runtime::Program;

static double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

/// Bytes of the program's GPU's L2 cache.
static uint64_t cacheBytesOf(const Program &program) {
  runtime::DeviceFacts facts;
  runtime::describeGpus(facts);
  for (const runtime::GpuFacts &gpu : facts.gpus) {
    if (gpu.index == program.place().index) {
      return uint64_t(gpu.l2Bytes);
    }
  }
  return 0;
}

absl::StatusOr<std::shared_ptr<const TimedContext::Tensors>>
TimedContext::Tensors::create(std::shared_ptr<const Program> program) {
  const auto &inputSpecs = program->inputs(), &outputSpecs = program->outputs();
  absl::StatusOr<ModelTensors> inputs = readInputs(
      inputSpecs, std::vector<std::string>(inputSpecs.size()), false, 0);
  absl::StatusOr<ModelTensors> outputs = allocateTensors(outputSpecs);
  if (!inputs.ok() || !outputs.ok()) {
    return inputs.ok() ? outputs.status() : inputs.status();
  }
  absl::StatusOr<DeviceTensors> deviceInputs =
      DeviceTensors::create(*program, inputSpecs, inputs->tensors);
  if (!deviceInputs.ok()) {
    return deviceInputs.status();
  }
  absl::StatusOr<DeviceTensors> deviceOutputs =
      DeviceTensors::create(*program, outputSpecs, outputs->tensors);
  if (!deviceOutputs.ok()) {
    return deviceOutputs.status();
  }
  absl::Status status = deviceInputs->shareInPlace(*program, *deviceOutputs);
  if (!status.ok()) {
    return status;
  }
  return std::make_shared<const Tensors>(
      Tensors{std::move(program), *std::move(inputs), *std::move(outputs),
              *std::move(deviceInputs), *std::move(deviceOutputs)});
}

bool TimedContext::Tensors::fit(const Program &other) const {
  auto areSame = [](absl::Span<const runtime::TensorSpec> a,
                    absl::Span<const runtime::TensorSpec> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto &x, const auto &y) {
                        return x.dtype == y.dtype && x.dims == y.dims &&
                               x.inPlaceOf == y.inPlaceOf;
                      });
  };
  return program->place() == other.place() &&
         areSame(program->inputs(), other.inputs()) &&
         areSame(program->outputs(), other.outputs());
}

absl::StatusOr<std::unique_ptr<TimedContext>>
TimedContext::create(std::shared_ptr<const Program> program,
                     const Options &options) {
  std::shared_ptr<const Tensors> tensors;
  std::shared_ptr<const runtime::RotatedOperands> operands;
  if (options.like && options.like->tensors_->fit(*program)) {
    tensors = options.like->tensors_;
    operands = options.like->operands_;
  } else {
    absl::StatusOr<std::shared_ptr<const Tensors>> created =
        Tensors::create(program);
    if (!created.ok()) {
      return created.status();
    }
    tensors = *std::move(created);
  }
  std::unique_ptr<TimedContext> timed(new TimedContext(std::move(tensors)));
  runtime::ContextOptions contextOptions;
  contextOptions.graph = options.graph;
  contextOptions.nvtx = options.nvtx;
  absl::StatusOr<std::unique_ptr<runtime::Context>> context =
      runtime::Context::create(program, contextOptions);
  if (!context.ok()) {
    return context.status();
  }
  timed->context_ = std::move(*context);
  runtime::TimedGpuFunction::Options deviceOptions;
  deviceOptions.residency = options.residency;
  deviceOptions.cacheBytes = cacheBytesOf(*program);
  timed->operands_ = std::move(operands);
  deviceOptions.operands = &timed->operands_;
  absl::StatusOr<std::unique_ptr<runtime::TimedGpuFunction>> device =
      runtime::TimedGpuFunction::create(std::move(program), deviceOptions);
  if (!device.ok()) {
    return device.status();
  }
  timed->device_ = std::move(*device);
  return timed;
}

absl::StatusOr<double> TimedContext::sampleBackToBack(int64_t iterations) {
  absl::Status status = run();
  status.Update(runtime::exceptIndices(context_->synchronize()));
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < iterations && status.ok(); ++i) {
    status = run();
  }
  status.Update(runtime::exceptIndices(context_->synchronize()));
  double total = microsecondsSince(start);
  if (!status.ok()) {
    return status;
  }
  return total / double(iterations);
}

absl::StatusOr<double> TimedContext::sampleCalls(int64_t iterations) {
  absl::Status status;
  Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < iterations && status.ok(); ++i) {
    status = run();
    status.Update(runtime::exceptIndices(context_->synchronize()));
  }
  double total = microsecondsSince(start);
  if (!status.ok()) {
    return status;
  }
  return total / double(iterations);
}

absl::StatusOr<runtime::RunTrace> TimedContext::trace() {
  return context_->trace(tensors_->inputs.tensors(),
                         tensors_->outputs.tensors());
}

absl::StatusOr<GpuSample> TimedContext::sample(int64_t iterations) {
  absl::StatusOr<double> backToBack = sampleBackToBack(iterations);
  if (!backToBack.ok()) {
    return backToBack.status();
  }
  absl::StatusOr<double> call =
      sampleCalls(std::max<int64_t>(1, iterations / 10));
  if (!call.ok()) {
    return call.status();
  }
  absl::StatusOr<double> device =
      device_->sample(iterations, runtime::RunMode::device);
  if (!device.ok()) {
    return device.status();
  }
  return GpuSample{*backToBack, *call, *device};
}

} // namespace minic::tools
