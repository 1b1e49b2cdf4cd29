// SPDX-License-Identifier: Apache-2.0
//
// ShippedRows: which records and rows of a tuning database ship with minic, and
// which of those that ship answers for a problem.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SHIPPEDROWS_H
#define MINIC_COMPILER_TUNE_SEARCH_SHIPPEDROWS_H

#include "compiler/tune/database/ShippedRecords.h"
#include "compiler/tune/search/Selection.h"

#include "absl/types/span.h"

namespace minic::tune {

/// Of the records of devices named `device`: the newest of each problem that
/// was searched to its end, and decided unless `takesProvisional`. Its rows are
/// the winners under each policy that an option or a machine may ask for, that
/// of the default policy first. What kernels of users and plug-ins won does not
/// ship.
std::vector<Record> selectToShip(absl::Span<const Record> records,
                                 const std::string &device,
                                 bool takesProvisional = false);

struct ShippedRow {
  /// Null where nothing was measured of the problem on a device of this kind.
  const Record *record = nullptr;
  /// Null where no row is allowed, or the one that would be taken is of other
  /// versions.
  const Row *row = nullptr;
};

/// The first row that `policy` allows, of the record of `problem` on a device
/// of its name and kind (deviceKind). Of several records that of the same key,
/// then the newest.
ShippedRow findShipped(const ShippedRecords &shipped,
                       const ProblemSpec &problem,
                       const SelectionPolicy &policy);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SHIPPEDROWS_H
