// SPDX-License-Identifier: Apache-2.0
//
// graph-interleave-gates: the gate and the value of a gated unit become columns
// next to each other of one product, whose kernel then has both. It gives up on
// matrices that are not constants with values, and where anything but the unit
// reads one of the two.

#include "passes/graph/Passes.h"
#include "passes/graph/products/ConstantProduct.h"
#include "passes/graph/raise/Match.h"

#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "graph-interleave-gates"

namespace minic::graph {
#define GEN_PASS_DEF_INTERLEAVEGATES
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

//===----------------------------------------------------------------------===//
// Gated units
//===----------------------------------------------------------------------===//

/// The pointwise ops that alone read `value`, one behind the other.
static SmallVector<Operation *> readersOf(Value value) {
  SmallVector<Operation *> readers;
  while (value.hasOneUse()) {
    Operation *reader = *value.user_begin();
    if (!isa<PointwiseOpInterface>(reader) || reader->getNumResults() != 1 ||
        typeOf(reader->getResult(0)).getShape() != typeOf(value).getShape()) {
      break;
    }
    readers.push_back(reader);
    value = reader->getResult(0);
  }
  return readers;
}

/// Whether the two values, and what is made of each, only meet in one op.
static bool meet(Value gate, Value value) {
  SmallVector<Operation *> ofGate = readersOf(gate);
  return llvm::any_of(readersOf(value), [&](Operation *reader) {
    return llvm::is_contained(ofGate, reader);
  });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// `pieces` of one shape, with the elements of dimension `axis` taken from each
/// in turn.
static Value takeTurns(OpBuilder &builder, Location loc, ValueRange pieces,
                       int64_t axis) {
  RankedTensorType type = typeOf(pieces.front());
  SmallVector<int64_t> apart(type.getShape()), together(type.getShape());
  apart.insert(apart.begin() + axis + 1, 1);
  together[size_t(axis)] *= int64_t(pieces.size());
  SmallVector<Value> stacked;
  for (Value piece : pieces) {
    stacked.push_back(
        ReshapeOp::create(builder, loc, type.clone(apart), piece));
  }
  Value both = ConcatOp::create(builder, loc, stacked, uint64_t(axis + 1));
  return ReshapeOp::create(builder, loc, type.clone(together), both);
}

static void interleave(const ConstantProduct &first,
                       const ConstantProduct &second) {
  OpBuilder builder(first.op);
  Location loc = builder.getFusedLoc({first.op->getLoc(), second.op->getLoc()});
  SmallVector<Value> weights{first.weight, second.weight};
  moveHere(builder, weights);
  Value weight = takeTurns(builder, loc, weights, first.axis);
  SmallVector<Value> biases = biasesOf(builder, loc, {first, second});
  Value bias =
      biases.empty() ? Value() : takeTurns(builder, loc, biases, /*axis=*/0);
  Value both = createProduct(builder, loc, first, weight, bias);
  int64_t columns = 2 * first.columns();
  for (auto [turn, product] : llvm::enumerate(ArrayRef{first, second})) {
    product.op->replaceAllUsesWith(
        ValueRange(sliceColumns(builder, product.op->getLoc(), both,
                                int64_t(turn), columns, /*step=*/2)));
  }
  first.op->erase();
  second.op->erase();
}

namespace {

struct InterleaveGates : graph::impl::InterleaveGatesBase<InterleaveGates> {
  using InterleaveGatesBase::InterleaveGatesBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      for (auto &[key, group] : productsOf(block)) {
        pairOff(group);
      }
    }
  }

private:
  /// A product meets at most one other.
  void pairOff(SmallVector<ConstantProduct> &group) {
    while (group.size() > 1) {
      ConstantProduct last = group.pop_back_val();
      auto *other = llvm::find_if(group, [&](const ConstantProduct &each) {
        return each.columns() == last.columns() &&
               meet(each.result(), last.result());
      });
      if (other == group.end()) {
        continue;
      }
      LDBG() << "one product with " << *other->op << ": " << *last.op;
      interleave(*other, last);
      group.erase(other);
      ++interleaved;
    }
  }
};

} // namespace
