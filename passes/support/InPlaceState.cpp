// SPDX-License-Identifier: Apache-2.0
//
// Chains of updates, and a list schedule in which readers come first.

#include "passes/support/InPlaceState.h"

#include "dialects/graph/Views.h"
#include "dialects/kernel/InPlace.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

InPlaceState::InPlaceState(func::FuncOp func) : func(func) {
  Operation *end = func.getBody().front().getTerminator();
  for (auto [index, returned] : llvm::enumerate(end->getOperands())) {
    auto argument =
        func.getResultAttrOfType<IntegerAttr>(index, graph::inPlaceAttrName);
    if (!argument) {
      continue;
    }
    SmallVector<OpResult> chain;
    Value value = graph::skipReshapes(returned);
    while (auto fusion = value.getDefiningOp<kernel::FusionOp>()) {
      auto result = cast<OpResult>(value);
      auto input = kernel::getUpdatedInput(fusion, result.getResultNumber());
      if (!input) {
        break;
      }
      chain.push_back(result);
      value = graph::skipReshapes(fusion.getInputs()[*input]);
    }
    auto state = dyn_cast<BlockArgument>(value);
    if (chain.empty() || !state || state.getArgNumber() != argument.getInt()) {
      continue;
    }
    updated[index] = state.getArgNumber();
    Value old = state;
    for (OpResult result : llvm::reverse(chain)) {
      overwritten[result.getOwner()].push_back(old);
      updates.push_back({result, index});
      old = result;
    }
  }
}

void InPlaceState::place(plan::PlanBuilder &plan,
                         function_ref<void(Value, Value)> setAddress) {
  llvm::SmallDenseMap<unsigned, Value> addresses;
  for (auto [value, index] : updates) {
    Value &address = addresses[index];
    if (!address) {
      OpBuilder &builder = plan.builder();
      address = plan::OutputOp::create(
          builder, value.getLoc(), plan::AddressType::get(builder.getContext()),
          index);
    }
    setAddress(value, address);
  }
}

/// Calls `visit` with all ops that use `tensor` or a view of it.
static void forEachReader(Value tensor, function_ref<void(Operation *)> visit) {
  for (Operation *user : tensor.getUsers()) {
    if (graph::getViewOffset(user)) {
      forEachReader(user->getResult(0), visit);
    } else {
      visit(user);
    }
  }
}

/// By any op but `writer` that is not `done`.
bool InPlaceState::isRead(Value state, Operation *writer,
                          const llvm::DenseSet<Operation *> &done) const {
  bool isRead = false;
  forEachReader(state, [&](Operation *reader) {
    isRead |= reader != writer && !done.contains(reader);
  });
  return isRead;
}

SmallVector<Operation *> InPlaceState::order() {
  Block &body = func.getBody().front();
  SmallVector<Operation *> waiting, ordered;
  for (Operation &op : body.without_terminator()) {
    waiting.push_back(&op);
  }
  if (overwritten.empty()) {
    return waiting;
  }
  llvm::DenseSet<Operation *> done;
  auto isReady = [&](Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return !producer || done.contains(producer);
    });
  };
  auto isUnread = [&](Operation *op) {
    auto found = overwritten.find(op);
    return found == overwritten.end() ||
           llvm::none_of(found->second,
                         [&](Value state) { return isRead(state, op, done); });
  };
  while (!waiting.empty()) {
    auto *next = llvm::find_if(
        waiting, [&](Operation *op) { return isReady(op) && isUnread(op); });
    if (next == waiting.end()) {
      // Readers that wait for the first such update need a copy.
      next = llvm::find_if(waiting, isReady);
      for (Value state : overwritten[*next]) {
        if (isRead(state, *next, done)) {
          saved[*next].push_back(state);
        }
      }
    }
    done.insert(*next);
    ordered.push_back(*next);
    waiting.erase(next);
  }
  return ordered;
}

ArrayRef<Value> InPlaceState::savedBefore(Operation *op) const {
  auto found = saved.find(op);
  return found == saved.end() ? ArrayRef<Value>() : ArrayRef(found->second);
}

/// The type of the state that `address` is in; null for other memory.
RankedTensorType InPlaceState::stateOf(plan::ResolvedAddress address) const {
  for (auto [result, argument] : updated) {
    auto input = dyn_cast<plan::InputOp>(address.base);
    auto output = dyn_cast<plan::OutputOp>(address.base);
    if ((output && output.getIndex() == result) ||
        (input && input.getIndex() == argument)) {
      return cast<RankedTensorType>(
          func::FuncOp(func).getArgumentTypes()[argument]);
    }
  }
  return nullptr;
}

void InPlaceState::keepFrom(plan::CallOp call, plan::PlanBuilder &plan) const {
  OpBuilder &builder = plan.builder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(call);
  for (OpOperand &address : call.getAddressesMutable()) {
    plan::ResolvedAddress resolved = plan::resolveAddress(address.get());
    RankedTensorType state = stateOf(resolved);
    if (!state) {
      continue;
    }
    Location loc = call.getLoc();
    int64_t bytes = kernel::getBytes(state);
    Value copy = plan.buffer(bytes);
    plan::CopyOp::create(builder, loc, copy, resolved.base->getResult(0), bytes,
                         builder.getStringAttr("copy for a library"),
                         DenseI32ArrayAttr());
    if (resolved.offset != 0) {
      copy = plan::ViewOp::create(builder, loc, copy.getType(), copy,
                                  resolved.offset);
    }
    address.set(copy);
  }
}

} // namespace minic
