// SPDX-License-Identifier: Apache-2.0
//
// ChromeTrace: traced runs as the JSON that trace viewers open.

#ifndef MINIC_TOOLS_MINIC_BENCH_CHROMETRACE_H
#define MINIC_TOOLS_MINIC_BENCH_CHROMETRACE_H

#include "tools/minic-bench/TraceTable.h"

#include <string>
#include <vector>

namespace minic::tools {

/// The typical run of each artifact as a process, with its commands on one line
/// and, on a CPU, each worker on one of its own. The member `minic` has the
/// same for programs (docs/json.md). The format is that of the document "Trace
/// Event Format" of Chromium's catapult, which Perfetto reads.
std::string chromeTrace(const std::vector<TracedArtifact> &artifacts);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_CHROMETRACE_H
