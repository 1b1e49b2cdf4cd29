// SPDX-License-Identifier: Apache-2.0
//
// A loop over the builders: hand out jobs, collect replies, replace the dead.

#include "compiler/tune/process/ProcessBuildPool.h"
#include "compiler/tune/process/BuildProtocol.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Interrupt.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

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
        absl::StrCat("the builder ended: ", slot.process->describeEnd());
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

void ProcessBuildPool::add(size_t id, const BuildJob &job) {
  waiting.push_back({id, job});
}

void ProcessBuildPool::dropWaiting() { waiting.clear(); }

size_t ProcessBuildPool::pending() const {
  return waiting.size() +
         size_t(std::count_if(slots.begin(), slots.end(),
                              [](const Slot &slot) { return slot.busy; }));
}

absl::Status ProcessBuildPool::start() {
  slots.resize(std::max(1, options.processes));
  for (Slot &slot : slots) {
    if (slot.busy || waiting.empty()) {
      continue;
    }
    if (!slot.process) {
      absl::StatusOr<std::unique_ptr<Subprocess>> process =
          Subprocess::spawn(options.command);
      if (!process.ok()) {
        return process.status();
      }
      slot.process = *std::move(process);
    }
    slot.job = waiting.front().first;
    slot.busy = true;
    slot.started = SteadyClock().now();
    slot.process->send(encode(waiting.front().second));
    waiting.pop_front();
  }
  return absl::OkStatus();
}

bool ProcessBuildPool::reap(const Done &done) {
  bool any = false;
  for (Slot &slot : slots) {
    BuildOutcome outcome;
    if (slot.busy && poll(slot, outcome)) {
      slot.busy = false;
      any = true;
      done(slot.job, outcome);
    }
  }
  return any;
}

absl::Status ProcessBuildPool::pump(double seconds, const Done &done) {
  // Those that ended since the last call get work in this one.
  bool any = reap(done);
  if (absl::Status status = start(); !status.ok()) {
    return status;
  }
  std::vector<Subprocess *> children;
  for (Slot &slot : slots) {
    if (slot.busy) {
      children.push_back(slot.process.get());
    }
  }
  if (children.empty()) {
    return absl::OkStatus();
  }
  if (interrupted()) {
    // What is in flight is lost; it was not measured yet.
    slots.clear();
    waiting.clear();
    return absl::OkStatus();
  }
  Subprocess::waitAny(children, any ? 0 : seconds);
  reap(done);
  return absl::OkStatus();
}

} // namespace minic::tune
