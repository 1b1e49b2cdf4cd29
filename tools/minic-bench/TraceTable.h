// SPDX-License-Identifier: Apache-2.0
//
// TraceTable: where the time of traced runs goes, by what the compiler decided
// together.

#ifndef MINIC_TOOLS_MINIC_BENCH_TRACETABLE_H
#define MINIC_TOOLS_MINIC_BENCH_TRACETABLE_H

#include "runtime/measure/TracedRuns.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minic::tools {

/// Traced runs of an artifact.
struct TracedArtifact {
  std::string path, function;
  std::string evidence;  // Program::evidence
  double untracedUs = 0; // of one run, as the rounds measured it
  std::vector<runtime::PlanCommand> commands;
  runtime::TracedRuns runs;
};

/// What an artifact's evidence says of a fusion.
struct TracedFusion {
  std::string label, choice; // "linear_relu(...)", "generated gemm_packed ..."
  double rooflineUs = 0;     // 0: not known
  double bytes = 0;          // that it reads and writes at least
};

struct TracedFusions {
  std::vector<TracedFusion> fusions;
  /// By index of the plan's commands: the first fusion that one computes; none
  /// for copies and the like.
  std::vector<std::optional<size_t>> ofCommand;
};

/// Nothing where the evidence is absent or damaged.
TracedFusions readFusions(const TracedArtifact &artifact);

/// A summary and a table, the most expensive fusions first; those of equal ops
/// and implementation are one row. Lines end with '\n'.
std::string traceTable(const TracedArtifact &artifact);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_TRACETABLE_H
