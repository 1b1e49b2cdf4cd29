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

/// Memory that a plan names: bytes of the arena, or all of one tensor.
struct Memory {
  enum class Space { Arena, Input, Output, Constant, Unplaced };
  Space space;
  /// Which input, output, constant or buffer without a place; null otherwise.
  const void *tensor = nullptr;
  int64_t begin = 0, end = 0; // bytes of the arena

  bool overlaps(const Memory &other) const {
    return space == other.space &&
           (space == Space::Arena ? begin < other.end && other.begin < end
                                  : tensor == other.tensor);
  }
};

/// What is behind a base. An output that is an update of an input is that
/// input.
Memory memoryOf(mlir::Operation *base);

struct MemoryAccess {
  Memory memory;
  bool isWritten = false;
};

/// The accesses of `command`, resolved once for all comparisons with others.
llvm::SmallVector<MemoryAccess> getMemoryAccesses(mlir::Operation *command);

/// True where one of two commands must wait for the other: both touch the same
/// memory, and one of them writes there.
bool conflict(llvm::ArrayRef<MemoryAccess> a, llvm::ArrayRef<MemoryAccess> b);

/// Verifies what `call` says by the table of library calls, which readers of
/// artifacts use, too; its addresses and accesses are as many as it says.
llvm::LogicalResult verifyCall(CallOp call);

} // namespace minic::plan

#endif // MINIC_DIALECTS_PLAN_COMMANDS_H
