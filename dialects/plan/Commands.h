// SPDX-License-Identifier: Apache-2.0
//
// Finds the memory that commands read and write, and the base of an address.

#ifndef MINIC_DIALECTS_PLAN_COMMANDS_H
#define MINIC_DIALECTS_PLAN_COMMANDS_H

#include "dialects/plan/Plan.h"

namespace minic::plan {

/// True for launch, call, copy and fill.
bool isCommand(mlir::Operation *op);

/// The commands of `block` in order: their positions are what `depends` lists.
llvm::SmallVector<mlir::Operation *> getCommands(mlir::Block &block);

struct CommandAccess {
  mlir::Value address;
  Access access;
};

/// Every address of `command`, and its access. Scratch counts as written.
llvm::SmallVector<CommandAccess> getAccesses(mlir::Operation *command);

/// An address without views: the op that defines its base, and bytes from it.
struct ResolvedAddress {
  mlir::Operation *base;
  int64_t offset = 0;
};
ResolvedAddress resolveAddress(mlir::Value address);

/// True where the memory behind two bases may be the same: one input, output
/// or constant; an output and the input that it updates in place; one buffer,
/// or two whose bytes in the arena overlap.
bool mayOverlap(mlir::Operation *base, mlir::Operation *otherBase);

/// Verifies what `call` says by the table of library calls, which readers of
/// artifacts use, too; its addresses and accesses are as many as it says.
llvm::LogicalResult verifyCall(CallOp call);

} // namespace minic::plan

#endif // MINIC_DIALECTS_PLAN_COMMANDS_H
