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

/// Whether `input` and `output` are these and one tensor.
static bool isUpdatedInPlace(Operation *input, Operation *output) {
  auto from = dyn_cast<InputOp>(input);
  auto to = dyn_cast<OutputOp>(output);
  auto function = output->getParentOfType<FunctionOp>();
  if (!from || !to || !function ||
      to.getIndex() >= function.getOutputs().size()) {
    return false;
  }
  auto spec = dyn_cast<TensorSpecAttr>(function.getOutputs()[to.getIndex()]);
  IntegerAttr index = spec ? spec.getInPlace() : IntegerAttr();
  return index && index.getInt() == int64_t(from.getIndex());
}

bool mayOverlap(Operation *base, Operation *otherBase) {
  if (base == otherBase) {
    return true;
  }
  if (isUpdatedInPlace(base, otherBase) || isUpdatedInPlace(otherBase, base)) {
    return true;
  }
  if (base->getName() != otherBase->getName()) {
    return false;
  }
  return llvm::TypeSwitch<Operation *, bool>(base)
      .Case<InputOp, OutputOp>([&](auto op) {
        return op.getIndex() == cast<decltype(op)>(otherBase).getIndex();
      })
      .Case<ConstantAddressOp>([&](ConstantAddressOp op) {
        return op.getConstant() ==
               cast<ConstantAddressOp>(otherBase).getConstant();
      })
      .Case<BufferOp>([&](BufferOp op) {
        auto other = cast<BufferOp>(otherBase);
        auto begin = op.getOffset(), otherBegin = other.getOffset();
        return begin && otherBegin && *begin < *otherBegin + other.getBytes() &&
               *otherBegin < *begin + op.getBytes();
      });
}

} // namespace minic::plan
