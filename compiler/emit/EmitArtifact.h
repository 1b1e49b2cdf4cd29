// SPDX-License-Identifier: Apache-2.0
//
// EmitArtifact: a finished plan becomes a .minic file.

#ifndef MINIC_COMPILER_EMIT_EMITARTIFACT_H
#define MINIC_COMPILER_EMIT_EMITARTIFACT_H

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace minic {

struct EmitOptions {
  /// For `minic-run --check`; see storedWeightsName. Empty for none.
  std::string weightsPath;
  std::string weightsHash;
  /// writeModelBytecode of the graph; empty for artifacts of candidates.
  std::string model;
  /// Called after each constant: pages of weights may leave memory then.
  std::function<void()> constantWritten;
  /// False for files that are read back at once and thrown away.
  bool durable = true;
};

/// Bytes of an artifact and its parts, for the summary.
struct EmittedSizes {
  uint64_t file = 0, constants = 0, binaries = 0;
};

/// Writes the artifact of `plan` (after codegen) to `path`. Constants are
/// packed straight into the file. On failure `path` is untouched. The bytes
/// depend on nothing but the plan and `options`. Emits diagnostics.
mlir::FailureOr<EmittedSizes> emitArtifact(mlir::ModuleOp plan,
                                           const EmitOptions &options,
                                           llvm::StringRef path);

/// The same bytes in memory.
mlir::FailureOr<std::vector<std::byte>>
serializePlan(mlir::ModuleOp plan, const EmitOptions &options);

/// Whether a file can be made at `path`, found out before minutes of tuning.
/// Emits a diagnostic at no location; leaves nothing behind.
mlir::LogicalResult checkWritable(llvm::StringRef path,
                                  mlir::MLIRContext &context);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_EMITARTIFACT_H
