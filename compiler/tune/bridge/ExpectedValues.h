// SPDX-License-Identifier: Apache-2.0
//
// ExpectedValues: what the float64 reference says of a problem on random data,
// as the file that workers verify candidates with.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_EXPECTEDVALUES_H
#define MINIC_COMPILER_TUNE_BRIDGE_EXPECTEDVALUES_H

#include "absl/status/status.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace minic::tune {

/// Evaluates @problem of `problem` on fillRandom data: inputs under `seed`,
/// constants under `constantsSeed`, named argN. Where all rows would take
/// longer than a fraction of a second, some are evaluated. Internal where the
/// reference cannot evaluate it.
absl::Status writeExpectedValues(mlir::ModuleOp problem, uint64_t seed,
                                 uint64_t constantsSeed,
                                 const std::string &path);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_EXPECTEDVALUES_H
