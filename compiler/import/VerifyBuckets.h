// SPDX-License-Identifier: Apache-2.0
//
// VerifyBuckets: functions that say for which sizes they were made.

#ifndef MINIC_COMPILER_IMPORT_VERIFYBUCKETS_H
#define MINIC_COMPILER_IMPORT_VERIFYBUCKETS_H

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Checks graph.bucket of each function: what import makes (Buckets.h), or a
/// text that was printed after it. The name of a function is that of its
/// bucket, so no two are of the same sizes; each dimension has its size where
/// arguments name it, a fill is an element; functions of one entry take and
/// return alike. The first
/// breach is a diagnostic.
mlir::LogicalResult verifyBuckets(mlir::ModuleOp module);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_VERIFYBUCKETS_H
