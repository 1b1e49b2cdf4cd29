// SPDX-License-Identifier: Apache-2.0
//
// GpuHints: what to change in the model or on the command line for a faster
// result, once algorithms are chosen; most of it on a GPU. Text only; decides
// nothing.

#ifndef MINIC_COMPILER_EXPLAIN_GPUHINTS_H
#define MINIC_COMPILER_EXPLAIN_GPUHINTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace minic {

/// Hints by function. For functions in `checked`, a measurement found the
/// estimator's plan better than a tuned one. `canMeasure`: another mode could
/// measure what was estimated.
std::map<std::string, std::vector<std::string>>
collectHints(mlir::ModuleOp module, const Target &target,
             const CompileOptions &options, bool canMeasure,
             const std::set<std::string> &checked = {});

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_GPUHINTS_H
