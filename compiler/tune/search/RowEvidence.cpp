// SPDX-License-Identifier: Apache-2.0
//
// Rows by choice, compared by what both have been timed in.

#include "compiler/tune/search/RowEvidence.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>

namespace minic::tune {

const Row *findRow(absl::Span<const Row> rows, const std::string &choice) {
  auto found = std::find_if(rows.begin(), rows.end(), [&](const Row &row) {
    return row.candidate.choice == choice;
  });
  if (found == rows.end()) {
    return nullptr;
  }
  if (found->status != RowStatus::Duplicate) {
    return &*found;
  }
  auto measured = std::find_if(rows.begin(), rows.end(), [&](const Row &row) {
    return row.status != RowStatus::Duplicate &&
           row.binaryHash == found->binaryHash;
  });
  return measured == rows.end() ? &*found : &*measured;
}

std::string describeBeside(const Row &row, const Row &winner) {
  if (row.status != RowStatus::Verified) {
    return absl::StrCat("in the record: ", toString(row.status),
                        row.reason.empty() ? "" : ", ", row.reason);
  }
  bool areFinalists = row.isFinalist() && winner.isFinalist();
  // A time of the screen and one of the final cannot be compared so finely.
  double first = areFinalists ? row.ratio : row.screenUs;
  double second = areFinalists ? winner.ratio : winner.screenUs;
  if (first <= 0 || second <= 0) {
    return "verified, not timed";
  }
  double ratio = first / second;
  return absl::StrFormat("alone %.1f%% %s than %s%s", 100 * std::abs(ratio - 1),
                         ratio < 1 ? "faster" : "slower", winner.candidate.name,
                         areFinalists ? "" : " by the screen");
}

} // namespace minic::tune
