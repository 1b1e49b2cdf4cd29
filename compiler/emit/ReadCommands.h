// SPDX-License-Identifier: Apache-2.0
//
// ReadCommands: the commands of a variant as plan ops.

#ifndef MINIC_COMPILER_EMIT_READCOMMANDS_H
#define MINIC_COMPILER_EMIT_READCOMMANDS_H

#include "runtime/format/plan_generated.h"

#include "mlir/IR/Builders.h"

#include <string>

namespace minic {

/// The symbol that stands for a binary, which has no name in the artifact.
std::string binarySymbol(uint32_t index);

/// Builds `commands` of a variant with `arenaBytes`, and the addresses they
/// use, at the end of `builder`'s block. The artifact is a checked one.
void readCommands(
    const format::Artifact &artifact, uint64_t arenaBytes,
    const flatbuffers::Vector<flatbuffers::Offset<format::Command>> &commands,
    mlir::OpBuilder &builder);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_READCOMMANDS_H
