// SPDX-License-Identifier: Apache-2.0
//
// Counting kinds, and one factor per kind.

#include "compiler/tune/search/Prospects.h"

#include <algorithm>
#include <limits>
#include <map>

namespace minic::tune {

std::vector<bool> firstToLookAt(absl::Span<const Prospect> prospects,
                                const ProspectPolicy &policy) {
  std::vector<bool> isFirst(prospects.size());
  std::map<std::string, size_t> ofKind, ofFamily;
  size_t taken = 0;
  for (size_t i = 0; i < prospects.size(); ++i) {
    const std::string &kind = prospects[i].kind;
    if (kind.empty() || policy.isExhaustive) {
      isFirst[i] = true;
      continue;
    }
    size_t &family = ofFamily[kind.substr(0, kind.find(' '))];
    bool hasRoom = taken < policy.first || family < policy.firstOfFamily;
    if (hasRoom && ofKind[kind] < policy.firstOfKind) {
      isFirst[i] = true;
      ++ofKind[kind];
      ++family;
      ++taken;
    }
  }
  return isFirst;
}

bool isPromising(absl::Span<const Prospect> prospects, size_t i,
                 const ProspectPolicy &policy) {
  const Prospect &asked = prospects[i];
  constexpr double none = std::numeric_limits<double>::infinity();
  double best = none, factor = none, factorOfKind = none;
  for (const Prospect &prospect : prospects) {
    if (prospect.screenUs <= 0) {
      continue;
    }
    best = std::min(best, prospect.screenUs);
    if (prospect.kind.empty() || prospect.estimateUs <= 0) {
      continue;
    }
    double ratio = prospect.screenUs / prospect.estimateUs;
    factor = std::min(factor, ratio);
    if (prospect.kind == asked.kind) {
      factorOfKind = std::min(factorOfKind, ratio);
    }
  }
  if (asked.kind.empty() || factor == none || policy.isExhaustive) {
    return true;
  }
  // A kind that nothing is known of is as good as the best.
  double known = factorOfKind == none ? factor : factorOfKind;
  return asked.estimateUs * known <= policy.slack * best;
}

} // namespace minic::tune
