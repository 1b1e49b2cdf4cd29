// SPDX-License-Identifier: Apache-2.0
//
// Each command prints to stdout; what goes wrong is in its status.

#include "tools/minic-tune/Commands.h"

#include "compiler/tune/database/PinFile.h"
#include "compiler/tune/database/Provisional.h"
#include "compiler/tune/model/TuneReport.h"
#include "compiler/tune/search/AutotuneTable.h"
#include "compiler/tune/search/ShippedRows.h"
#include "tools/minic-tune/CommandsJson.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

namespace minic::tune {

static TunedProblem select(const Record &record) {
  TunedProblem problem;
  problem.record = record;
  problem.selection = select(absl::MakeConstSpan(record.rows));
  return problem;
}

static void printVerdicts(const std::vector<Verdict> &verdicts) {
  for (const Verdict &verdict : verdicts) {
    std::printf("model %s: %s\n", verdict.description.c_str(),
                describe(verdict).c_str());
  }
}

absl::Status listRecords(TuningDb &db, bool asJson) {
  absl::StatusOr<std::vector<Record>> records = db.records();
  if (!records.ok()) {
    return records.status();
  }
  absl::StatusOr<std::vector<Verdict>> verdicts = db.verdicts();
  if (!verdicts.ok()) {
    return verdicts.status();
  }
  if (asJson) {
    std::fputs(listJson(*records, *verdicts).c_str(), stdout);
    return absl::OkStatus();
  }
  for (const Record &record : *records) {
    TunedProblem problem = select(record);
    const Row *best = problem.selection.row < 0
                          ? nullptr
                          : &record.rows[problem.selection.row];
    std::printf("%.12s  %-11s  %s  %s", record.problem.key.c_str(),
                toString(record.state), record.created.c_str(),
                record.problem.description.c_str());
    if (best && best->bestKnownUs() > 0) {
      std::printf("  %s  %s", formatTime(best->bestKnownUs()).c_str(),
                  best->candidate.name.c_str());
    }
    if (record.state == RecordState::Provisional && record.noise.isKnown()) {
      std::printf("  (%s)", describe(record.noise).c_str());
    }
    std::printf("\n");
  }
  absl::StatusOr<int64_t> binaries = db.binaries();
  if (!binaries.ok()) {
    return binaries.status();
  }
  printVerdicts(*verdicts);
  std::printf("%zu problems, %zu whole-model verdicts, kernels of %lld models "
              "assembled\n",
              records->size(), verdicts->size(),
              static_cast<long long>(*binaries));
  return absl::OkStatus();
}

/// Whether people mean `problem` by `key`.
static bool isMeant(const ProblemSpec &problem, const std::string &key) {
  return problem.key.rfind(key, 0) == 0 ||
         problem.description.find(key) != std::string::npos;
}

static absl::Status notFound(const std::string &key) {
  return absl::NotFoundError(
      absl::StrCat("no problem whose key starts with, or whose description "
                   "contains, '",
                   key, "'; see minic-tune list"));
}

absl::Status showRecords(TuningDb &db, const std::string &key, bool withText,
                         bool asJson) {
  absl::StatusOr<std::vector<Record>> records = db.records();
  if (!records.ok()) {
    return records.status();
  }
  std::erase_if(*records, [&](const Record &record) {
    return !isMeant(record.problem, key);
  });
  if (records->empty()) {
    return notFound(key);
  }
  if (asJson) {
    std::fputs(showJson(*records).c_str(), stdout);
    return absl::OkStatus();
  }
  int shown = 0;
  for (const Record &record : *records) {
    const ProblemSpec &problem = record.problem;
    std::printf("%sproblem %s  device %s\n", shown++ ? "\n" : "",
                problem.key.c_str(), problem.device.c_str());
    std::printf("%s, %s; %s; searched %s\n",
                record.state == RecordState::Provisional
                    ? describeProvisional(record.noise).c_str()
                    : toString(record.state),
                record.created.c_str(), describe(problem.versions).c_str(),
                problem.backends.c_str());
    std::fputs(formatTable(select(record), 1000).c_str(), stdout);
    if (withText) {
      std::printf("%s\n", problem.text.c_str());
    }
  }
  return absl::OkStatus();
}

absl::Status printPins(TuningDb &db, const std::string &key) {
  absl::StatusOr<std::vector<Record>> records = db.records();
  if (!records.ok()) {
    return records.status();
  }
  // The newest of a problem counts.
  std::map<std::string, const Record *> newest;
  for (const Record &record : *records) {
    if (isMeant(record.problem, key) && select(record).selection.row >= 0) {
      const Record *&known = newest[record.problem.key];
      known = known && known->created > record.created ? known : &record;
    }
  }
  std::vector<Pin> pins;
  for (const auto &[problem, record] : newest) {
    int row = select(*record).selection.row;
    pins.push_back({problem, record->problem.description,
                    record->rows[row].candidate.name});
  }
  if (pins.empty()) {
    return notFound(key);
  }
  std::fputs(formatPins(pins).c_str(), stdout);
  return absl::OkStatus();
}

/// `path`: empty or "-" for stdout.
static absl::Status writeText(const std::string &path,
                              const std::string &text) {
  if (path.empty() || path == "-") {
    std::cout << text << std::flush;
    return std::cout ? absl::OkStatus()
                     : absl::DataLossError("cannot write to stdout");
  }
  return writeReport(path, text);
}

absl::Status exportRecords(TuningDb &db, const std::string &path) {
  absl::StatusOr<std::string> text = db.exportJson();
  return text.ok() ? writeText(path, *text) : text.status();
}

/// The only name of a device in `records`.
static absl::StatusOr<std::string>
onlyDevice(const std::vector<Record> &records) {
  std::set<std::string> names;
  for (const Record &record : records) {
    names.insert(record.problem.deviceName);
  }
  if (names.size() == 1) {
    return *names.begin();
  }
  return absl::InvalidArgumentError(
      names.empty() ? std::string("there are no records to ship")
                    : absl::StrCat("there are records of ",
                                   absl::StrJoin(names, " and of "),
                                   ": --device says which ones to ship"));
}

absl::Status shipRecords(TuningDb &db, const ShipOptions &options) {
  absl::StatusOr<std::vector<Record>> records = db.records();
  if (!records.ok()) {
    return records.status();
  }
  ShippedRecords shipped{options.device, options.driver, {}};
  if (shipped.device.empty()) {
    absl::StatusOr<std::string> device = onlyDevice(*records);
    if (!device.ok()) {
      return device.status();
    }
    shipped.device = *std::move(device);
  }
  shipped.records = selectToShip(*records, shipped.device, options.provisional);
  if (shipped.records.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no record of '", shipped.device, "' can ship",
        options.provisional ? ""
                            : "; --provisional takes undecided ones, too"));
  }
  std::error_code ignored;
  bool isFolder = std::filesystem::is_directory(options.path, ignored);
  std::string path = isFolder ? (std::filesystem::path(options.path) /
                                 shippedFileName(shipped.device))
                                    .string()
                              : options.path;
  if (absl::Status status = writeText(path, formatShipped(shipped));
      !status.ok()) {
    return status;
  }
  if (!path.empty() && path != "-") {
    std::printf("%s: %zu problems on %s\n", path.c_str(),
                shipped.records.size(), shipped.device.c_str());
  }
  return absl::OkStatus();
}

absl::Status importRecords(TuningDb &db, const std::string &path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
    }
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  absl::StatusOr<ImportCounts> counts = db.importJson(text);
  if (!counts.ok()) {
    return absl::Status(
        counts.status().code(),
        absl::StrCat("'", path, "': ", counts.status().message()));
  }
  std::printf("%lld added, %lld replaced, %lld kept; %lld verdicts\n",
              static_cast<long long>(counts->added),
              static_cast<long long>(counts->replaced),
              static_cast<long long>(counts->kept),
              static_cast<long long>(counts->verdicts));
  return absl::OkStatus();
}

absl::Status pruneRecords(TuningDb &db, const PruneOptions &options) {
  absl::StatusOr<int64_t> removed = db.prune(options);
  if (!removed.ok()) {
    return removed.status();
  }
  std::printf("%lld records removed\n", static_cast<long long>(*removed));
  return absl::OkStatus();
}

} // namespace minic::tune
