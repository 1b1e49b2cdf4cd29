// SPDX-License-Identifier: Apache-2.0
//
// Requests and replies to and from JSON.

#include "compiler/tune/process/BuildProtocol.h"

#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace minic::tune {

/// A choice or an error text may hold bytes that are not UTF-8.
static std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string encode(const BuildJob &job) {
  return dump({{"problem", job.problemPath},
               {"choice", job.choice},
               {"output", job.outputPath}});
}

std::string encode(const BuildOutcome &outcome) {
  return dump({{"ok", outcome.ok},
               {"build_ms", outcome.buildMs},
               {"hash", outcome.binaryHash},
               {"error", outcome.error},
               {"spill_bytes", outcome.spillBytes}});
}

static bool hasString(const Json &json, const char *name) {
  return json.is_object() && json.contains(name) && json[name].is_string();
}

absl::StatusOr<BuildJob> decodeJob(const std::string &line) {
  Json json = Json::parse(line, nullptr, false);
  if (!hasString(json, "problem") || !hasString(json, "choice") ||
      !hasString(json, "output")) {
    return absl::InvalidArgumentError(
        "not a build request: expected problem, choice and output");
  }
  return BuildJob{json["problem"], json["choice"], json["output"]};
}

absl::StatusOr<BuildOutcome> decodeOutcome(const std::string &line) {
  Json json = Json::parse(line, nullptr, false);
  if (!hasString(json, "hash") || !hasString(json, "error") ||
      !json.contains("ok") || !json["ok"].is_boolean() ||
      !json.contains("build_ms") || !json["build_ms"].is_number() ||
      !json.contains("spill_bytes") ||
      !json["spill_bytes"].is_number_integer()) {
    return absl::InvalidArgumentError("not a build reply: expected ok, "
                                      "build_ms, hash, error and spill_bytes");
  }
  return BuildOutcome{json["ok"], json["build_ms"], json["hash"], json["error"],
                      json["spill_bytes"]};
}

} // namespace minic::tune
