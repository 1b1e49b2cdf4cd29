// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of minic-tune. Each prints its result to stdout; an error is
// one line for stderr.

#ifndef MINIC_TOOLS_MINIC_TUNE_COMMANDS_H
#define MINIC_TOOLS_MINIC_TUNE_COMMANDS_H

#include "compiler/tune/database/TuningDb.h"

namespace minic::tune {

/// `asJson`: as docs/json.md documents it.
absl::Status listRecords(TuningDb &db, bool asJson);
/// `key`: the beginning of a problem's key, or part of its description.
absl::Status showRecords(TuningDb &db, const std::string &key, bool withText,
                         bool asJson);
/// Prints what each problem took as a file for minic --pin=FILE. `key`: as in
/// showRecords, empty for all.
absl::Status printPins(TuningDb &db, const std::string &key);
/// `path`: empty or "-" for stdout.
absl::Status exportRecords(TuningDb &db, const std::string &path);
/// Writes the records of one device as a file that ships with minic.
struct ShipOptions {
  /// Name of the device; empty for the only one that has records.
  std::string device;
  std::string driver; // as ShippedRecords::driver
  /// Also records that were undecided when time ended.
  bool provisional = false;
  /// A file, or a folder for one of the name that minic looks for; empty or "-"
  /// for stdout.
  std::string path;
};
absl::Status shipRecords(TuningDb &db, const ShipOptions &options);
/// `path`: "-" for stdin.
absl::Status importRecords(TuningDb &db, const std::string &path);
absl::Status pruneRecords(TuningDb &db, const PruneOptions &options);

} // namespace minic::tune

#endif // MINIC_TOOLS_MINIC_TUNE_COMMANDS_H
