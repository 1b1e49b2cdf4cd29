// SPDX-License-Identifier: Apache-2.0
//
// CompileModels: models among the artifacts to time are compiled first.

#ifndef MINIC_TOOLS_MINIC_BENCH_COMPILEMODELS_H
#define MINIC_TOOLS_MINIC_BENCH_COMPILEMODELS_H

#include "tools/common/TemporaryDirectory.h"
#include "tools/minic-bench/Bench.h"

#include <optional>

namespace minic::tools {

/// Compiles every .mlir of `options` into `folder` (made where it is needed, to
/// be kept until all is loaded) and puts the artifact in its place; the first
/// one becomes one artifact for each of options.candidates. Where no function
/// is asked for and there is no "main", the only function is timed.
absl::Status compileModels(BenchOptions &options,
                           std::optional<TemporaryDirectory> &folder);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_COMPILEMODELS_H
