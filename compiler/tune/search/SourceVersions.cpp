// SPDX-License-Identifier: Apache-2.0
//
// Compares versions source by source.

#include "compiler/tune/search/SourceVersions.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <map>
#include <set>

namespace minic::tune {

/// What all sources share.
static constexpr const char *common = "minic";

static bool isSame(const std::string &source, const Versions &made,
                   const Versions &now) {
  auto then = made.sources.find(source), today = now.sources.find(source);
  return then != made.sources.end() && today != now.sources.end() &&
         then->second == today->second;
}

bool isFresh(const Row &row, const Versions &made, const Versions &now) {
  if (made == now) {
    return true;
  }
  if (row.candidate.sources.empty() || !isSame(common, made, now) ||
      (row.candidate.needsLibrary && made.libraries != now.libraries)) {
    return false;
  }
  std::vector<std::string> sources = absl::StrSplit(row.candidate.sources, ',');
  return std::all_of(
      sources.begin(), sources.end(),
      [&](const std::string &source) { return isSame(source, made, now); });
}

void keepFreshRows(Record &record, const Versions &now) {
  const Versions &made = record.problem.versions;
  std::set<std::string> binaries;
  std::erase_if(record.rows,
                [&](const Row &row) { return !isFresh(row, made, now); });
  for (Row &row : record.rows) {
    if (row.status != RowStatus::Duplicate) {
      binaries.insert(row.binaryHash);
    }
    row.timeUs = row.timeError = 0;
    row.ratio = row.ratioLow = row.ratioHigh = 0;
    row.samplesUs.clear();
  }
  std::erase_if(record.rows, [&](const Row &row) {
    return row.status == RowStatus::Duplicate &&
           binaries.count(row.binaryHash) == 0;
  });
}

const Record *findUsable(const Lookup &found, const Versions &now,
                         const SelectionPolicy &policy) {
  if (found.freshness == Freshness::Fresh) {
    return &found.record;
  }
  if (!found.stale) {
    return nullptr;
  }
  const Record &record = *found.stale;
  int winner = select(record.rows, policy).row;
  bool isUsable =
      winner >= 0 && isFresh(record.rows[winner], record.problem.versions, now);
  return isUsable ? &record : nullptr;
}

bool coversAll(const Record &record,
               const std::vector<CandidateSpec> &candidates,
               const Versions &now) {
  // Names are unique, and there may be thousands.
  std::map<std::string, const Row *> rows;
  for (const Row &row : record.rows) {
    rows[row.candidate.name] = &row;
  }
  auto isFreshRow = [&](const Row &row) {
    return isFresh(row, record.problem.versions, now);
  };
  return std::all_of(candidates.begin(), candidates.end(),
                     [&](const CandidateSpec &wanted) {
                       auto same = rows.find(wanted.name);
                       if (same != rows.end() &&
                           same->second->candidate.choice == wanted.choice &&
                           isFreshRow(*same->second)) {
                         return true;
                       }
                       // The algorithms that it stood for have rows of their
                       // own.
                       std::string prefix = wanted.name + " ";
                       for (auto it = rows.lower_bound(prefix);
                            wanted.expandable && it != rows.end() &&
                            absl::StartsWith(it->first, prefix);
                            ++it) {
                         if (isFreshRow(*it->second)) {
                           return true;
                         }
                       }
                       return false;
                     });
}

std::string describeChanges(const Versions &made, const Versions &now) {
  std::vector<std::string> changes;
  for (const auto &[source, version] : made.sources) {
    auto today = now.sources.find(source);
    if (today == now.sources.end()) {
      changes.push_back(absl::StrCat(source, " ", version, " is gone"));
    } else if (today->second != version) {
      changes.push_back(
          absl::StrCat(source, " ", version, " is now ", today->second));
    }
  }
  for (const auto &[source, version] : now.sources) {
    if (made.sources.count(source) == 0 && !made.sources.empty()) {
      changes.push_back(absl::StrCat(source, " ", version, " is new"));
    }
  }
  if (made.sources.empty() && !now.sources.empty()) {
    changes.push_back("the versions of its sources are not known");
  }
  if (made.libraries != now.libraries) {
    auto name = [](const std::string &libraries) {
      return libraries.empty() ? "none" : libraries;
    };
    changes.push_back(absl::StrCat("libraries: ", name(made.libraries),
                                   " is now ", name(now.libraries)));
  }
  return absl::StrJoin(changes, ", ");
}

} // namespace minic::tune
