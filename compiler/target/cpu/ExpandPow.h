// SPDX-License-Identifier: Apache-2.0
//
// math.powf in terms of exp and log, for negative bases too.

#ifndef MINIC_COMPILER_TARGET_CPU_EXPANDPOW_H
#define MINIC_COMPILER_TARGET_CPU_EXPANDPOW_H

#include "mlir/IR/PatternMatch.h"

namespace minic::cpu {

/// Rewrites math.powf on f32 (scalars or vectors) with the special values of
/// IEEE 754 pow. The relative error grows with |y * log(x)|, as that of exp
/// does.
void populateExpandPowPattern(mlir::RewritePatternSet &patterns);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_EXPANDPOW_H
