// SPDX-License-Identifier: Apache-2.0
//
// ShippedRecords: what was measured on devices of one name, as a small file
// that is installed with minic. It has what choosing needs and no evidence: the
// rows that may be chosen, without those that lost and without samples.

#ifndef MINIC_COMPILER_TUNE_DATABASE_SHIPPEDRECORDS_H
#define MINIC_COMPILER_TUNE_DATABASE_SHIPPEDRECORDS_H

#include "compiler/tune/database/Record.h"

#include "absl/status/statusor.h"

namespace minic::tune {

struct ShippedRecords {
  std::string device; // ProblemSpec::deviceName of all records
  std::string driver; // "580.159.04"; empty for a CPU, or if not known
  /// Finished ones. Each has at least one row; rows are verified, the one that
  /// is preferred first. Neither records nor rows have what is not written: the
  /// text of the problem, other figures than bestKnownUs() and the errors.
  std::vector<Record> records;
};

/// "measured on NVIDIA H200, driver 580.159.04, 2026-11-26", and what makes the
/// figures doubtful, if anything.
std::string describeShipped(const ShippedRecords &shipped,
                            const Record &record);

/// The name of the file that has records of devices of this name:
/// "nvidia-h200.json".
std::string shippedFileName(const std::string &device);

/// What devices of one name must share besides, of a tuning key: compute
/// capability, SMs and MIG of a GPU; ISA and threads of a CPU. Clocks, caches
/// and steppings may differ. Empty for a key of no such form, which fits none.
std::string deviceKind(const std::string &tuningKey);

/// JSON, the same text for the same records, a line for each.
std::string formatShipped(const ShippedRecords &shipped);

/// InvalidArgument says what is wrong: no such file, another version, a field
/// that is missing or cannot be.
absl::StatusOr<ShippedRecords> parseShipped(const std::string &text);

/// The same of a file; errors name it. NotFound: there is none.
absl::StatusOr<ShippedRecords> readShipped(const std::string &path);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_SHIPPEDRECORDS_H
