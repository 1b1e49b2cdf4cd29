// SPDX-License-Identifier: Apache-2.0
//
// DescentSpace: the problems of one function, and the rows of their records
// that a descent may give them.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_DESCENTSPACE_H
#define MINIC_COMPILER_TUNE_BRIDGE_DESCENTSPACE_H

#include "compiler/tune/model/Descent.h"
#include "compiler/tune/search/TunedProblem.h"
#include "dialects/kernel/Kernel.h"

#include <set>

namespace minic::tune {

/// The key of the problem whose record gave `fusion` its choice; empty if none
/// did.
llvm::StringRef recordedProblem(kernel::FusionOp fusion);

/// Refers to records, which outlive it.
class DescentSpace {
public:
  /// `fusions`: of one function, each with the choice of its record's winner.
  /// Those without a record in `tuned`, and pinned ones, take no part.
  DescentSpace(llvm::ArrayRef<kernel::FusionOp> fusions,
               llvm::ArrayRef<TunedProblem> tuned,
               const SelectionPolicy &policy, bool onGpu);

  /// The plan in which the fusions have the choices of `others`, the same
  /// fusions of another plan. Offers these choices to their problems. None if
  /// that changes nothing, or if a choice was not verified.
  std::optional<Choices> offer(llvm::ArrayRef<kernel::FusionOp> others);

  /// For DescentInputs: those that take most of the time first.
  const std::vector<DescentProblem> &problems() const { return problems_; }
  /// Whether there is anything that a verdict may have changed.
  bool hasOffers() const;
  /// Names of all families and libraries that work in what is offered.
  std::set<std::string> sources() const;

  /// The problem of fusion number `fusion`, -1 if it takes no part.
  int problemOf(size_t fusion) const { return problemOf_[fusion]; }
  const Record &record(int problem) const { return *entries[problem].record; }
  /// Index in the record of what `choices` gives a problem.
  int row(int problem, const Choices &choices) const {
    return entries[problem].rows[choices[problem]];
  }

private:
  struct Entry {
    const Record *record = nullptr;
    std::vector<int> rows; // parallel to the problem's candidates
    double aloneUs = 0;    // of all its fusions
  };
  int offer(int problem, int row);

  SelectionPolicy policy;
  llvm::SmallVector<kernel::FusionOp> fusions;
  std::vector<Entry> entries; // parallel to problems_
  std::vector<DescentProblem> problems_;
  std::vector<int> problemOf_;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_DESCENTSPACE_H
