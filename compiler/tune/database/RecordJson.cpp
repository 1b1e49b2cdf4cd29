// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes records field by field.

#include "compiler/tune/database/RecordJson.h"
#include "compiler/tune/database/FieldReader.h"

#include "absl/strings/str_cat.h"

using Json = nlohmann::ordered_json;

namespace minic::tune {

static Json toJson(const Versions &versions) {
  return {{"sources", versions.sources}, {"libraries", versions.libraries}};
}

/// In exports of versions before 5 sources have none.
static void readVersions(FieldReader &parent, const std::string &where,
                         int64_t version, Versions &versions) {
  if (const Json *json = parent.object("versions")) {
    FieldReader reader(*json, absl::StrCat(where, ", versions"));
    if (version >= 5) {
      reader.read("sources", versions.sources);
    }
    reader.read(version < 5 ? "onednn" : "libraries", versions.libraries);
    parent.status.Update(reader.status);
  }
}

static Json toJson(const ClockRange &clock) {
  return {{"low", clock.lowMHz}, {"high", clock.highMHz}};
}

/// Exports of versions before 3 have none.
static void readClock(FieldReader &parent, const std::string &where,
                      int64_t version, ClockRange &clock) {
  if (version < 3) {
    return;
  }
  if (const Json *json = parent.object("sm_clock_mhz")) {
    FieldReader reader(*json, absl::StrCat(where, ", sm_clock_mhz"));
    reader.read("low", clock.lowMHz);
    reader.read("high", clock.highMHz);
    parent.status.Update(reader.status);
  }
}

static Json toJson(const Noise &noise) {
  return {{"spread", noise.spread},
          {"others", noise.others},
          {"cores", noise.cores}};
}

/// Exports of versions before 4 have none.
static void readNoise(FieldReader &parent, const std::string &where,
                      int64_t version, Noise &noise, int64_t &searches) {
  if (version < 4) {
    return;
  }
  parent.readInteger("provisional_searches", searches);
  if (const Json *json = parent.object("noise")) {
    FieldReader reader(*json, absl::StrCat(where, ", noise"));
    reader.read("spread", noise.spread);
    reader.read("others", noise.others);
    reader.readInteger("cores", noise.cores);
    parent.status.Update(reader.status);
  }
}

Json toJson(const Row &row) {
  return {{"name", row.candidate.name},
          {"label", row.candidate.label},
          {"choice", row.candidate.choice},
          {"estimate_us", row.candidate.estimateUs},
          {"launches", row.candidate.launches},
          {"needs_library", row.candidate.needsLibrary},
          {"sources", row.candidate.sources},
          {"status", toString(row.status)},
          {"reason", row.reason},
          {"build_ms", row.buildMs},
          {"binary_hash", row.binaryHash},
          {"screen_us", row.screenUs},
          {"time_us", row.timeUs},
          {"time_error", row.timeError},
          {"ratio", row.ratio},
          {"ratio_low", row.ratioLow},
          {"ratio_high", row.ratioHigh},
          {"worst_error", row.worstError},
          {"max_absolute_error", row.maxAbsoluteError},
          {"scratch_bytes", row.scratchBytes},
          {"deterministic", row.deterministic},
          {"samples_us", row.samplesUs},
          {"found_from", row.foundFrom}};
}

static absl::StatusOr<Row> rowFromJson(const Json &json, int64_t version,
                                       const std::string &where) {
  Row row;
  FieldReader reader(json, where);
  reader.read("name", row.candidate.name);
  reader.read("label", row.candidate.label);
  reader.read("choice", row.candidate.choice);
  reader.read("estimate_us", row.candidate.estimateUs);
  reader.readInteger("launches", row.candidate.launches);
  reader.read("needs_library", row.candidate.needsLibrary);
  if (version >= 5) {
    reader.read("sources", row.candidate.sources);
  }
  reader.read("status", row.status, parseRowStatus);
  reader.read("reason", row.reason);
  reader.read("build_ms", row.buildMs);
  reader.read("binary_hash", row.binaryHash);
  reader.read("screen_us", row.screenUs);
  reader.read("time_us", row.timeUs);
  reader.read("time_error", row.timeError);
  reader.read("ratio", row.ratio);
  reader.read("ratio_low", row.ratioLow);
  reader.read("ratio_high", row.ratioHigh);
  reader.read("worst_error", row.worstError);
  reader.read("max_absolute_error", row.maxAbsoluteError);
  reader.readInteger("scratch_bytes", row.scratchBytes);
  reader.read("deterministic", row.deterministic);
  reader.read("samples_us", row.samplesUs);
  if (json.contains("found_from")) { // since databases have it
    reader.read("found_from", row.foundFrom);
  }
  if (!reader.status.ok()) {
    return reader.status;
  }
  return row;
}

Json toJson(const Record &record) {
  const ProblemSpec &problem = record.problem;
  Json rows = Json::array();
  for (const Row &row : record.rows) {
    rows.push_back(toJson(row));
  }
  return {{"problem", problem.key},
          {"description", problem.description},
          {"text", problem.text},
          {"flops", problem.flops},
          {"bytes", problem.bytes},
          {"device", problem.device},
          {"device_name", problem.deviceName},
          {"backends", problem.backends},
          {"versions", toJson(problem.versions)},
          {"state", toString(record.state)},
          {"candidates", record.candidates},
          {"coverage", record.coverage},
          {"build_seconds", record.buildSeconds},
          {"verify_seconds", record.verifySeconds},
          {"measure_seconds", record.measureSeconds},
          {"created", record.created},
          {"sm_clock_mhz", toJson(record.clock)},
          {"provisional_searches", record.provisionalSearches},
          {"noise", toJson(record.noise)},
          {"legal", record.legal},
          {"descended", record.descended},
          {"rows", std::move(rows)}};
}

absl::StatusOr<Record> recordFromJson(const Json &json, int64_t version) {
  Record record;
  ProblemSpec &problem = record.problem;
  FieldReader reader(json, "record");
  reader.read("problem", problem.key);
  reader.read("description", problem.description);
  reader.read("text", problem.text);
  reader.readInteger("flops", problem.flops);
  reader.readInteger("bytes", problem.bytes);
  reader.read("device", problem.device);
  reader.read("device_name", problem.deviceName);
  reader.read("backends", problem.backends);
  readVersions(reader, "record", version, problem.versions);
  reader.read("state", record.state, parseRecordState);
  reader.readInteger("candidates", record.candidates);
  reader.read("coverage", record.coverage);
  reader.read("build_seconds", record.buildSeconds);
  reader.read("verify_seconds", record.verifySeconds);
  reader.read("measure_seconds", record.measureSeconds);
  reader.read("created", record.created);
  readClock(reader, "record", version, record.clock);
  readNoise(reader, "record", version, record.noise,
            record.provisionalSearches);
  if (json.contains("legal")) { // since databases have it
    reader.readInteger("legal", record.legal);
  }
  if (json.contains("descended")) {
    reader.read("descended", record.descended);
  }
  const Json *rows = reader.array("rows");
  if (!reader.status.ok()) {
    return reader.status;
  }
  if (problem.key.empty() || problem.device.empty()) {
    return absl::InvalidArgumentError(
        "record: problem and device must not be empty");
  }
  for (const Json &item : *rows) {
    absl::StatusOr<Row> row = rowFromJson(
        item, version,
        absl::StrCat("record ", problem.key, ", row ", record.rows.size()));
    if (!row.ok()) {
      return row.status();
    }
    for (const Row &other : record.rows) {
      if (other.candidate.name == row->candidate.name) {
        return absl::InvalidArgumentError(
            absl::StrCat("record ", problem.key, ": two rows are named '",
                         row->candidate.name, "'"));
      }
    }
    record.rows.push_back(*std::move(row));
  }
  return record;
}

static Json toJson(const Comparison &figure) {
  return {{"tuned_us", figure.tunedUs},
          {"default_us", figure.defaultUs},
          {"ratio", figure.ratio},
          {"ratio_low", figure.ratioLow},
          {"ratio_high", figure.ratioHigh}};
}

static void readComparison(FieldReader &parent, const char *name,
                           Comparison &figure) {
  if (const Json *json = parent.object(name)) {
    FieldReader reader(*json, absl::StrCat("verdict, ", name));
    reader.read("tuned_us", figure.tunedUs);
    reader.read("default_us", figure.defaultUs);
    reader.read("ratio", figure.ratio);
    reader.read("ratio_low", figure.ratioLow);
    reader.read("ratio_high", figure.ratioHigh);
    parent.status.Update(reader.status);
  }
}

Json toJson(absl::Span<const Trial> trials) {
  Json list = Json::array();
  for (const Trial &trial : trials) {
    Json changes = Json::array();
    for (const Change &change : trial.changes) {
      changes.push_back(
          {{"problem", change.problem}, {"candidate", change.candidate}});
    }
    list.push_back({{"changes", std::move(changes)},
                    {"back_to_back", toJson(trial.backToBack)},
                    {"call", toJson(trial.call)},
                    {"taken", trial.isTaken},
                    {"refusal", trial.refusal}});
  }
  return list;
}

static absl::StatusOr<Trial> trialFromJson(const Json &json) {
  Trial trial;
  FieldReader reader(json, "trial");
  if (const Json *changes = reader.array("changes")) {
    for (const Json &item : *changes) {
      Change &change = trial.changes.emplace_back();
      FieldReader fields(item, "trial, change");
      fields.read("problem", change.problem);
      fields.read("candidate", change.candidate);
      reader.status.Update(fields.status);
    }
  }
  readComparison(reader, "back_to_back", trial.backToBack);
  readComparison(reader, "call", trial.call);
  reader.read("taken", trial.isTaken);
  reader.read("refusal", trial.refusal);
  if (!reader.status.ok()) {
    return reader.status;
  }
  return trial;
}

absl::StatusOr<std::vector<Trial>> trialsFromJson(const Json &json) {
  if (!json.is_array()) {
    return absl::InvalidArgumentError("verdict: trials must be an array");
  }
  std::vector<Trial> trials;
  for (const Json &item : json) {
    absl::StatusOr<Trial> trial = trialFromJson(item);
    if (!trial.ok()) {
      return trial.status();
    }
    trials.push_back(*std::move(trial));
  }
  return trials;
}

Json toJson(const Verdict &verdict) {
  return {{"plan", verdict.plan},
          {"device", verdict.device},
          {"description", verdict.description},
          {"versions", toJson(verdict.versions)},
          {"back_to_back", toJson(verdict.backToBack)},
          {"call", toJson(verdict.call)},
          {"tuned_ships", verdict.tunedShips},
          {"reason", verdict.reason},
          {"created", verdict.created},
          {"sm_clock_mhz", toJson(verdict.clock)},
          {"provisional", verdict.isProvisional},
          {"provisional_searches", verdict.provisionalSearches},
          {"noise", toJson(verdict.noise)},
          {"trials", toJson(absl::MakeConstSpan(verdict.trials))}};
}

absl::StatusOr<Verdict> verdictFromJson(const Json &json, int64_t version) {
  Verdict verdict;
  FieldReader reader(json, "verdict");
  reader.read("plan", verdict.plan);
  reader.read("device", verdict.device);
  reader.read("description", verdict.description);
  readVersions(reader, "verdict", version, verdict.versions);
  readComparison(reader, "back_to_back", verdict.backToBack);
  readComparison(reader, "call", verdict.call);
  reader.read("tuned_ships", verdict.tunedShips);
  reader.read("reason", verdict.reason);
  reader.read("created", verdict.created);
  readClock(reader, "verdict", version, verdict.clock);
  if (version >= 4) {
    reader.read("provisional", verdict.isProvisional);
  }
  readNoise(reader, "verdict", version, verdict.noise,
            verdict.provisionalSearches);
  const Json *trials = version >= 6 ? reader.array("trials") : nullptr;
  if (!reader.status.ok()) {
    return reader.status;
  }
  if (trials) {
    absl::StatusOr<std::vector<Trial>> read = trialsFromJson(*trials);
    if (!read.ok()) {
      return read.status();
    }
    verdict.trials = *std::move(read);
  }
  return verdict;
}

} // namespace minic::tune
