// SPDX-License-Identifier: Apache-2.0
//
// plan-verify: the properties that the passes before it promise together. It
// repairs nothing; the first breach in each function is reported.

#include "passes/plan/Passes.h"

#include "dialects/plan/Commands.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace minic::plan {
#define GEN_PASS_DEF_VERIFYPLAN
#include "passes/plan/Passes.h.inc"
} // namespace minic::plan

using namespace mlir;
using namespace minic;
using namespace minic::plan;

namespace {

/// Checks the commands of one variant, in order.
struct CommandChecks {
  CommandChecks(FunctionOp function, VariantOp variant,
                const SymbolTable &symbols)
      : function(function), variant(variant), symbols(symbols) {}

  FunctionOp function;
  VariantOp variant;
  const SymbolTable &symbols;
  SmallVector<Operation *> commands;
  SmallVector<SmallVector<CommandAccess>> accesses;
  SmallVector<SmallVector<MemoryAccess>> memory;
  /// For each command, all that are complete before it starts.
  SmallVector<llvm::BitVector> before;

  LogicalResult run() {
    commands = getCommands(variant.getRun().front());
    llvm::SmallPtrSet<Operation *, 16> written;
    llvm::BitVector writtenOutputs(function.getOutputs().size());
    for (auto [position, command] : llvm::enumerate(commands)) {
      accesses.push_back(getAccesses(command));
      memory.push_back(getMemoryAccesses(command));
      if (failed(checkOrder(position))) {
        return failure();
      }
      for (CommandAccess access : accesses.back()) {
        Operation *base = resolveAddress(access.address).base;
        if (failed(checkBase(command, base, access.access))) {
          return failure();
        }
        auto buffer = dyn_cast<BufferOp>(base);
        if (access.access == Access::Read && buffer && !buffer.getZeroed() &&
            !written.contains(base)) {
          return command->emitOpError(
              "internal: reads a buffer that nothing has written");
        }
      }
      for (CommandAccess access : accesses.back()) {
        Operation *base = resolveAddress(access.address).base;
        if (access.access == Access::Write) {
          written.insert(base);
          if (auto output = dyn_cast<OutputOp>(base)) {
            writtenOutputs.set(output.getIndex());
          }
        }
      }
    }
    if (int missing = writtenOutputs.find_first_unset(); missing >= 0) {
      return variant.emitOpError("internal: output ")
             << missing << " is never written";
    }
    return checkLifetimes();
  }

  LogicalResult checkBase(Operation *command, Operation *base, Access access) {
    if (auto input = dyn_cast<InputOp>(base)) {
      return checkReadOnly(command, access, "input", input.getIndex(),
                           function.getInputs().size());
    }
    if (auto output = dyn_cast<OutputOp>(base)) {
      return checkIndex(command, "output", output.getIndex(),
                        function.getOutputs().size());
    }
    if (auto buffer = dyn_cast<BufferOp>(base)) {
      auto offset = buffer.getOffset();
      auto arena = variant.getArenaBytes();
      if (!offset || !arena) {
        return buffer.emitOpError("internal: has no place in the arena");
      }
      if (*offset + buffer.getBytes() > *arena) {
        return buffer.emitOpError("internal: ends at ")
               << *offset + buffer.getBytes() << " in an arena of " << *arena
               << " bytes";
      }
      return success();
    }
    auto constant = cast<ConstantAddressOp>(base);
    if (access == Access::Write) {
      return command->emitOpError("internal: writes constant ")
             << constant.getConstantAttr();
    }
    if (!symbols.lookup<plan::ConstantOp>(constant.getConstant())) {
      return constant.emitOpError("internal: names no plan.constant");
    }
    return success();
  }

  LogicalResult checkReadOnly(Operation *command, Access access, StringRef what,
                              uint64_t index, uint64_t count) {
    if (access == Access::Write) {
      return command->emitOpError("internal: writes ") << what << ' ' << index;
    }
    return checkIndex(command, what, index, count);
  }

  LogicalResult checkIndex(Operation *command, StringRef what, uint64_t index,
                           uint64_t count) {
    if (index >= count) {
      return command->emitOpError("internal: uses ")
             << what << ' ' << index << " of " << count;
    }
    return success();
  }

  /// Conflicting commands are ordered by dependencies, not by luck.
  LogicalResult checkOrder(int64_t position) {
    Operation *command = commands[position];
    llvm::BitVector &mine = before.emplace_back(position);
    auto depends = command->getAttrOfType<DenseI32ArrayAttr>("depends");
    for (int32_t other : depends ? depends.asArrayRef() : ArrayRef<int32_t>()) {
      if (other < 0 || other >= position) {
        return command->emitOpError("internal: command ")
               << position << " depends on command " << other
               << ", which is not before it";
      }
      mine.set(other);
      mine |= before[other];
    }
    for (int64_t other = 0; other < position; ++other) {
      if (!mine.test(other) && conflict(memory[other], memory[position])) {
        return command->emitOpError("internal: command ")
               << position << " does not wait for command " << other
               << ", which touches the same memory";
      }
    }
    return success();
  }

  /// No command may write a buffer while another in the same bytes is live.
  LogicalResult checkLifetimes() {
    struct Lifetime {
      BufferOp buffer;
      Memory memory;
      int64_t first, last;
    };
    llvm::MapVector<Operation *, Lifetime> lifetimes;
    for (auto [position, used] : llvm::enumerate(accesses)) {
      for (CommandAccess access : used) {
        Operation *base = resolveAddress(access.address).base;
        if (auto buffer = dyn_cast<BufferOp>(base)) {
          int64_t now = position;
          auto entry =
              lifetimes.insert({base, {buffer, memoryOf(base), now, now}});
          entry.first->second.last = now;
        }
      }
    }
    // In order of first use; those that are over can be left out.
    SmallVector<Lifetime *> live;
    for (auto &[op, a] : lifetimes) {
      llvm::erase_if(
          live, [first = a.first](Lifetime *b) { return b->last < first; });
      for (Lifetime *b : live) {
        if (a.memory.overlaps(b->memory)) {
          auto error =
              b->buffer.emitOpError("internal: shares memory with a buffer "
                                    "that is live at the same time");
          error.attachNote(a.buffer.getLoc()) << "the other buffer";
          return error;
        }
      }
      live.push_back(&a);
    }
    return success();
  }
};

struct VerifyPlan : plan::impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    llvm::StringSet<> entries;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      for (auto entry : kernel.getEntries().getAsValueRange<StringAttr>()) {
        if (!entries.insert(entry).second) {
          kernel.emitOpError("internal: entry '")
              << entry << "' belongs to two kernels";
          return signalPassFailure();
        }
      }
    }
    // Once generated, entries are inside of the binaries.
    bool isGenerated = !getOperation().getOps<BinaryOp>().empty();
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<FunctionOp>()) {
      for (auto variant : function.getBody().getOps<VariantOp>()) {
        if (failed(CommandChecks(function, variant, symbols).run())) {
          return signalPassFailure();
        }
      }
      auto missing = function.walk([&](LaunchOp launch) {
        if (isGenerated || entries.contains(launch.getEntry())) {
          return WalkResult::advance();
        }
        launch.emitOpError("internal: no kernel has the entry '")
            << launch.getEntry() << "'";
        return WalkResult::interrupt();
      });
      if (missing.wasInterrupted()) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
