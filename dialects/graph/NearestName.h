// SPDX-License-Identifier: Apache-2.0
//
// nearestName: the "did you mean" of error lines.

#ifndef MINIC_DIALECTS_GRAPH_NEARESTNAME_H
#define MINIC_DIALECTS_GRAPH_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace minic::graph {

/// The first of `candidates` with the fewest edits from `name`; empty where all
/// need more than a third of its letters.
inline llvm::StringRef nearestName(llvm::StringRef name,
                                   llvm::ArrayRef<llvm::StringRef> candidates) {
  unsigned best = name.size() / 3 + 1;
  llvm::StringRef found;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_NEARESTNAME_H
