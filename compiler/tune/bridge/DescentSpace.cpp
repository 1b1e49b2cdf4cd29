// SPDX-License-Identifier: Apache-2.0
//
// Fusions meet their records by the key of the problem.

#include "compiler/tune/bridge/DescentSpace.h"

#include "compiler/tune/search/Rivals.h"
#include "compiler/tune/search/RowEvidence.h"

#include "absl/strings/str_split.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <tuple>

using namespace mlir;

namespace minic::tune {

/// A plan has to become faster by a percent, so a problem has to become faster
/// by that over its share of the plan's time.
static constexpr double leastGainOfPlan = 0.01;

/// On a CPU schedules of one family differ from how they run alone by what the
/// caches hold, since nothing overlaps there. A guess.
static constexpr double slowerAlikeOnCpu = 1.1;

/// A trial on a GPU takes a quarter of a second, and kernels overlap there: of
/// BERT-base's linears rows that were 7 to 13 percent slower alone made the
/// model faster (docs/measurements/2026-11-26-cuda.md). That five are better
/// than three was not measured.
static constexpr int rivalsOnGpu = 5;

StringRef recordedProblem(kernel::FusionOp fusion) {
  auto provenance = fusion->getAttrOfType<DictionaryAttr>("provenance");
  auto get = [&](StringRef name) {
    auto text = provenance ? provenance.getAs<StringAttr>(name) : StringAttr();
    return text ? text.getValue() : StringRef();
  };
  StringRef origin = get("origin");
  return origin == "tuned" || origin == "database" ? get("problem")
                                                   : StringRef();
}

DescentSpace::DescentSpace(ArrayRef<kernel::FusionOp> fusions,
                           ArrayRef<TunedProblem> tuned,
                           const SelectionPolicy &policy, bool onGpu)
    : policy(policy), fusions(fusions) {
  llvm::StringMap<const TunedProblem *> byKey;
  for (const TunedProblem &problem : tuned) {
    if (problem.selection.row >= 0) {
      byKey[problem.record.problem.key] = &problem;
    }
  }
  llvm::MapVector<const TunedProblem *, int> counts;
  double totalUs = 0;
  for (kernel::FusionOp fusion : fusions) {
    if (const TunedProblem *problem = byKey.lookup(recordedProblem(fusion))) {
      ++counts[problem];
      totalUs += problem->record.rows[problem->selection.row].bestKnownUs();
    }
  }
  for (auto [problem, count] : counts) {
    const Record &record = problem->record;
    int winner = problem->selection.row;
    Entry entry{&record, {winner}};
    entry.aloneUs = count * record.rows[winner].bestKnownUs();
    if (entry.aloneUs > 0) {
      RivalLimits limits;
      limits.leastGain = leastGainOfPlan * totalUs / entry.aloneUs;
      if (onGpu) {
        limits.fastest = rivalsOnGpu;
      } else {
        limits.slowerAlike = slowerAlikeOnCpu;
      }
      llvm::append_range(entry.rows,
                         selectRivals(record.rows, winner, policy, limits));
    }
    entries.push_back(std::move(entry));
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tuple(-a.aloneUs, a.record->problem.key) <
           std::tuple(-b.aloneUs, b.record->problem.key);
  });
  llvm::StringMap<int> indices;
  for (auto [index, entry] : llvm::enumerate(entries)) {
    const ProblemSpec &problem = entry.record->problem;
    indices[problem.key] = int(index) + 1;
    DescentProblem &described = problems_.emplace_back(
        DescentProblem{problem.key, problem.description});
    described.share = totalUs > 0 ? entry.aloneUs / totalUs : 0;
    for (int row : entry.rows) {
      described.candidates.push_back(entry.record->rows[row].candidate.name);
    }
  }
  for (kernel::FusionOp fusion : fusions) {
    problemOf_.push_back(indices.lookup(recordedProblem(fusion)) - 1);
  }
}

int DescentSpace::offer(int problem, int row) {
  std::vector<int> &rows = entries[problem].rows;
  auto known = llvm::find(rows, row);
  if (known == rows.end()) {
    rows.push_back(row);
    problems_[problem].candidates.push_back(
        record(problem).rows[row].candidate.name);
    return int(rows.size()) - 1;
  }
  return int(known - rows.begin());
}

std::optional<Choices> DescentSpace::offer(ArrayRef<kernel::FusionOp> others) {
  Choices choices(entries.size(), 0);
  std::vector<std::pair<int, int>> rows; // problem and row
  for (auto [i, fusion] : llvm::enumerate(others)) {
    kernel::FusionOp other = fusion;
    if (other.getChoiceAttr() == fusions[i].getChoiceAttr()) {
      continue;
    }
    if (problemOf_[i] < 0) {
      return std::nullopt;
    }
    std::string text;
    llvm::raw_string_ostream(text) << Attribute(other.getChoiceAttr());
    const std::vector<Row> &known = record(problemOf_[i]).rows;
    const Row *row = findRow(known, text);
    if (!row || !isEligible(*row, policy)) {
      return std::nullopt;
    }
    rows.push_back({problemOf_[i], int(row - known.data())});
  }
  for (auto [problem, row] : rows) {
    choices[problem] = offer(problem, row);
  }
  return llvm::all_of(choices, [](int choice) { return choice == 0; })
             ? std::nullopt
             : std::optional(choices);
}

bool DescentSpace::hasOffers() const {
  return llvm::any_of(entries,
                      [](const Entry &entry) { return entry.rows.size() > 1; });
}

std::set<std::string> DescentSpace::sources() const {
  std::set<std::string> sources;
  for (const Entry &entry : entries) {
    for (int row : entry.rows) {
      for (absl::string_view source :
           absl::StrSplit(entry.record->rows[row].candidate.sources, ',',
                          absl::SkipEmpty())) {
        sources.insert(std::string(source));
      }
    }
  }
  return sources;
}

} // namespace minic::tune
