// SPDX-License-Identifier: Apache-2.0
//
// ShippedDb: the records that are installed with minic, or those of the file
// that --shipped-db names. Nothing is ever written to them.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_SHIPPEDDB_H
#define MINIC_COMPILER_TUNE_BRIDGE_SHIPPEDDB_H

#include "compiler/options/CompileOptions.h"
#include "compiler/tune/search/ShippedRows.h"
#include "dialects/kernel/AlgorithmSelector.h"

#include "mlir/IR/MLIRContext.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace minic::tune {

/// Where a choice of a shipped record comes from (SelectedChoice::origin).
inline constexpr const char *shippedOrigin = "shipped";

/// What shipped records say of a problem.
struct ShippedAnswer {
  /// Without `choice` where they do not know it.
  std::optional<kernel::SelectedChoice> choice;
  /// For people: why a record that is there was not used; empty where there is
  /// none.
  std::string refusal;
};

/// One per compilation. Reads a file when it is first asked about a device.
class ShippedDb {
public:
  /// `folder`: of the files that are installed, one for each name of a device.
  /// `options` and `context` outlive it. --shipped-db decides, else the
  /// environment variable MINIC_SHIPPED_DB, which has the same values.
  ShippedDb(const CompileOptions &options, std::string folder,
            mlir::MLIRContext &context);

  /// A file that was named and cannot be used is an error, which is said here,
  /// before there is anything else to do.
  mlir::LogicalResult checkNamed();

  /// The records of devices named `device`; null for none. An installed file
  /// that cannot be used is a warning, said once, and counts as none.
  const ShippedRecords *recordsOf(const std::string &device);

  /// The choice for `problem`, and why. An installed file with a choice that
  /// cannot be read is not used any more.
  ShippedAnswer find(const ProblemSpec &problem, const SelectionPolicy &policy);

private:
  std::string pathFor(const std::string &device) const;
  /// The file, if all its choices can be read.
  absl::StatusOr<ShippedRecords> readAll(const std::string &path) const;
  absl::Status badChoice(const std::string &path,
                         const ProblemSpec &problem) const;
  /// Says what is wrong with a file: an error if it was named.
  void report(const absl::Status &status);

  const CompileOptions &options;
  const std::string folder;
  mlir::MLIRContext &context;
  std::string named; // "off", a file, or empty for the installed ones
  /// By path; without a value where it cannot be used.
  std::map<std::string, std::optional<ShippedRecords>> files;
  /// Devices that the named file was said to have no records of.
  std::set<std::string> others;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_SHIPPEDDB_H
