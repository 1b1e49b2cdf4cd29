// SPDX-License-Identifier: Apache-2.0
//
// TimedFunction: two ways of reading the clock.

#include "runtime/measure/TimedFunction.h"

#include "runtime/base/StatusWord.h"
#include "runtime/device/cpu/Libgomp.h"
#include "runtime/measure/Disturbance.h"

#include <algorithm>
#include <chrono>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer runs bring their operands into the caches by themselves.
constexpr double longRunUs = 5000;

/// Of a sample: a search takes thousands.
constexpr double mostEvictingUs = 20000;

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
  constexpr uint64_t most = uint64_t(256) << 20;
  absl::StatusOr<AlignedBuffer> buffer =
      AlignedBuffer::create(std::min(2 * uint64_t(lastLevelCacheBytes), most));
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
                      const ContextOptions &options,
                      std::shared_ptr<const HostOperands> operands) {
  absl::StatusOr<std::unique_ptr<Context>> context =
      Context::create(program, options);
  if (!context.ok()) {
    return context.status();
  }
  if (!operands || !operands->fit(*program)) {
    absl::StatusOr<std::shared_ptr<const HostOperands>> own =
        HostOperands::create(*program);
    if (!own.ok()) {
      return own.status();
    }
    operands = *std::move(own);
  }
  TimedFunction function;
  function.context_ = std::move(*context);
  function.operands_ = std::move(operands);
  // The first run touches the arena and makes a library's late decisions.
  LibgompTeam team(libraryThreads(*program));
  if (absl::Status status = function.run(); !status.ok()) {
    return status;
  }
  return function;
}

absl::Status TimedFunction::run() {
  return exceptIndices(
      context_->run(operands_->inputs(), operands_->outputs()));
}

absl::StatusOr<RunTrace> TimedFunction::trace() {
  LibgompTeam team(libraryThreads(program()));
  return context_->trace(operands_->inputs(), operands_->outputs());
}

absl::StatusOr<double> TimedFunction::sample(int64_t iterations,
                                             CacheEvictor *evictor) {
  LibgompTeam team(libraryThreads(program()));
  absl::Status status;
  double total = 0;
  WithheldTime before;
  if (evictor != nullptr) {
    before = readWithheldTime();
    int64_t runs = 0;
    for (double evicting = 0;
         runs == 0 || (runs < iterations && evicting < mostEvictingUs);
         ++runs) {
      Clock::time_point begun = Clock::now();
      evictor->evict();
      evicting += microsecondsSince(begun);
      Clock::time_point start = Clock::now();
      status.Update(run());
      total += microsecondsSince(start);
    }
    iterations = runs;
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
