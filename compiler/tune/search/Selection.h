// SPDX-License-Identifier: Apache-2.0
//
// Selection: picks the winner from the rows of a record. A pure function, so
// that a pick can be replayed from the database.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SELECTION_H
#define MINIC_COMPILER_TUNE_SEARCH_SELECTION_H

#include "compiler/tune/database/Record.h"

#include "absl/types/span.h"

namespace minic::tune {

struct SelectionPolicy {
  /// Rows whose interval reaches the fastest and whose time is within this
  /// part of it are tied.
  double tieMargin = 0.02;
  /// Rows this close are tied whatever the interval: so small a difference
  /// should not decide.
  double negligible = 0.003;
  /// Only rows whose two runs agreed bit for bit.
  bool deterministic = false;
  /// Whether the assembler here lets warps take over registers of others. Rows
  /// of kernels that do are not for a machine where they would spill.
  bool movesRegisters = true;
};

struct Selection {
  /// Index of the winner; -1 where no row is eligible.
  int row = -1;
  /// One line for people: by how much it won, or why nothing did.
  std::string reason;
  /// Index of the fastest other finalist, -1 where there is none, and its time
  /// over the winner's (below 1 where the tie rule decided).
  int runnerUp = -1;
  double runnerUpRatio = 0;
};

/// Whether `row` may be chosen at all: it was verified, and `policy` allows it.
bool isEligible(const Row &row, const SelectionPolicy &policy);

/// Among eligible rows: finalists by paired time, then (a search cut short)
/// screened ones, then the best estimate. Ties go to fewer launches, then less
/// scratch, then no library, then the name.
Selection select(absl::Span<const Row> rows,
                 const SelectionPolicy &policy = {});

/// If the winner calls a library: the fastest timed row that calls none and
/// takes at most `limit` times as long. Otherwise -1.
int selectGenerated(absl::Span<const Row> rows, const Selection &winner,
                    double limit, const SelectionPolicy &policy = {});

/// If nothing can be selected: whether that is minic's fault, because a
/// generated candidate fails, and not a library's, a user's or the machine's.
bool isMinicsFault(absl::Span<const Row> rows);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SELECTION_H
