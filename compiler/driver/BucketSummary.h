// SPDX-License-Identifier: Apache-2.0
//
// BucketSummary: what each bucket of an artifact cost, for people.

#ifndef MINIC_COMPILER_DRIVER_BUCKETSUMMARY_H
#define MINIC_COMPILER_DRIVER_BUCKETSUMMARY_H

#include "compiler/explain/Evidence.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace minic {

/// Of one function that is a bucket of an entry.
struct BucketSummary {
  std::string function;
  /// Different problems; each is one of what follows.
  int problems = 0;
  int tuned = 0;     // measured now
  int found = 0;     // in the database
  int estimated = 0; // nothing was measured
  int pinned = 0;
  int shared = 0; // with a bucket before this one
  /// That measuring the tuned ones took, without their builds.
  double seconds = 0;
  /// How runs go on a GPU; empty on a CPU.
  std::string graph;
  uint64_t arenaBytes = 0;
  /// Of the constants that it reads, and of those that no other function of the
  /// artifact does.
  uint64_t constantBytes = 0, ownConstantBytes = 0;
};

/// The buckets of `plan`, by `evidence` and what tuning took by problem key
/// (`seconds`). Of the first variants.
std::vector<BucketSummary>
summarizeBuckets(mlir::ModuleOp plan,
                 const std::vector<FunctionEvidence> &evidence,
                 const std::map<std::string, double> &seconds);

/// "3 problems: 1 tuned in 2.1 s, 1 found, 1 shared"
std::string describeProblems(const BucketSummary &summary);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_BUCKETSUMMARY_H
