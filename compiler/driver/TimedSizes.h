// SPDX-License-Identifier: Apache-2.0
//
// TimedSizes: what a model takes at some sizes of one dimension, by its
// dominating problems.

#ifndef MINIC_COMPILER_DRIVER_TIMEDSIZES_H
#define MINIC_COMPILER_DRIVER_TIMEDSIZES_H

#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/PhaseRunner.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/sizes/SampleSizes.h"
#include "compiler/tune/bridge/TuningSelector.h"

#include <map>
#include <memory>

namespace minic {

/// Problems are dominating that make up nine tenths of the estimated time, at
/// most eight of a size. Where `options` tune they are, and what they take
/// stands for the rest in the same proportion as the estimates; records stay in
/// the database, where a compilation for such a size finds them. Else the
/// estimates are the times.
class TimedSizes {
public:
  TimedSizes(llvm::StringRef path, const CompileOptions &options,
             const VariantTarget &variant, mlir::MLIRContext &context,
             tune::Machine &machine, tune::ShippedDb &shipped);
  ~TimedSizes();

  /// The model at each of `sizes`, which are different; without those of which
  /// the budget ended before a time was known. Where other dimensions vary or
  /// several functions have this one, the sum of all. Failure has emitted a
  /// diagnostic.
  mlir::FailureOr<std::map<int64_t, sizes::SizeSample>>
  time(llvm::ArrayRef<int64_t> sizes);

  bool areMeasured() const { return selector != nullptr; }
  /// The smallest part of a size's time that its dominating problems had, by
  /// estimates, and how many different ones all sizes had.
  double leastShare() const { return leastShare_; }
  size_t problems() const { return problemKeys.size(); }

private:
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  importFor(llvm::ArrayRef<int64_t> sizes);

  llvm::StringRef path;
  const CompileOptions &options;
  const VariantTarget &variant;
  mlir::MLIRContext &context;
  PhaseRunner runner;
  std::unique_ptr<tune::TuningSelector> selector; // null: estimates
  double leastShare_ = 1;
  std::set<std::string> problemKeys;
};

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_TIMEDSIZES_H
