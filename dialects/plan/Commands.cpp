// SPDX-License-Identifier: Apache-2.0
//
// Accesses of commands and overlap of their addresses.

#include "dialects/plan/Commands.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::plan {

bool isCommand(Operation *op) {
  return isa<LaunchOp, CallOp, CopyOp, FillOp>(op);
}

SmallVector<Operation *> getCommands(Block &block) {
  SmallVector<Operation *> commands;
  for (Operation &op : block) {
    if (isCommand(&op)) {
      commands.push_back(&op);
    }
  }
  return commands;
}

/// Launches and calls: one access per address, then scratch.
template <typename Op>
static void appendAccesses(Op op, SmallVectorImpl<CommandAccess> &accesses) {
  for (auto [address, access] :
       llvm::zip_equal(op.getAddresses(),
                       op.getAccess().template getAsRange<AccessAttr>())) {
    accesses.push_back({address, access.getValue()});
  }
  if (op.getScratch()) {
    accesses.push_back({op.getScratch(), Access::Write});
  }
}

SmallVector<CommandAccess> getAccesses(Operation *command) {
  SmallVector<CommandAccess> accesses;
  llvm::TypeSwitch<Operation *>(command)
      .Case<LaunchOp, CallOp>([&](auto op) { appendAccesses(op, accesses); })
      .Case<CopyOp>([&](CopyOp op) {
        accesses = {{op.getDestination(), Access::Write},
                    {op.getSource(), Access::Read}};
      })
      .Case<FillOp>([&](FillOp op) {
        accesses = {{op.getDestination(), Access::Write}};
      });
  return accesses;
}

ResolvedAddress resolveAddress(Value address) {
  ResolvedAddress resolved{address.getDefiningOp()};
  while (auto view = dyn_cast<ViewOp>(resolved.base)) {
    resolved.offset += view.getOffset();
    resolved.base = view.getBase().getDefiningOp();
  }
  return resolved;
}

/// Number `index` of a function's inputs, as something to compare with others.
static const void *nameOf(uint64_t index) {
  return reinterpret_cast<const void *>(uintptr_t(index + 1));
}

static Memory memoryOf(OutputOp output) {
  uint64_t index = output.getIndex();
  auto function = output->getParentOfType<FunctionOp>();
  if (function && index < function.getOutputs().size()) {
    auto spec = dyn_cast<TensorSpecAttr>(function.getOutputs()[index]);
    if (IntegerAttr input = spec ? spec.getInPlace() : IntegerAttr()) {
      return {Memory::Space::Input, nameOf(input.getInt())};
    }
  }
  return {Memory::Space::Output, nameOf(index)};
}

Memory memoryOf(Operation *base) {
  return llvm::TypeSwitch<Operation *, Memory>(base)
      .Case<InputOp>([](InputOp op) {
        return Memory{Memory::Space::Input, nameOf(op.getIndex())};
      })
      .Case<OutputOp>([](OutputOp op) { return memoryOf(op); })
      .Case<ConstantAddressOp>([](ConstantAddressOp op) {
        return Memory{Memory::Space::Constant,
                      op.getConstantAttr().getAsOpaquePointer()};
      })
      .Case<BufferOp>([](BufferOp op) {
        auto begin = op.getOffset();
        return begin ? Memory{Memory::Space::Arena, nullptr, int64_t(*begin),
                              int64_t(*begin + op.getBytes())}
                     : Memory{Memory::Space::Unplaced, op.getOperation()};
      });
}

SmallVector<MemoryAccess> getMemoryAccesses(Operation *command) {
  return llvm::map_to_vector(
      getAccesses(command), [](const CommandAccess &access) {
        return MemoryAccess{memoryOf(resolveAddress(access.address).base),
                            access.access == Access::Write};
      });
}

bool conflict(ArrayRef<MemoryAccess> a, ArrayRef<MemoryAccess> b) {
  return llvm::any_of(a, [&](const MemoryAccess &first) {
    return llvm::any_of(b, [&](const MemoryAccess &second) {
      return (first.isWritten || second.isWritten) &&
             first.memory.overlaps(second.memory);
    });
  });
}

} // namespace minic::plan
