// SPDX-License-Identifier: Apache-2.0
//
// Records to JSON, with what is chosen of each.

#include "tools/minic-tune/CommandsJson.h"

#include "compiler/tune/database/RecordJson.h"
#include "compiler/tune/search/Selection.h"

#include <nlohmann/json.hpp>

namespace minic::tune {

using Json = nlohmann::ordered_json;

static std::string print(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string listJson(const std::vector<Record> &records,
                     const std::vector<Verdict> &verdicts) {
  Json problems = Json::array(), models = Json::array();
  for (const Record &record : records) {
    Selection selection = select(absl::MakeConstSpan(record.rows));
    Json entry = {{"problem", record.problem.key},
                  {"description", record.problem.description},
                  {"device", record.problem.device},
                  {"state", toString(record.state)},
                  {"created", record.created},
                  {"candidate", nullptr},
                  {"time_us", nullptr}};
    if (selection.row >= 0) {
      const Row &row = record.rows[selection.row];
      entry["candidate"] = row.candidate.name;
      if (row.bestKnownUs() > 0) {
        entry["time_us"] = row.bestKnownUs();
      }
    }
    problems.push_back(std::move(entry));
  }
  for (const Verdict &verdict : verdicts) {
    models.push_back(
        {{"model", verdict.description}, {"verdict", describe(verdict)}});
  }
  return print({{"format", "minic-tune-list"},
                {"version", 1},
                {"problems", std::move(problems)},
                {"models", std::move(models)}});
}

std::string showJson(const std::vector<Record> &records) {
  Json list = Json::array();
  for (const Record &record : records) {
    Selection selection = select(absl::MakeConstSpan(record.rows));
    Json chosen = nullptr;
    if (selection.row >= 0) {
      chosen = record.rows[selection.row].candidate.name;
    }
    list.push_back({{"chosen", std::move(chosen)},
                    {"reason", selection.reason},
                    {"record", toJson(record)}});
  }
  return print({{"format", "minic-tune-show"},
                {"version", 1},
                {"problems", std::move(list)}});
}

} // namespace minic::tune
