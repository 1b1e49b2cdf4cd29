// SPDX-License-Identifier: Apache-2.0
//
// LockClocks: --lock-clocks and --require-locked-clocks of minic-bench.

#ifndef MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H
#define MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H

#include "runtime/measure/ClockLock.h"
#include "tools/minic-bench/Bench.h"

#include <optional>

namespace minic::tools {

/// BenchOptions::lockClocks of "off", "max" or MHz; none of anything else.
std::optional<int> parseClocks(const std::string &text);

/// The clocks of the GPU at `place`, locked as `options` ask and said so on
/// stdout; null where they do not ask, or with a warning where it cannot be, as
/// on a CPU. FailedPrecondition where they require it.
absl::StatusOr<std::unique_ptr<runtime::ClockLock>>
lockClocks(const BenchOptions &options, runtime::DevicePlace place);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_LOCKCLOCKS_H
