// SPDX-License-Identifier: Apache-2.0
//
// Selects twice: once to write a file, once to read it.

#include "compiler/tune/search/ShippedRows.h"

#include "compiler/tune/search/SourceVersions.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace minic::tune {

/// What machines and options may ask for; the first is asked for most.
static const SelectionPolicy policies[] = {
    {},
    {.movesRegisters = false},
    {.deterministic = true},
    {.deterministic = true, .movesRegisters = false}};

/// The winners under all policies, each once.
static std::vector<Row> winners(const std::vector<Row> &rows) {
  std::vector<int> chosen;
  std::vector<Row> result;
  for (const SelectionPolicy &policy : policies) {
    int row = select(absl::MakeConstSpan(rows), policy).row;
    if (row >= 0 &&
        std::find(chosen.begin(), chosen.end(), row) == chosen.end()) {
      chosen.push_back(row);
      result.push_back(rows[row]);
    }
  }
  return result;
}

static bool isForeign(const Row &row) {
  return row.candidate.label == "user" || row.candidate.label == "plugin";
}

std::vector<Record> selectToShip(absl::Span<const Record> records,
                                 const std::string &device,
                                 bool takesProvisional) {
  std::map<std::tuple<std::string, std::string, std::string>, Record> newest;
  for (const Record &record : records) {
    const ProblemSpec &problem = record.problem;
    bool isDone =
        record.state == RecordState::Complete ||
        (record.state == RecordState::Provisional && takesProvisional);
    if (!isDone || problem.deviceName != device) {
      continue;
    }
    auto [known, isNew] = newest.try_emplace(
        {problem.key, problem.device, problem.backends}, record);
    if (!isNew && record.created >= known->second.created) {
      known->second = record;
    }
  }
  std::vector<Record> result;
  for (auto &[key, record] : newest) {
    record.rows = winners(record.rows);
    if (!record.rows.empty() &&
        std::none_of(record.rows.begin(), record.rows.end(), isForeign)) {
      result.push_back(std::move(record));
    }
  }
  return result;
}

ShippedRow findShipped(const ShippedRecords &shipped,
                       const ProblemSpec &problem,
                       const SelectionPolicy &policy) {
  ShippedRow found;
  std::string kind = deviceKind(problem.device);
  if (shipped.device != problem.deviceName || kind.empty()) {
    return found;
  }
  auto rank = [&](const Record &record) {
    return std::make_tuple(record.problem.device == problem.device,
                           record.created);
  };
  for (const Record &record : shipped.records) {
    if (record.problem.key == problem.key &&
        record.problem.backends == problem.backends &&
        deviceKind(record.problem.device) == kind &&
        (!found.record || rank(record) > rank(*found.record))) {
      found.record = &record;
    }
  }
  if (!found.record) {
    return found;
  }
  for (const Row &row : found.record->rows) {
    if (isEligible(row, policy)) {
      found.row = isFresh(row, found.record->problem.versions, problem.versions)
                      ? &row
                      : nullptr;
      break;
    }
  }
  return found;
}

} // namespace minic::tune
