// SPDX-License-Identifier: Apache-2.0
//
// ConfirmSearch: asks before a search of very many candidates.

#ifndef MINIC_COMPILER_TUNE_SEARCH_CONFIRMSEARCH_H
#define MINIC_COMPILER_TUNE_SEARCH_CONFIRMSEARCH_H

#include "absl/status/status.h"

#include <cstdint>
#include <istream>
#include <string>

namespace minic::tune {

struct SearchSize {
  int64_t candidates = 0; // to build and measure
  int problems = 0;
  int builders = 1; // that work side by side
  bool onGpu = false;

  /// About; for people.
  double seconds() const;
};

/// "864 schedules of 1 problem to build and measure, about 5 minutes"
std::string describe(const SearchSize &size);

/// Says on stderr how large an exhaustive search of over a thousand candidates
/// is, and asks the `terminal` whether to go on. Without one (null) it goes on.
/// Cancelled where the answer is not "y" or "yes".
absl::Status confirmSearch(const SearchSize &size, std::istream *terminal);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_CONFIRMSEARCH_H
