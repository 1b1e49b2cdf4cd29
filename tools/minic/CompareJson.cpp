// SPDX-License-Identifier: Apache-2.0
//
// Fields in the order of the table; null for what is not known.

#include "tools/minic/CompareReport.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace minic {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity: they are strings.
static Json number(double value) {
  return std::isfinite(value) ? Json(value)
         : std::isnan(value)  ? Json("nan")
                              : Json(value < 0 ? "-inf" : "inf");
}

static Json orNull(const std::string &text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

static Json toJson(const CompareRow &row) {
  const TensorDifference &difference = row.difference;
  const runtime::Comparison::Element &worst = difference.own.worstElement;
  Json worstElement = nullptr;
  if (worst.index >= 0) {
    std::vector<int64_t> indices(row.dims.size());
    int64_t rest = worst.index;
    for (size_t i = indices.size(); i-- > 0; rest /= row.dims[i]) {
      indices[i] = rest % row.dims[i];
    }
    worstElement = {{"index", indices},
                    {"expected", number(worst.expected)},
                    {"got", number(worst.got)},
                    {"error", number(worst.error)},
                    {"bound", number(worst.tolerance)}};
  }
  return {{"tensor", row.tensor},
          {"node", orNull(row.node)},
          {"op", orNull(row.op)},
          {"dtype", runtime::toString(row.dtype)},
          {"dims", row.dims},
          {"differs", !difference.own.matches},
          {"error_over_bound", number(difference.own.worst)},
          {"worst", std::move(worstElement)},
          {"rms_error", number(difference.ownRms.error)},
          {"rms_bound", number(difference.ownRms.bound)},
          {"vacuous", difference.ownRms.isVacuous()},
          {"total_rms_error",
           difference.totalRms ? number(*difference.totalRms) : Json(nullptr)},
          {"rows", difference.rows},
          {"all_rows", difference.allRows},
          {"from", row.from},
          {"nodes", difference.nodes}};
}

static Json toJson(const std::optional<CompareSection> &section) {
  if (!section) {
    return nullptr;
  }
  Json json;
  if (!section->file.empty()) {
    json["file"] = section->file;
  }
  const CompareRow *first = section->firstDifference();
  json["first_difference"] = first ? Json(first->tensor) : Json(nullptr);
  json["tensors"] = Json::array();
  for (const CompareRow &row : section->rows) {
    json["tensors"].push_back(toJson(row));
  }
  if (!section->file.empty()) {
    json["unmatched"] = section->unmatched;
  }
  return json;
}

std::string jsonOf(const CompareReport &report) {
  Json json = {{"format", "minic-compare"},
               {"version", 1},
               {"compiler", "minic " MINIC_VERSION},
               {"model", report.model},
               {"seed", report.seed},
               {"random_inputs", report.randomInputs},
               {"differs", report.differs()},
               {"against", toJson(report.against)},
               {"plan", toJson(report.plan)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace minic
