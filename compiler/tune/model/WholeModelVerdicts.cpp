// SPDX-License-Identifier: Apache-2.0
//
// Which rows a result consists of depends on what the rows before said.

#include "compiler/tune/model/WholeModelVerdicts.h"

#include "compiler/tune/database/Provisional.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

std::string verdictKey(const WholeModelInputs &inputs, absl::string_view row) {
  return absl::StrCat(inputs.planKey,
                      inputs.onGpu && inputs.streams ? "/stream" : "",
                      inputs.onGpu && inputs.graphs ? "/graph" : "", row);
}

std::string descentKey(const WholeModelInputs &inputs) {
  return absl::StrCat(inputs.planKey, Verdict::kDescentRow);
}

bool replaysGraph(const WholeModelInputs &inputs,
                  const WholeModelResult &result) {
  return inputs.streams ? (result.graph && result.graph->tunedShips) ||
                              (result.whenIdle && result.whenIdle->tunedShips)
                        : inputs.graphs;
}

absl::StatusOr<std::optional<WholeModelResult>>
findWholeModel(const WholeModelInputs &inputs, TuningDb &db) {
  WholeModelResult result;
  absl::Status status;
  bool isMissing = inputs.retune;
  auto find = [&](absl::string_view row, std::optional<Verdict> &verdict,
                  bool isNeeded) {
    if (!isNeeded || isMissing || !status.ok()) {
      return;
    }
    absl::StatusOr<std::optional<Verdict>> stored =
        db.findVerdict(verdictKey(inputs, row), inputs.device, inputs.versions);
    if (stored.ok()) {
      verdict = *std::move(stored);
    }
    status = stored.status();
    isMissing =
        !verdict || (verdict->isProvisional &&
                     isSearchedAgain(verdict->provisionalSearches,
                                     verdict->noise, inputs.probeNoise));
  };
  find(Verdict::kPlansRow, result.plans, inputs.plansDiffer);
  find(Verdict::kGeneratedRow, result.generated, inputs.hasGenerated);
  find(Verdict::kGraphRow, result.graph, inputs.streams && inputs.graphs);
  find(Verdict::kWhenIdleRow, result.whenIdle,
       result.graph && !result.graph->isRefused());
  find(Verdict::kPointersRow, result.pointers, replaysGraph(inputs, result));
  find(Verdict::kUpdateRow, result.update,
       result.pointers && !result.pointers->isRefused());
  if (!status.ok()) {
    return status;
  }
  if (isMissing) {
    return std::nullopt;
  }
  return result;
}

absl::StatusOr<std::optional<WholeModelResult>>
findNearestWholeModel(const WholeModelInputs &inputs, TuningDb &db) {
  absl::StatusOr<std::optional<WholeModelResult>> found =
      findWholeModel(inputs, db);
  if (!inputs.onGpu || !inputs.plansDiffer) {
    return found;
  }
  WholeModelInputs others = inputs;
  others.streams = true;
  for (bool graphs : {true, false}) {
    if (!found.ok() || *found) {
      return found;
    }
    others.graphs = graphs;
    found = findWholeModel(others, db);
    if (found.ok() && *found) {
      (*found)->graph.reset();
      (*found)->whenIdle.reset();
      (*found)->pointers.reset();
      (*found)->update.reset();
    }
  }
  return found;
}

absl::Status storeVerdict(Verdict &verdict, TuningDb &db) {
  if (verdict.isProvisional) {
    absl::StatusOr<std::optional<Verdict>> earlier =
        db.findVerdict(verdict.plan, verdict.device, verdict.versions);
    if (!earlier.ok()) {
      return earlier.status();
    }
    int64_t searches = 1;
    if (*earlier && (*earlier)->isProvisional) {
      searches += (*earlier)->provisionalSearches;
      if (!isLessNoisy(verdict.noise, (*earlier)->noise)) {
        verdict = **std::move(earlier);
      }
    }
    verdict.provisionalSearches = searches;
  }
  return db.putVerdict(verdict);
}

absl::Status storeWholeModel(WholeModelResult &result, TuningDb &db) {
  std::vector<Verdict *> rows;
  for (Verdict &verdict : result.ofStreams) {
    rows.push_back(&verdict);
  }
  for (std::optional<Verdict> *verdict :
       {&result.generated, &result.plans, &result.graph, &result.whenIdle,
        &result.pointers, &result.update}) {
    if (*verdict) {
      rows.push_back(&**verdict);
    }
  }
  for (Verdict *row : rows) {
    if (absl::Status status = storeVerdict(*row, db); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

} // namespace minic::tune
