// SPDX-License-Identifier: Apache-2.0
//
// Every number of a graph's verdict.

#include "runtime/format/GraphChecker.h"

#include "absl/strings/str_cat.h"

#include <utility>

namespace minic::format {

static absl::Status
checkTimes(std::initializer_list<std::pair<const char *, double>> times) {
  constexpr double mostUs = 1e12; // eleven days
  for (auto [name, us] : times) {
    if (!(us >= 0 && us <= mostUs)) {
      return absl::DataLossError(
          absl::StrCat("damaged artifact: graph verdict: ", name,
                       ": expected 0 to ", mostUs, ", got ", us));
    }
  }
  return absl::OkStatus();
}

absl::Status checkGraph(const GraphVerdict &graph) {
  if (graph.replay() > Replay::MAX) {
    return absl::DataLossError(
        absl::StrCat("damaged artifact: graph verdict: unknown replay ",
                     int(graph.replay())));
  }
  absl::Status status =
      checkTimes({{"graph_us", graph.graph_us()},
                  {"stream_us", graph.stream_us()},
                  {"graph_call_us", graph.graph_call_us()},
                  {"stream_call_us", graph.stream_call_us()},
                  {"when_idle_us", graph.when_idle_us()},
                  {"when_idle_call_us", graph.when_idle_call_us()},
                  {"run_us", graph.run_us()}});
  const PointerChanges *changes = graph.pointer_changes();
  if (!status.ok() || !changes) {
    return status;
  }
  if (changes->runs_before_update() > mostRunsBeforeUpdate) {
    return absl::DataLossError(absl::StrCat(
        "damaged artifact: graph verdict: runs_before_update: expected 0 to ",
        mostRunsBeforeUpdate, ", got ", changes->runs_before_update()));
  }
  return checkTimes({{"stage_us", changes->stage_us()},
                     {"launch_us", changes->launch_us()},
                     {"stage_call_us", changes->stage_call_us()},
                     {"launch_call_us", changes->launch_call_us()},
                     {"update_us", changes->update_us()}});
}

} // namespace minic::format
