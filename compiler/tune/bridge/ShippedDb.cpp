// SPDX-License-Identifier: Apache-2.0
//
// Reads once, looks up often.

#include "compiler/tune/bridge/ShippedDb.h"

#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/search/SourceVersions.h"

#include "absl/strings/str_cat.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <cstdlib>

using namespace mlir;

namespace minic::tune {

static std::string whichFile(const CompileOptions &options) {
  const char *environment = std::getenv("MINIC_SHIPPED_DB");
  return options.shippedDb.empty() && environment ? environment
                                                  : options.shippedDb;
}

ShippedDb::ShippedDb(const CompileOptions &options, std::string folder,
                     MLIRContext &context)
    : options(options), folder(std::move(folder)), context(context),
      named(whichFile(options)) {}

std::string ShippedDb::pathFor(const std::string &device) const {
  return named.empty() ? absl::StrCat(folder, "/", shippedFileName(device))
                       : named;
}

void ShippedDb::report(const absl::Status &status) {
  std::string message(status.message());
  if (named.empty()) {
    emitWarning(UnknownLoc::get(&context)) << message << "; it is not used";
  } else {
    emitError(UnknownLoc::get(&context)) << message;
  }
}

absl::Status ShippedDb::badChoice(const std::string &path,
                                  const ProblemSpec &problem) const {
  return absl::DataLossError(
      absl::StrCat("shipped database '", path, "': the record of ",
                   problem.description, " has a choice that cannot be read"));
}

absl::StatusOr<ShippedRecords>
ShippedDb::readAll(const std::string &path) const {
  absl::StatusOr<ShippedRecords> read = readShipped(path);
  if (!read.ok()) {
    return read;
  }
  for (const Record &record : read->records) {
    for (const Row &row : record.rows) {
      if (!parseChoice(row.candidate, &context)) {
        return badChoice(path, record.problem);
      }
    }
  }
  return read;
}

LogicalResult ShippedDb::checkNamed() {
  if (named.empty() || named == "off") {
    return success();
  }
  absl::StatusOr<ShippedRecords> read = readAll(named);
  if (!read.ok()) {
    report(read.status());
    return failure();
  }
  files[named] = *std::move(read);
  return success();
}

const ShippedRecords *ShippedDb::recordsOf(const std::string &device) {
  if (named == "off") {
    return nullptr;
  }
  auto [file, isNew] = files.try_emplace(pathFor(device));
  std::optional<ShippedRecords> &records = file->second;
  if (isNew) {
    absl::StatusOr<ShippedRecords> read = readShipped(file->first);
    if (read.ok()) {
      records = *std::move(read);
    } else if (!absl::IsNotFound(read.status())) {
      report(read.status());
    }
  }
  if (!records || records->device == device) {
    return records ? &*records : nullptr;
  }
  if (others.insert(device).second) {
    options.log.line(LogTopic::Autotuning,
                     absl::StrCat("shipped database '", file->first,
                                  "' has records of ", records->device,
                                  ", none of ", device));
  }
  return nullptr;
}

ShippedAnswer ShippedDb::find(const ProblemSpec &problem,
                              const SelectionPolicy &policy) {
  ShippedAnswer answer;
  const ShippedRecords *shipped = recordsOf(problem.deviceName);
  if (!shipped) {
    return answer;
  }
  ShippedRow found = findShipped(*shipped, problem, policy);
  if (!found.record) {
    return answer;
  }
  if (!found.row) {
    std::string changes =
        describeChanges(found.record->problem.versions, problem.versions);
    answer.refusal = absl::StrCat(
        "its shipped record was not used: ",
        changes.empty() ? "it has no choice that the options allow" : changes);
    return answer;
  }
  Selection selection;
  selection.row = static_cast<int>(found.row - found.record->rows.data());
  absl::StatusOr<kernel::SelectedChoice> choice = recordedChoice(
      *found.record, selection, shippedOrigin, options, &context);
  if (!choice.ok()) {
    std::string path = pathFor(problem.deviceName);
    report(badChoice(path, problem));
    files[path].reset();
    return answer;
  }
  choice->reason = absl::StrCat(describeShipped(*shipped, *found.record), ": ",
                                found.row->candidate.name);
  answer.choice = *std::move(choice);
  return answer;
}

} // namespace minic::tune
