// SPDX-License-Identifier: Apache-2.0
//
// BenchReport: what was measured, for people and for programs.

#ifndef MINIC_TOOLS_MINIC_BENCH_BENCHREPORT_H
#define MINIC_TOOLS_MINIC_BENCH_BENCHREPORT_H

#include "tools/minic-bench/Bench.h"

namespace minic::tools {

/// A table and a line per comparison.
std::string textReport(const BenchOptions &options, const BenchResult &result);

/// The same and every sample, as one JSON object. Times are microseconds.
std::string jsonReport(const BenchOptions &options, const BenchResult &result);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_BENCHREPORT_H
