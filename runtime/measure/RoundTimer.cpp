// SPDX-License-Identifier: Apache-2.0
//
// Makes all functions of a round ready, then runs them in order.

#include "runtime/measure/RoundTimer.h"

#include "runtime/measure/DescribeDevice.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace minic::runtime {

double RoundTimer::smClockMHz(const LoadedFunction &entry) {
  const GpuFacts *gpu = findGpu(entry);
  if (!gpu) {
    return 0;
  }
  return clocks.try_emplace(gpu->index, gpu->uuid).first->second.smMHz();
}

absl::StatusOr<CacheEvictor *> RoundTimer::findEvictor() {
  if (!evictor) {
    absl::StatusOr<CacheEvictor> created =
        CacheEvictor::create(lastLevelCacheBytes(facts.get()));
    if (!created.ok()) {
      return created.status();
    }
    evictor = std::move(*created);
  }
  return &*evictor;
}

absl::Status RoundTimer::prepare(LoadedFunction &entry, Residency residency) {
  if (!entry.isOnGpu()) {
    if (entry.timed) {
      return absl::OkStatus();
    }
    absl::StatusOr<TimedFunction> timed =
        TimedFunction::create(entry.program, {}, hostOperands);
    if (timed.ok()) {
      entry.timed = *std::move(timed);
      hostOperands = entry.timed->operands();
    }
    return timed.status();
  }
  if (entry.timedGpu && entry.timedGpu->residency() == residency) {
    return absl::OkStatus();
  }
  TimedGpuFunction::Options options;
  options.residency = residency;
  const GpuFacts *gpu = findGpu(entry);
  options.cacheBytes = gpu ? uint64_t(gpu->l2Bytes) : 0;
  options.operands = &operands[entry.program->place().index];
  if (auto &spare = spares[entry.program->place().index]) {
    options.spare = spare;
  } else {
    spare = options.spare;
  }
  entry.timedGpu.reset();
  absl::StatusOr<std::unique_ptr<TimedGpuFunction>> timed =
      TimedGpuFunction::create(entry.program, options);
  if (timed.ok()) {
    entry.timedGpu = *std::move(timed);
  }
  return timed.status();
}

absl::StatusOr<double> RoundTimer::sample(LoadedFunction &entry,
                                          int64_t iterations,
                                          Residency residency, RunMode mode,
                                          double runUs) {
  if (entry.timedGpu) {
    return entry.timedGpu->sample(iterations, mode, runUs);
  }
  if (mode != RunMode::device) {
    return absl::InvalidArgumentError(
        absl::StrCat("time: a CPU has no mode '", toString(mode), "'"));
  }
  if (residency == Residency::warm) {
    return entry.timed->sample(iterations);
  }
  absl::StatusOr<CacheEvictor *> cold = findEvictor();
  if (!cold.ok()) {
    return cold.status();
  }
  return entry.timed->sample(iterations, *cold);
}

/// More takes than these are of no use: whoever disturbs does not stop.
static constexpr int mostTakes = 6;

/// Sleeps about as long as the sample took, so that the scheduler owes this
/// process time and is less likely to preempt the next take.
static void pauseAfter(double sampleUs) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(
      std::clamp(sampleUs, 200.0, 4000.0)));
}

absl::Status RoundTimer::sampleCalmly(LoadedFunction &entry, int64_t iterations,
                                      const TimeRequest &request,
                                      TimeReply &reply) {
  double shortestUs = 0, spentUs = 0;
  bool disturbed = true;
  for (int take = 0; disturbed && take < mostTakes; ++take) {
    if (take > 0) {
      pauseAfter(shortestUs * double(iterations));
    }
    absl::StatusOr<double> us =
        sample(entry, iterations, request.residency, RunMode::device, 0);
    if (!us.ok()) {
      return us.status();
    }
    disturbed = entry.timed->wasDisturbed();
    if (take == 0) {
      reply.firstTakesUs.push_back(*us);
    }
    // A calm take says more than a shorter disturbed one.
    bool isBetter = take == 0 || !disturbed || *us < shortestUs;
    shortestUs = isBetter ? *us : shortestUs;
    spentUs += *us * double(iterations);
    if (spentUs >= request.retakeUs) {
      break;
    }
  }
  reply.microseconds.push_back(shortestUs);
  reply.disturbed.push_back(disturbed);
  return absl::OkStatus();
}

absl::StatusOr<double> RoundTimer::sampleChanging(LoadedFunction &entry,
                                                  int64_t iterations,
                                                  RunMode mode,
                                                  ChangedPointers changes) {
  if (!entry.timedGpu ||
      (mode != RunMode::graph && mode != RunMode::graphCall)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "time: mode '", toString(mode), "' cannot change pointers, got '",
        toString(changes), "'"));
  }
  return entry.timedGpu->sampleChanging(iterations, mode == RunMode::graphCall,
                                        changes);
}

absl::StatusOr<TimeReply> RoundTimer::time(const TimeRequest &request) {
  size_t count = request.ids.size();
  if (count != request.iterations.size() ||
      (!request.modes.empty() && count != request.modes.size()) ||
      (!request.runUs.empty() && count != request.runUs.size()) ||
      (!request.changes.empty() && count != request.changes.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "time: ", count, " ids but ", request.iterations.size(),
        " iterations, ", request.modes.size(), " modes, ", request.runUs.size(),
        " run times and ", request.changes.size(), " changes"));
  }
  // All are made ready before the first is timed.
  std::vector<LoadedFunction *> timed;
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<LoadedFunction *> entry = functions.find(request.ids[i]);
    if (!entry.ok()) {
      return entry.status();
    }
    if (request.iterations[i] < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("time: '", request.ids[i], "' has no iterations"));
    }
    absl::Status status = prepare(**entry, request.residency);
    if (!status.ok()) {
      return status;
    }
    timed.push_back(*entry);
  }
  TimeReply reply;
  for (size_t i = 0; i < count; ++i) {
    int64_t iterations = request.iterations[i];
    RunMode mode = request.modes.empty() ? RunMode::device : request.modes[i];
    if (timed[i]->timed && mode == RunMode::device) {
      absl::Status status = sampleCalmly(*timed[i], iterations, request, reply);
      if (!status.ok()) {
        return status;
      }
      continue;
    }
    bool changes =
        !request.changes.empty() && request.changes[i] != ChangedPointers::none;
    absl::StatusOr<double> time =
        changes
            ? sampleChanging(*timed[i], iterations, mode, request.changes[i])
            : sample(*timed[i], iterations, request.residency, mode,
                     request.runUs.empty() ? 0 : request.runUs[i]);
    if (!time.ok()) {
      return time.status();
    }
    reply.microseconds.push_back(*time);
  }
  if (!timed.empty() && timed[0]->isOnGpu()) {
    reply.smClockMHz = smClockMHz(*timed[0]);
  }
  return reply;
}

} // namespace minic::runtime
