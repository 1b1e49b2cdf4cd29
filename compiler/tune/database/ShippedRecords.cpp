// SPDX-License-Identifier: Apache-2.0
//
// One JSON object: records in groups that share device, backends and versions.

#include "compiler/tune/database/ShippedRecords.h"
#include "compiler/tune/database/FieldReader.h"
#include "compiler/tune/database/Provisional.h"

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

namespace minic::tune {

using Json = nlohmann::ordered_json;

static constexpr const char *formatName = "minic-shipped-records";
static constexpr int64_t formatVersion = 1;

std::string describeShipped(const ShippedRecords &shipped,
                            const Record &record) {
  std::string text = absl::StrCat("measured on ", shipped.device);
  if (!shipped.driver.empty()) {
    absl::StrAppend(&text, ", driver ", shipped.driver);
  }
  absl::StrAppend(&text, ", ", record.created.substr(0, 10));
  if (record.state == RecordState::Provisional) {
    absl::StrAppend(&text, " (", describeProvisional(record.noise), ")");
  }
  return text;
}

std::string shippedFileName(const std::string &device) {
  std::string name;
  for (unsigned char c : device) {
    if (std::isalnum(c)) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') {
    name.pop_back();
  }
  return name + ".json";
}

std::string deviceKind(const std::string &tuningKey) {
  std::vector<std::string> words = absl::StrSplit(tuningKey, ' '), kind;
  if (absl::StartsWith(tuningKey, "cuda cc ")) {
    for (size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] == "cc" || words[i] == "sms" || words[i] == "mig") {
        kind.push_back(absl::StrCat(words[i], " ", words[i + 1]));
      }
    }
    return absl::StrJoin(kind, " ");
  }
  if (words.size() < 3 || (words[0] != "amd" && words[0] != "x86")) {
    return "";
  }
  // The second word is family, model and stepping, which the name tells.
  for (size_t i = 2; i < words.size(); ++i) {
    if (!absl::StartsWith(words[i], "l1=") &&
        !absl::StartsWith(words[i], "l2=") &&
        !absl::StartsWith(words[i], "l3=")) {
      kind.push_back(words[i]);
    }
  }
  return absl::StrJoin(kind, " ");
}

/// Digits that say nothing take space, and make lines differ.
static double rounded(double value, int digits) {
  return std::strtod(absl::StrFormat("%.*g", digits, value).c_str(), nullptr);
}

static Json toJson(const Row &row) {
  return {{"name", row.candidate.name},
          {"choice", row.candidate.choice},
          {"sources", row.candidate.sources},
          {"needs_library", row.candidate.needsLibrary},
          {"time_us", rounded(row.bestKnownUs(), 4)},
          {"worst_error", rounded(row.worstError, 3)},
          {"max_absolute_error", rounded(row.maxAbsoluteError, 3)},
          {"deterministic", row.deterministic}};
}

static Json toJson(const Record &record) {
  Json rows = Json::array();
  for (const Row &row : record.rows) {
    rows.push_back(toJson(row));
  }
  return {{"problem", record.problem.key},
          {"description", record.problem.description},
          {"created", record.created},
          {"state", toString(record.state)},
          {"rows", std::move(rows)}};
}

static std::string print(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What the records of a group share.
static auto groupOf(const Record &record) {
  const ProblemSpec &problem = record.problem;
  return std::tie(problem.device, problem.backends, problem.versions.libraries,
                  problem.versions.sources);
}

std::string formatShipped(const ShippedRecords &shipped) {
  std::vector<const Record *> sorted;
  for (const Record &record : shipped.records) {
    sorted.push_back(&record);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Record *a, const Record *b) {
    return std::tuple_cat(groupOf(*a), std::tie(a->problem.key)) <
           std::tuple_cat(groupOf(*b), std::tie(b->problem.key));
  });
  std::string text = absl::StrCat(
      "{\"format\": \"", formatName, "\", \"version\": ", formatVersion,
      ",\n \"device\": ", print(shipped.device),
      ", \"driver\": ", print(shipped.driver), ",\n \"groups\": [");
  const Record *previous = nullptr;
  for (const Record *record : sorted) {
    const ProblemSpec &problem = record->problem;
    bool isFirst = !previous || groupOf(*previous) != groupOf(*record);
    if (isFirst) {
      absl::StrAppend(
          &text, previous ? "]},\n" : "\n",
          "  {\"key\": ", print(problem.device),
          ",\n   \"backends\": ", print(problem.backends),
          ",\n   \"sources\": ", print(problem.versions.sources),
          ",\n   \"libraries\": ", print(problem.versions.libraries),
          ",\n   \"records\": [\n");
    }
    absl::StrAppend(&text, isFirst ? "" : ",\n", "    ",
                    print(toJson(*record)));
    previous = record;
  }
  return absl::StrCat(text, previous ? "]}" : "", "]}\n");
}

static absl::StatusOr<Row> rowFromJson(const Json &json,
                                       const std::string &where) {
  Row row;
  row.status = RowStatus::Verified;
  FieldReader reader(json, where);
  reader.read("name", row.candidate.name);
  reader.read("choice", row.candidate.choice);
  reader.read("sources", row.candidate.sources);
  reader.read("needs_library", row.candidate.needsLibrary);
  reader.read("time_us", row.timeUs);
  reader.read("worst_error", row.worstError);
  reader.read("max_absolute_error", row.maxAbsoluteError);
  reader.read("deterministic", row.deterministic);
  if (!reader.status.ok()) {
    return reader.status;
  }
  return row;
}

/// `record` has what its group shares.
static absl::StatusOr<Record> recordFromJson(const Json &json, Record record) {
  FieldReader reader(json, "record");
  reader.read("problem", record.problem.key);
  reader.read("description", record.problem.description);
  reader.read("created", record.created);
  reader.read("state", record.state, parseRecordState);
  const Json *rows = reader.array("rows");
  if (!reader.status.ok()) {
    return reader.status;
  }
  std::string where = absl::StrCat("record ", record.problem.key);
  if (record.state == RecordState::Running || rows->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": expected a finished one with rows"));
  }
  for (const Json &item : *rows) {
    absl::StatusOr<Row> row =
        rowFromJson(item, absl::StrCat(where, ", row ", record.rows.size()));
    if (!row.ok()) {
      return row.status();
    }
    record.rows.push_back(*std::move(row));
  }
  return record;
}

static absl::Status readGroup(const Json &json, ShippedRecords &shipped) {
  Record common;
  common.problem.deviceName = shipped.device;
  FieldReader reader(json, "group");
  reader.read("key", common.problem.device);
  reader.read("backends", common.problem.backends);
  reader.read("sources", common.problem.versions.sources);
  reader.read("libraries", common.problem.versions.libraries);
  const Json *records = reader.array("records");
  if (!reader.status.ok()) {
    return reader.status;
  }
  for (const Json &item : *records) {
    absl::StatusOr<Record> record = recordFromJson(item, common);
    if (!record.ok()) {
      return record.status();
    }
    shipped.records.push_back(*std::move(record));
  }
  return absl::OkStatus();
}

absl::StatusOr<ShippedRecords> parseShipped(const std::string &text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", Json()) != formatName) {
    return absl::InvalidArgumentError(
        "is damaged, or no file of 'minic-tune ship'");
  }
  Json version = json.value("version", Json());
  if (version != formatVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has version ", version.is_null() ? "none" : print(version),
        ", this minic reads version ", formatVersion));
  }
  ShippedRecords shipped;
  FieldReader reader(json, "is damaged");
  reader.read("device", shipped.device);
  reader.read("driver", shipped.driver);
  const Json *groups = reader.array("groups");
  if (!reader.status.ok()) {
    return reader.status;
  }
  for (const Json &group : *groups) {
    if (absl::Status status = readGroup(group, shipped); !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is damaged: ", status.message()));
    }
  }
  return shipped;
}

absl::StatusOr<ShippedRecords> readShipped(const std::string &path) {
  std::error_code error;
  std::string name = absl::StrCat("shipped database '", path, "': ");
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(name, "there is no such file"));
  }
  // A device or a pipe may have no end.
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::PermissionDeniedError(
        absl::StrCat(name, "is not a regular file"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::PermissionDeniedError(absl::StrCat(name, "cannot be read"));
  }
  std::string text((std::istreambuf_iterator<char>(file)), {});
  absl::StatusOr<ShippedRecords> shipped = parseShipped(text);
  return shipped.ok()
             ? shipped
             : absl::Status(shipped.status().code(),
                            absl::StrCat(name, shipped.status().message()));
}

} // namespace minic::tune
