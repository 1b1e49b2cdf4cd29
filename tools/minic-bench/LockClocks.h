// SPDX-License-Identifier: Apache-2.0
//
// LockClocks: --lock-clocks and --require-locked-clocks of minic-bench.

#ifndef MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H
#define MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H

#include "runtime/measure/ClockLock.h"
#include "tools/minic-bench/Bench.h"

#include <optional>

namespace minic::tools {

/// BenchOptions::lockClocks for "off", "max" or MHz; none for other text.
std::optional<int> parseClocks(const std::string &text);

/// Locks the clocks of the GPU at `place` as `options` ask, and says so on
/// stdout. Null if they do not ask, or with a warning if it cannot be done, as
/// on a CPU. FailedPrecondition if they require it.
absl::StatusOr<std::unique_ptr<runtime::ClockLock>>
lockClocks(const BenchOptions &options, runtime::DevicePlace place);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H
