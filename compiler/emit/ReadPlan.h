// SPDX-License-Identifier: Apache-2.0
//
// ReadPlan: the metadata of an artifact as the plan dialect again.

#ifndef MINIC_COMPILER_EMIT_READPLAN_H
#define MINIC_COMPILER_EMIT_READPLAN_H

#include "runtime/format/ArtifactReader.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace minic {

/// The inverse of emit: emitting the result writes the same metadata, binaries
/// and constants. Constants are unpacked to dense values, or left without any
/// if not `withValues`. What the artifact does not tell is filled in: an
/// address outside inputs and constants counts as written.
mlir::OwningOpRef<mlir::ModuleOp>
readPlan(const format::ArtifactReader &artifact, mlir::MLIRContext &context,
         bool withValues);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_READPLAN_H
