// SPDX-License-Identifier: Apache-2.0
//
// GraphChecker: checks what was measured of a captured graph, and the policy
// that follows.

#ifndef MINIC_RUNTIME_FORMAT_GRAPHCHECKER_H
#define MINIC_RUNTIME_FORMAT_GRAPHCHECKER_H

#include "runtime/format/plan_generated.h"

#include "absl/status/status.h"

namespace minic::format {

/// More runs on the same pointers than any measurement asks for.
constexpr uint32_t mostRunsBeforeUpdate = 1000;

/// Times are finite and not negative, counts lie in what the runtime knows.
absl::Status checkGraph(const GraphVerdict &graph);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_GRAPHCHECKER_H
