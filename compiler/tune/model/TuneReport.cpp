// SPDX-License-Identifier: Apache-2.0
//
// Records and samples as JSON.

#include "compiler/tune/model/TuneReport.h"
#include "compiler/tune/database/RecordJson.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace minic::tune {

using Json = nlohmann::ordered_json;

std::string formatReport(absl::Span<const TunedProblem> problems,
                         const WholeModelResult *verdicts,
                         const Verdict *descent) {
  Json list = Json::array();
  for (const TunedProblem &problem : problems) {
    Json item = {{"measured", problem.measured},
                 {"was_stale", problem.wasStale},
                 {"chosen", nullptr},
                 {"reason", problem.selection.reason},
                 {"record", toJson(problem.record)}};
    if (problem.selection.row >= 0) {
      item["chosen"] =
          problem.record.rows[problem.selection.row].candidate.name;
    }
    list.push_back(std::move(item));
  }
  auto optional = [](const std::optional<Verdict> &verdict) {
    return verdict ? Json(toJson(*verdict)) : Json(nullptr);
  };
  Json report = {
      {"format", "minic-tune-report"},
      {"version", 5},
      {"problems", std::move(list)},
      {"descent", descent ? Json(toJson(*descent)) : Json(nullptr)},
      {"generated", verdicts ? optional(verdicts->generated) : nullptr},
      {"whole_model", verdicts ? optional(verdicts->plans) : nullptr},
      {"graph", verdicts ? optional(verdicts->graph) : nullptr},
      {"when_idle", verdicts ? optional(verdicts->whenIdle) : nullptr},
      {"pointers", verdicts ? optional(verdicts->pointers) : nullptr},
      {"update", verdicts ? optional(verdicts->update) : nullptr}};
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::Status writeReport(const std::string &path, const std::string &report) {
  std::string temporary = absl::StrCat(path, ".", ::getpid(), ".tmp");
  std::ofstream file(temporary, std::ios::binary);
  file << report;
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::string reason = std::strerror(errno);
    ::unlink(temporary.c_str());
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write tune report '", path, "': ", reason));
  }
  return absl::OkStatus();
}

} // namespace minic::tune
