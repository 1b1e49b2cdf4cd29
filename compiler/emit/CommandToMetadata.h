// SPDX-License-Identifier: Apache-2.0
//
// CommandToMetadata: commands of a plan and the addresses they use.

#ifndef MINIC_COMPILER_EMIT_COMMANDTOMETADATA_H
#define MINIC_COMPILER_EMIT_COMMANDTOMETADATA_H

#include "dialects/plan/Plan.h"
#include "runtime/format/plan_generated.h"

namespace minic {

/// Positions of symbols in the tables of the artifact.
struct SymbolIndices {
  llvm::DenseMap<mlir::StringAttr, uint32_t> constants, binaries;
};

/// Appends the commands of `region` in order. A launch runs a kernel of the
/// binary that its discardable attribute `binary` names, which may be absent
/// where the module has one binary.
mlir::LogicalResult
addCommands(mlir::Region &region, const SymbolIndices &symbols,
            std::vector<std::unique_ptr<format::CommandT>> &commands);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_COMMANDTOMETADATA_H
