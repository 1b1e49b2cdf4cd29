// SPDX-License-Identifier: Apache-2.0
//
// Medians over traced runs, and the union of what worked in one.

#include "runtime/measure/TracedRuns.h"

#include "runtime/format/CallReader.h"
#include "runtime/measure/Statistics.h"
#include "runtime/program/ProgramImpl.h"

#include <algorithm>
#include <numeric>

namespace minic::runtime {

static PlanCommand describe(const format::Command &command) {
  PlanCommand described;
  if (const auto *launch = command.operation_as_Launch()) {
    described = {"launch", launch->entry()->str(), ""};
  } else if (const auto *call = command.operation_as_Call()) {
    described = {"call", format::callName(*call), ""};
  } else {
    described.kind = command.operation_as_Copy() ? "copy" : "fill";
  }
  if (command.label()) {
    described.label = command.label()->str();
  }
  return described;
}

std::vector<PlanCommand> describeCommands(const Program &program) {
  std::vector<PlanCommand> commands;
  for (const format::Command *command : *program.impl().variant->run()) {
    commands.push_back(describe(*command));
  }
  return commands;
}

absl::StatusOr<TracedRuns>
traceRuns(const std::function<absl::StatusOr<RunTrace>()> &run, int count) {
  TracedRuns traced;
  std::vector<RunTrace> runs;
  for (int i = 0; i <= count; ++i) {
    absl::StatusOr<RunTrace> trace = run();
    if (!trace.ok()) {
      return trace.status();
    }
    if (i > 0) {
      traced.spansUs.push_back(trace->spanUs);
      runs.push_back(*std::move(trace));
    }
  }
  for (size_t place = 0; place < runs[0].commands.size(); ++place) {
    std::vector<double> times;
    for (const RunTrace &trace : runs) {
      WorkerTime work = workOf(trace.commands[place]);
      times.push_back(work.endUs - work.beginUs);
    }
    traced.medianUs.push_back(median(times));
  }
  auto middle = runs.begin() + int64_t(runs.size() / 2);
  std::nth_element(
      runs.begin(), middle, runs.end(),
      [](const RunTrace &a, const RunTrace &b) { return a.spanUs < b.spanUs; });
  traced.typical = std::move(*middle);
  return traced;
}

WorkerTime workOf(const CommandTime &command) {
  WorkerTime work{command.beginUs, command.endUs};
  for (size_t i = 0; i < command.workers.size(); ++i) {
    const WorkerTime &worker = command.workers[i];
    work.beginUs = i ? std::min(work.beginUs, worker.beginUs) : worker.beginUs;
    work.endUs = i ? std::max(work.endUs, worker.endUs) : worker.endUs;
  }
  return work;
}

double busyUs(const RunTrace &trace) {
  std::vector<WorkerTime> works;
  for (const CommandTime &command : trace.commands) {
    works.push_back(workOf(command));
  }
  std::sort(works.begin(), works.end(),
            [](const WorkerTime &a, const WorkerTime &b) {
              return a.beginUs < b.beginUs;
            });
  double busy = 0, end = 0;
  for (const WorkerTime &work : works) {
    busy += std::max(0.0, work.endUs - std::max(end, work.beginUs));
    end = std::max(end, work.endUs);
  }
  return busy;
}

std::vector<double> addedUs(const RunTrace &trace) {
  std::vector<size_t> order(trace.commands.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return trace.commands[a].endUs < trace.commands[b].endUs;
  });
  std::vector<double> added(order.size());
  double end = 0;
  for (size_t place : order) {
    added[place] = trace.commands[place].endUs - end;
    end = trace.commands[place].endUs;
  }
  return added;
}

} // namespace minic::runtime
