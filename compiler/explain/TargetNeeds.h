// SPDX-License-Identifier: Apache-2.0
//
// TargetNeeds: what a machine must have to run a plan that was made elsewhere.

#ifndef MINIC_COMPILER_EXPLAIN_TARGETNEEDS_H
#define MINIC_COMPILER_EXPLAIN_TARGETNEEDS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic {

/// A line per variant of the generated `plan`: "cpu, 2 threads: avx2 fma,
/// oneDNN 2.6.3 for 3 calls". Lines of variants that need the same are one.
std::vector<std::string> describeNeeds(mlir::ModuleOp plan);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_TARGETNEEDS_H
