// SPDX-License-Identifier: Apache-2.0
//
// A loop over the builders: hand out jobs, collect replies, replace the dead.

#include "compiler/tune/ProcessBuildPool.h"
#include "compiler/Interrupt.h"
#include "compiler/tune/BuildProtocol.h"
#include "compiler/tune/Clock.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

bool ProcessBuildPool::poll(Slot &slot, BuildOutcome &outcome) {
  double elapsed = SteadyClock().now() - slot.started;
  outcome = {};
  outcome.buildMs = elapsed * 1000;
  std::string line;
  switch (slot.process->receive(line, 0)) {
  case Subprocess::Event::Timeout:
    if (elapsed < options.timeoutSeconds) {
      return false;
    }
    outcome.error =
        absl::StrCat("the build did not end in ", options.timeoutSeconds, " s");
    slot.process.reset();
    return true;
  case Subprocess::Event::Ended:
    outcome.error =
        absl::StrCat("the builder was ", slot.process->describeEnd());
    slot.process.reset();
    return true;
  case Subprocess::Event::Line: {
    absl::StatusOr<BuildOutcome> reply = decodeOutcome(line);
    if (reply.ok()) {
      outcome = *std::move(reply);
    } else {
      outcome.error = std::string(reply.status().message());
      slot.process.reset();
    }
    ++slot.jobsDone;
    return true;
  }
  }
  return false;
}

absl::Status ProcessBuildPool::build(
    absl::Span<const BuildJob> jobs,
    const std::function<void(size_t, const BuildOutcome &)> &done,
    const std::function<bool()> &stop) {
  slots.resize(std::max(1, options.processes));
  size_t next = 0;
  while (true) {
    std::vector<Subprocess *> waiting;
    for (Slot &slot : slots) {
      if (!slot.busy && next < jobs.size() && !stop()) {
        if (!slot.process) {
          absl::StatusOr<std::unique_ptr<Subprocess>> process =
              Subprocess::spawn(options.command);
          if (!process.ok()) {
            return process.status();
          }
          slot.process = *std::move(process);
        }
        slot.job = next++;
        slot.busy = true;
        slot.started = SteadyClock().now();
        slot.process->send(encode(jobs[slot.job]));
      }
      if (slot.busy) {
        waiting.push_back(slot.process.get());
      }
    }
    if (waiting.empty()) {
      return absl::OkStatus();
    }
    if (interrupted()) {
      // What is in flight is lost; it was not measured yet.
      slots.clear();
      return absl::OkStatus();
    }
    Subprocess::waitAny(waiting, 0.1);
    for (Slot &slot : slots) {
      BuildOutcome outcome;
      if (slot.busy && poll(slot, outcome)) {
        slot.busy = false;
        done(slot.job, outcome);
      }
    }
  }
}

} // namespace minic::tune
