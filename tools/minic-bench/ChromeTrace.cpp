// SPDX-License-Identifier: Apache-2.0
//
// Complete events ("X"), and names of processes and threads ("M").

#include "tools/minic-bench/ChromeTrace.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

namespace minic::tools {

using Json = nlohmann::ordered_json;

namespace {

constexpr int version = 1; // of the member `minic`

Json nameEvent(const char *what, size_t process, size_t thread,
               const std::string &name) {
  return {{"ph", "M"},
          {"pid", process},
          {"tid", thread},
          {"name", what},
          {"args", {{"name", name}}}};
}

Json workEvent(const std::string &name, const std::string &category,
               size_t process, size_t thread, runtime::WorkerTime work) {
  return {{"ph", "X"},
          {"pid", process},
          {"tid", thread},
          {"name", name},
          {"cat", category},
          {"ts", work.beginUs},
          {"dur", work.endUs - work.beginUs}};
}

/// What is told of the command at `place` of the typical run.
Json commandJson(const TracedArtifact &artifact, const TracedFusions &known,
                 size_t place) {
  const runtime::CommandTime &time = artifact.runs.typical.commands[place];
  const runtime::PlanCommand &command = artifact.commands[time.command];
  Json json = {{"command", time.command},
               {"kind", command.kind},
               {"name", command.name},
               {"label", command.label},
               {"fusion", nullptr},
               {"implementation", nullptr},
               {"median_us", artifact.runs.medianUs[place]},
               {"ticks", time.ticks}};
  if (std::optional<size_t> fusion = known.ofCommand[time.command]) {
    json["fusion"] = *fusion;
    json["implementation"] = known.fusions[*fusion].choice;
  }
  return json;
}

} // namespace

std::string chromeTrace(const std::vector<TracedArtifact> &artifacts) {
  Json events = Json::array(), described = Json::array();
  for (size_t process = 0; process < artifacts.size(); ++process) {
    const TracedArtifact &artifact = artifacts[process];
    const runtime::RunTrace &run = artifact.runs.typical;
    TracedFusions known = readFusions(artifact);
    events.push_back(
        nameEvent("process_name", process, 0,
                  absl::StrCat(artifact.path, " @", artifact.function)));
    events.push_back(nameEvent("thread_name", process, 0, "commands"));
    Json commands = Json::array();
    size_t workers = 0;
    for (size_t place = 0; place < run.commands.size(); ++place) {
      const runtime::CommandTime &time = run.commands[place];
      Json json = commandJson(artifact, known, place);
      const runtime::PlanCommand &command = artifact.commands[time.command];
      std::string name = command.label.empty() ? command.kind : command.label;
      runtime::WorkerTime work = runtime::workOf(time);
      Json event = workEvent(name, command.kind, process, 0, work);
      event["args"] = json;
      events.push_back(std::move(event));
      for (size_t i = 0; i < time.workers.size(); ++i) {
        events.push_back(
            workEvent(name, command.kind, process, i + 1, time.workers[i]));
      }
      workers = std::max(workers, time.workers.size());
      json["begin_us"] = work.beginUs;
      json["end_us"] = work.endUs;
      commands.push_back(std::move(json));
    }
    for (size_t i = 0; i < workers; ++i) {
      events.push_back(
          nameEvent("thread_name", process, i + 1, absl::StrCat("worker ", i)));
    }
    described.push_back({{"path", artifact.path},
                         {"function", artifact.function},
                         {"clock", run.clock},
                         {"runs", artifact.runs.spansUs.size()},
                         {"span_us", run.spanUs},
                         {"busy_us", runtime::busyUs(run)},
                         {"spans_us", artifact.runs.spansUs},
                         {"untraced_us", artifact.untracedUs},
                         {"commands", std::move(commands)}});
  }
  Json json = {{"traceEvents", std::move(events)},
               {"displayTimeUnit", "ns"},
               {"minic",
                {{"format", "minic-run-trace"},
                 {"version", version},
                 {"artifacts", std::move(described)}}}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace minic::tools
