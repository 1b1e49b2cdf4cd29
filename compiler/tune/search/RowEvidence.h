// SPDX-License-Identifier: Apache-2.0
//
// RowEvidence: what a record has measured of a choice that is not its winner.
// The plan by estimates has such choices, and it may ship nevertheless.

#ifndef MINIC_COMPILER_TUNE_SEARCH_ROWEVIDENCE_H
#define MINIC_COMPILER_TUNE_SEARCH_ROWEVIDENCE_H

#include "compiler/tune/search/Selection.h"

namespace minic::tune {

/// The row whose choice has this text. If only another row with the same binary
/// was measured, that one. Null if there is none.
const Row *findRow(absl::Span<const Row> rows, const std::string &choice);

/// "alone 6.0% slower than NAME", or why `row` has no time. `winner` is of the
/// same record.
std::string describeBeside(const Row &row, const Row &winner);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_ROWEVIDENCE_H
