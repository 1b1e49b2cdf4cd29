// SPDX-License-Identifier: Apache-2.0
//
// TuningDb as a whole: export, import and prune.

#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/database/RecordJson.h"
#include "compiler/tune/database/Sqlite.h"
#include "compiler/tune/database/TuningDb.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

namespace minic::tune {

using Json = nlohmann::ordered_json;

static constexpr const char *exportFormat = "minic-tuning";

absl::StatusOr<std::string> TuningDb::exportJson() {
  absl::StatusOr<std::vector<Record>> all = records();
  if (!all.ok()) {
    return all.status();
  }
  absl::StatusOr<std::vector<Verdict>> allVerdicts = verdicts();
  if (!allVerdicts.ok()) {
    return allVerdicts.status();
  }
  Json recordList = Json::array(), verdictList = Json::array();
  for (const Record &record : *all) {
    if (record.state != RecordState::Running) {
      recordList.push_back(toJson(record));
    }
  }
  for (const Verdict &verdict : *allVerdicts) {
    verdictList.push_back(toJson(verdict));
  }
  Json json = {{"format", exportFormat},
               {"version", exportVersion},
               {"records", std::move(recordList)},
               {"verdicts", std::move(verdictList)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Parses and validates everything before anything is written.
static absl::Status parseExport(const std::string &text,
                                std::vector<Record> &records,
                                std::vector<Verdict> &verdicts) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("format") ||
      json["format"] != exportFormat) {
    return absl::InvalidArgumentError(
        "is not a tuning export (expected JSON of 'minic-tune export')");
  }
  bool hasVersion =
      json.contains("version") && json["version"].is_number_unsigned();
  int64_t version = hasVersion ? json["version"].get<int64_t>() : 0;
  if (version < 1 || version > exportVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuning export: expected version 1 to ", exportVersion,
                     ", got ", hasVersion ? json["version"].dump() : "none"));
  }
  for (const char *name : {"records", "verdicts"}) {
    if (!json.contains(name) || !json[name].is_array()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tuning export: field '", name, "' must be an array"));
    }
  }
  for (const Json &item : json["records"]) {
    absl::StatusOr<Record> record = recordFromJson(item, version);
    if (!record.ok()) {
      return record.status();
    }
    records.push_back(*std::move(record));
  }
  // Those of version 1 knew back-to-back times only.
  if (version == 1) {
    return absl::OkStatus();
  }
  for (const Json &item : json["verdicts"]) {
    absl::StatusOr<Verdict> verdict = verdictFromJson(item, version);
    if (!verdict.ok()) {
      return verdict.status();
    }
    verdicts.push_back(*std::move(verdict));
  }
  return absl::OkStatus();
}

/// True where `incoming` should replace `existing`.
static bool wins(const Record &incoming, const Record &existing) {
  if (incoming.state != existing.state ||
      incoming.state == RecordState::Provisional) {
    return isBetter(incoming, existing);
  }
  return incoming.created > existing.created;
}

static bool wins(const Verdict &incoming, const Verdict &existing) {
  if (incoming.isProvisional != existing.isProvisional) {
    return existing.isProvisional;
  }
  return incoming.isProvisional ? isLessNoisy(incoming.noise, existing.noise)
                                : incoming.created > existing.created;
}

absl::StatusOr<ImportCounts> TuningDb::importJson(const std::string &text) {
  std::vector<Record> incoming;
  std::vector<Verdict> incomingVerdicts;
  if (absl::Status status = parseExport(text, incoming, incomingVerdicts);
      !status.ok()) {
    return status;
  }
  ImportCounts counts;
  // One transaction, so that a kill or an error imports nothing.
  Transaction transaction(*db);
  if (absl::Status status = transaction.begin(); !status.ok()) {
    return status;
  }
  for (const Record &record : incoming) {
    if (record.state == RecordState::Running) {
      continue;
    }
    absl::StatusOr<Lookup> lookup = find(record.problem);
    if (!lookup.ok()) {
      return lookup.status();
    }
    bool exists = lookup->freshness == Freshness::Fresh ||
                  lookup->freshness == Freshness::Unfinished;
    if (exists && !wins(record, lookup->record)) {
      ++counts.kept;
      continue;
    }
    absl::StatusOr<int64_t> id =
        openRecord(record.problem, record.candidates, /*restart=*/true);
    if (!id.ok()) {
      return id.status();
    }
    if (absl::Status status = closeRecord(*id, record); !status.ok()) {
      return status;
    }
    ++(exists ? counts.replaced : counts.added);
  }
  for (const Verdict &verdict : incomingVerdicts) {
    absl::StatusOr<std::optional<Verdict>> existing =
        findVerdict(verdict.plan, verdict.device, verdict.versions);
    if (!existing.ok()) {
      return existing.status();
    }
    if (*existing && !wins(verdict, **existing)) {
      continue;
    }
    if (absl::Status status = putVerdict(verdict); !status.ok()) {
      return status;
    }
    ++counts.verdicts;
  }
  if (absl::Status status = transaction.commit(); !status.ok()) {
    return status;
  }
  return counts;
}

absl::StatusOr<int64_t> TuningDb::prune(const PruneOptions &options) {
  Transaction transaction(*db);
  if (absl::Status status = transaction.begin(); !status.ok()) {
    return status;
  }
  int64_t removed = 0;
  auto erase = [&](const std::string &condition) {
    absl::Status status = db->execute(
        absl::StrCat("DELETE FROM record WHERE ", condition).c_str());
    removed += status.ok() ? db->changes() : 0;
    return status;
  };
  absl::Status status;
  if (options.all) {
    status.Update(erase("1"));
    status.Update(db->execute("DELETE FROM verdict; DELETE FROM binary"));
  }
  if (options.unfinished) {
    status.Update(erase("state = 'running'"));
  }
  if (options.superseded) {
    status.Update(erase(
        "EXISTS(SELECT 1 FROM record AS later WHERE later.problem = "
        "record.problem AND later.device = record.device AND later.backends = "
        "record.backends AND later.state != 'running' AND (later.created, "
        "later.id) > (record.created, record.id))"));
  }
  if (options.olderThanDays >= 0) {
    std::string before =
        absl::StrCat("created < strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-",
                     options.olderThanDays, " days')");
    status.Update(erase(before));
    for (const char *table : {"verdict", "binary"}) {
      status.Update(db->execute(
          absl::StrCat("DELETE FROM ", table, " WHERE ", before).c_str()));
    }
  }
  if (!status.ok()) {
    return status;
  }
  if (status = transaction.commit(); !status.ok()) {
    return status;
  }
  return removed;
}

} // namespace minic::tune
