// SPDX-License-Identifier: Apache-2.0
//
// PlanToMetadata: the plan dialect as tables of runtime/format/plan.fbs.

#ifndef MINIC_COMPILER_EMIT_PLANTOMETADATA_H
#define MINIC_COMPILER_EMIT_PLANTOMETADATA_H

#include "dialects/plan/Plan.h"
#include "runtime/format/plan_generated.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// A plan as the artifact has it. Ops are parallel to the tables of metadata.
struct PlanMetadata {
  format::ArtifactT artifact;
  std::vector<plan::ConstantOp> constants;
  std::vector<plan::BinaryOp> binaries;
  uint64_t constantsBytes = 0; // of the constants section
  uint64_t binariesBytes = 0;  // of the binaries section
};

/// Translates one op to one table and decides nothing but the places of
/// constants and binaries in their sections. `module` is the result of plan and
/// codegen. An op that they should not have left is a diagnostic.
mlir::FailureOr<PlanMetadata> planToMetadata(mlir::ModuleOp module);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_PLANTOMETADATA_H
