// SPDX-License-Identifier: Apache-2.0
//
// TimedFunction: operands, and two ways of reading the clock.

#include "runtime/measure/TimedFunction.h"

#include "runtime/base/StatusWord.h"
#include "runtime/device/cpu/Libgomp.h"
#include "runtime/measure/Disturbance.h"
#include "runtime/measure/RandomData.h"

#include <chrono>
#include <cstring>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// What is timed does not depend on it.
constexpr uint64_t inputSeed = 1;

/// Longer runs bring their operands into the caches by themselves.
constexpr double longRunUs = 5000;

/// The threads that a sample of the program has beside the runtime's own.
int libraryThreads(const Program &program) {
  return program.callsLibrary() ? program.threads() : 1;
}

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

} // namespace

absl::StatusOr<CacheEvictor> CacheEvictor::create(int64_t lastLevelCacheBytes) {
  absl::StatusOr<AlignedBuffer> buffer =
      AlignedBuffer::create(2 * uint64_t(lastLevelCacheBytes));
  if (!buffer.ok()) {
    return buffer.status();
  }
  CacheEvictor evictor;
  evictor.buffer_ = std::move(*buffer);
  return evictor;
}

void CacheEvictor::evict() {
  // Written, not only read: modified lines cannot be dropped for others', and
  // the compiler cannot drop the loop.
  for (uint64_t i = 0; i < buffer_.bytes(); i += 64) {
    volatile std::byte *line = buffer_.data() + i;
    *line = std::byte(i >> 6);
  }
}

absl::StatusOr<TimedFunction>
TimedFunction::create(std::shared_ptr<const Program> program,
                      const ContextOptions &options) {
  absl::StatusOr<std::unique_ptr<Context>> context =
      Context::create(program, options);
  if (!context.ok()) {
    return context.status();
  }
  TimedFunction function;
  function.context_ = std::move(*context);
  auto allocate = [&](const std::vector<TensorSpec> &specs,
                      std::vector<Tensor> &tensors) {
    for (const TensorSpec &spec : specs) {
      if (spec.inPlaceOf) {
        tensors.push_back(function.inputs_[*spec.inPlaceOf]);
        continue;
      }
      absl::StatusOr<AlignedBuffer> buffer =
          AlignedBuffer::create(spec.bytes());
      if (!buffer.ok()) {
        return buffer.status();
      }
      if (spec.bytes() != 0) {
        std::memset(buffer->data(), 0, spec.bytes());
      }
      tensors.push_back({buffer->data(), spec.dtype, spec.dims});
      function.buffers_.push_back(std::move(*buffer));
    }
    return absl::OkStatus();
  };
  absl::Status status = allocate(program->inputs(), function.inputs_);
  if (status.ok()) {
    status = allocate(program->outputs(), function.outputs_);
  }
  if (!status.ok()) {
    return status;
  }
  for (size_t i = 0; i < function.inputs_.size(); ++i) {
    fillRandom(function.inputs_[i].data, program->inputs()[i], inputSeed);
  }
  // The first run touches the arena and makes a library's late decisions.
  LibgompTeam team(libraryThreads(*program));
  if (status = function.run(); !status.ok()) {
    return status;
  }
  return function;
}

absl::Status TimedFunction::run() {
  return exceptIndices(context_->run(inputs_, outputs_));
}

absl::StatusOr<RunTrace> TimedFunction::trace() {
  LibgompTeam team(libraryThreads(program()));
  return context_->trace(inputs_, outputs_);
}

absl::StatusOr<double> TimedFunction::sample(int64_t iterations,
                                             CacheEvictor *evictor) {
  LibgompTeam team(libraryThreads(program()));
  absl::Status status;
  double total = 0;
  WithheldTime before;
  if (evictor != nullptr) {
    before = readWithheldTime();
    for (int64_t i = 0; i < iterations; ++i) {
      evictor->evict();
      Clock::time_point start = Clock::now();
      status.Update(run());
      total += microsecondsSince(start);
    }
  } else {
    if (lastUs_ < longRunUs) {
      status.Update(run());
    }
    before = readWithheldTime();
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < iterations; ++i) {
      status.Update(run());
    }
    total = microsecondsSince(start);
  }
  if (!status.ok()) {
    return status;
  }
  wasDisturbed_ = isDisturbed(before, readWithheldTime(), total);
  return lastUs_ = total / double(iterations);
}

} // namespace minic::runtime
