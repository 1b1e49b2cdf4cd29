// SPDX-License-Identifier: Apache-2.0
//
// TunedProblem: what is known of a problem once it was tuned.

#ifndef MINIC_COMPILER_TUNE_SEARCH_TUNEDPROBLEM_H
#define MINIC_COMPILER_TUNE_SEARCH_TUNEDPROBLEM_H

#include "compiler/tune/search/Selection.h"

namespace minic::tune {

struct TunedProblem {
  Record record;
  Selection selection;   // row is at least 0
  bool measured = false; // now; false: the record was there
  bool wasStale = false; // there was a record of other versions
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_TUNEDPROBLEM_H
