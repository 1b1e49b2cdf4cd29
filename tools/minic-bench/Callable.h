// SPDX-License-Identifier: Apache-2.0
//
// Callable: a function of somebody else's shared library, timed in the same
// rounds as artifacts.

#ifndef MINIC_TOOLS_MINIC_BENCH_CALLABLE_H
#define MINIC_TOOLS_MINIC_BENCH_CALLABLE_H

#include "runtime/measure/TimedFunction.h"

#include "absl/status/statusor.h"

#include <string>

namespace minic::tools {

/// `void function(void)`, which returns when its work is done. Its library
/// stays loaded as long as the process lives.
class Callable {
public:
  /// Opens "LIBRARY.so:FUNCTION". InvalidArgument where it is not of this form,
  /// NotFound with the loader's words where there is no such thing.
  static absl::StatusOr<Callable> open(const std::string &text);

  /// Mean microseconds of `iterations` calls after one that is not timed; with
  /// an evictor each is timed alone, after the caches were emptied.
  double sample(int64_t iterations, runtime::CacheEvictor *evictor = nullptr);

private:
  void (*function)() = nullptr;
};

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_CALLABLE_H
