// SPDX-License-Identifier: Apache-2.0
//
// Follows each result back to the operands, with a map from the loops to the
// element that is read of every value on the way.

#include "compiler/target/codegen/IndexArithmetic.h"
#include "compiler/target/codegen/MapLoops.h"
#include "compiler/target/codegen/ReductionShare.h"
#include "compiler/target/codegen/StatusReport.h"
#include "dialects/kernel/InPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using graph::ElementOpInterface;
using graph::FusibleOpInterface;
using graph::IterationSpace;
using graph::OperandRole;
using graph::PointwiseOpInterface;
using graph::ReductionOpInterface;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return typeOf(value).getShape();
}

static IterationSpace spaceOf(Operation *op) {
  return cast<FusibleOpInterface>(op).getIterationSpace();
}

/// Stores an element of `value` at `base`, `offset` elements further.
static void store(KernelBuilder &k, Value element, Value value, Value base,
                  Value offset) {
  Type storage = typeOf(value).getElementType();
  Type memory = KernelBuilder::memoryType(storage);
  k.storeRaw(k.toStorage(element, storage), k.advance(base, offset, storage),
             memory.getIntOrFloatBitWidth() / 8);
}

namespace {

/// The loops that something is computed in, and what is computed there already.
struct Scope {
  SmallVector<Value> indices;
  SmallVector<int64_t> extents;
  llvm::DenseMap<std::pair<Value, AffineMap>, Value> known;
};

class PointEmitter {
public:
  PointEmitter(KernelBuilder &k, Operation *reduction, ArrayRef<Value> operands,
               Value statusWord)
      : k(k), reduction(reduction), operands(operands), statusWord(statusWord) {
  }

  const ReductionShare *share = nullptr; // null: all of the reduction

  /// `indices` are those of `point`.
  void emit(Value point, SmallVector<Value> indices, ArrayRef<int64_t> extents,
            kernel::FusionOp fusion, ArrayRef<Value> results) {
    Scope scope;
    scope.extents.assign(extents.begin(), extents.end());
    scope.indices = std::move(indices);
    if (isa_and_present<ReductionOpInterface>(reduction)) {
      finished = reduce(scope);
    }
    auto identity =
        AffineMap::getMultiDimIdentityMap(extents.size(), fusion.getContext());
    SmallVector<graph::CacheUpdateOp> updates = kernel::getUpdates(fusion);
    for (auto [op, base] : llvm::zip(updates, results)) {
      storeUpdatedElement(k, op, update(scope, op), base);
    }
    if (!updates.empty()) {
      return;
    }
    SmallVector<Value> elements;
    for (Value result : fusion.getYield().getValues()) {
      elements.push_back(read(scope, result, identity));
    }
    OpBuilder::InsertionGuard guard(k.b);
    if (share) {
      auto branch = scf::IfOp::create(k.b, k.loc, share->stores,
                                      /*withElseRegion=*/false);
      k.b.setInsertionPointToStart(branch.thenBlock());
    }
    for (auto [result, element, base] :
         llvm::zip_equal(fusion.getYield().getValues(), elements, results)) {
      store(k, element, result, base, point);
    }
  }

  /// The new element of `op` at `indices`.
  UpdatedElement update(graph::CacheUpdateOp op, ArrayRef<Value> indices) {
    Scope scope = scopeOf(op.getUpdate(), indices);
    return update(scope, op);
  }

  /// The element of `value` at `indices`.
  Value read(Value value, ArrayRef<Value> indices) {
    Scope scope = scopeOf(value, indices);
    return read(
        scope, value,
        AffineMap::getMultiDimIdentityMap(indices.size(), value.getContext()));
  }

  /// The indices of element number `rest` in row-major order.
  SmallVector<Value> delinearize(Value rest, ArrayRef<int64_t> extents) {
    SmallVector<Value> indices(extents.size());
    for (size_t d = extents.size(); d-- > 0;) {
      indices[d] = d == 0 ? rest : k.rem(rest, extents[d]);
      rest = k.div(rest, extents[d]);
    }
    return indices;
  }

private:
  static Scope scopeOf(Value value, ArrayRef<Value> indices) {
    Scope scope;
    scope.indices.assign(indices.begin(), indices.end());
    scope.extents.assign(shapeOf(value).begin(), shapeOf(value).end());
    return scope;
  }

  /// The new element of `op` at the scope's indices.
  UpdatedElement update(Scope &scope, graph::CacheUpdateOp op) {
    auto identity = AffineMap::getMultiDimIdentityMap(scope.indices.size(),
                                                      op.getContext());
    Value element = read(scope, op.getUpdate(), identity);
    Access access(*this, op);
    Value begin = graph::emitUpdateBegin(op, k.b, access);
    Value offset = k.i64(0);
    Value position = k.add(scope.indices[op.getAxis()], begin);
    for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getCache()))) {
      bool isAlong = int64_t(dim) == int64_t(op.getAxis());
      offset =
          k.add(k.mul(offset, extent), isAlong ? position : scope.indices[dim]);
    }
    return {element, offset, position};
  }

  /// The element of `value` at `map` of the scope's loops, in compute type.
  Value read(Scope &scope, Value value, AffineMap map) {
    map = withoutUnitLoops(map, scope.extents);
    Value &known = scope.known[{value, map}];
    if (!known) {
      Value element = readNew(scope, value, map);
      // The map of known values may have grown.
      return scope.known[{value, map}] = element;
    }
    return known;
  }

  Value readNew(Scope &scope, Value value, AffineMap map) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return load(scope, argument, map);
    }
    Operation *op = value.getDefiningOp();
    if (auto element = dyn_cast<ElementOpInterface>(op)) {
      return readElement(scope, element, cast<OpResult>(value), map);
    }
    if (op == reduction) {
      return finished[cast<OpResult>(value).getResultNumber()];
    }
    SmallVector<Value> elements;
    for (auto [use, at] :
         llvm::zip_equal(op->getOpOperands(), spaceOf(op).operandMaps)) {
      elements.push_back(readOperand(scope, use, at.compose(map)));
    }
    auto pointwise = dyn_cast<PointwiseOpInterface>(op);
    return pointwise ? pointwise.emitScalar(k.b, elements) : elements[0];
  }

  /// The same of an op that says its own reads; all its results become known.
  Value readElement(Scope &scope, ElementOpInterface op, OpResult result,
                    AffineMap map) {
    SmallVector<Value> indices;
    for (AffineExpr expr : map.getResults()) {
      indices.push_back(emitIndex(k, expr, scope.indices, scope.extents).value);
    }
    Access access(*this, op);
    SmallVector<Value> elements = op.emitElements(k.b, access, indices);
    for (auto [other, element] : llvm::zip_equal(op->getResults(), elements)) {
      scope.known[{other, map}] = element;
    }
    return elements[result.getResultNumber()];
  }

  /// Reads operands of an op in loops over their own indices.
  class Access : public graph::ElementAccess {
  public:
    Access(PointEmitter &emitter, Operation *op) : emitter(emitter), op(op) {}

    Value read(unsigned operand, ValueRange indices) override {
      return emitter.read(op->getOperand(operand), llvm::to_vector<4>(indices));
    }
    void report(Value isOutside) override {
      if (emitter.statusWord) {
        emitReport(emitter.k, emitter.statusWord, isOutside);
      }
    }

  private:
    PointEmitter &emitter;
    Operation *op;
  };

  Value load(Scope &scope, BlockArgument argument, AffineMap map) {
    Value offset = k.i64(0);
    for (auto [expr, extent] :
         llvm::zip_equal(map.getResults(), shapeOf(argument))) {
      Value index = emitIndex(k, expr, scope.indices, scope.extents).value;
      offset = k.add(k.mul(offset, extent), index);
    }
    Type storage = typeOf(argument).getElementType();
    return k.loadScalar(
        k.advance(operands[argument.getArgNumber()], offset, storage), storage);
  }

  /// The same of an operand that its op may read outside of.
  Value readOperand(Scope &scope, OpOperand &use, AffineMap map) {
    TypedAttr padding = cast<FusibleOpInterface>(use.getOwner())
                            .getPaddingValue(use.getOperandNumber());
    Value isInside = padding ? emitIsInside(scope, use.get(), map) : Value();
    if (!isInside) {
      return read(scope, use.get(), map);
    }
    Type type = KernelBuilder::computeType(typeOf(use.get()).getElementType());
    auto branch = scf::IfOp::create(k.b, k.loc, type, isInside,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    Scope inside = scope; // what is computed in the branch stays in it
    scf::YieldOp::create(k.b, k.loc, read(inside, use.get(), map));
    k.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(k.b, k.loc, emitConstant(padding, type));
    return branch.getResult(0);
  }

  Value emitConstant(TypedAttr attr, Type type) {
    if (auto number = dyn_cast<FloatAttr>(attr)) {
      attr = k.b.getFloatAttr(type, number.getValueAsDouble());
    }
    return arith::ConstantOp::create(k.b, k.loc, attr);
  }

  /// Null where `map` never leaves `value`.
  Value emitIsInside(Scope &scope, Value value, AffineMap map) {
    Value all;
    auto require = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
      Value holds =
          arith::CmpIOp::create(k.b, k.loc, predicate, lhs, k.i64(rhs));
      all = all ? arith::AndIOp::create(k.b, k.loc, all, holds) : holds;
    };
    for (auto [expr, extent] :
         llvm::zip_equal(map.getResults(), shapeOf(value))) {
      BoundedIndex index = emitIndex(k, expr, scope.indices, scope.extents);
      if (index.least < 0) {
        require(arith::CmpIPredicate::sge, index.value, 0);
      }
      if (index.most >= extent) {
        require(arith::CmpIPredicate::slt, index.value, extent);
      }
    }
    return all;
  }

  /// Its results at the point of `outer`.
  SmallVector<Value> reduce(Scope &outer) {
    auto op = cast<ReductionOpInterface>(reduction);
    IterationSpace space = spaceOf(reduction);
    SmallVector<Value> state = op.emitInit(k.b, {});
    state = share ? share->emitMerge(op, loopOverShare(space, outer, state))
                  : loop(space, outer.indices, state);
    SmallVector<Value> biases;
    for (auto [use, map] :
         llvm::zip_equal(reduction->getOpOperands(), space.operandMaps)) {
      Value bias;
      if (isBias(use)) {
        bias = read(outer, use.get(),
                    AffineMap::get(outer.extents.size(), 0, map.getResults(),
                                   map.getContext()));
      }
      biases.push_back(bias);
    }
    return op.emitFinish(k.b, state, biases);
  }

  /// Loops over the iterators behind `indices`; the state at their end.
  SmallVector<Value> loop(const IterationSpace &space, ArrayRef<Value> indices,
                          ValueRange state) {
    if (indices.size() == space.rank()) {
      return combine(space, indices, state);
    }
    Value extent = k.i64(space.extents[indices.size()]);
    return k.forLoop(k.i64(0), extent, 1, state,
                     [&](Value index, ValueRange carried) {
                       SmallVector<Value> inner(indices);
                       inner.push_back(index);
                       return loop(space, inner, carried);
                     });
  }

  /// The same over the points that `share` says, in one loop.
  SmallVector<Value> loopOverShare(const IterationSpace &space,
                                   const Scope &outer, ValueRange state) {
    ArrayRef<int64_t> extents =
        ArrayRef(space.extents).drop_front(space.parallelCount());
    return k.forLoop(share->first, k.i64(llvm::product_of(extents)),
                     share->count, state, [&](Value at, ValueRange carried) {
                       SmallVector<Value> indices(outer.indices);
                       llvm::append_range(indices, delinearize(at, extents));
                       return combine(space, indices, carried);
                     });
  }

  /// The state with one more point.
  SmallVector<Value> combine(const IterationSpace &space,
                             ArrayRef<Value> indices, ValueRange state) {
    auto op = cast<ReductionOpInterface>(reduction);
    Scope scope;
    scope.indices.assign(indices.begin(), indices.end());
    scope.extents = space.extents;
    SmallVector<Value> elements;
    for (auto [use, map] :
         llvm::zip_equal(reduction->getOpOperands(), space.operandMaps)) {
      elements.push_back(
          isBias(use) ? Value()
                      : rounded(readOperand(scope, use, map), use.get()));
    }
    SmallVector<Value> positions;
    if (op.needsIndices()) {
      llvm::append_range(positions, indices.drop_front(space.parallelCount()));
    }
    return op.emitCombine(k.b, state, elements, positions);
  }

  bool isBias(OpOperand &use) {
    return cast<FusibleOpInterface>(reduction).getOperandRole(
               use.getOperandNumber()) == OperandRole::Bias;
  }

  /// A matrix that the kernel computes itself is rounded as if it were stored.
  Value rounded(Value element, Value operand) {
    bool isMatrix =
        graph::isContraction(reduction) || graph::isConvolution(reduction);
    if (!isMatrix || isa<BlockArgument>(operand)) {
      return element;
    }
    Type storage = typeOf(operand).getElementType();
    return k.toCompute(k.toStorage(element, storage), storage);
  }

  KernelBuilder &k;
  Operation *reduction;
  ArrayRef<Value> operands;
  Value statusWord;
  SmallVector<Value> finished; // the reduction's results
};

} // namespace

Value emitElement(KernelBuilder &k, Value value, ArrayRef<Value> indices,
                  ArrayRef<Value> operands, Value statusWord) {
  return PointEmitter(k, /*reduction=*/nullptr, operands, statusWord)
      .read(value, indices);
}

UpdatedElement emitUpdatedElement(KernelBuilder &k, graph::CacheUpdateOp update,
                                  ArrayRef<Value> indices,
                                  ArrayRef<Value> operands, Value statusWord) {
  return PointEmitter(k, /*reduction=*/nullptr, operands, statusWord)
      .update(update, indices);
}

void storeUpdatedElement(KernelBuilder &k, graph::CacheUpdateOp update,
                         UpdatedElement updated, Value base) {
  store(k, updated.element, update.getUpdate(), base, updated.offset);
}

void MapLoops::emitPoint(KernelBuilder &k, Value point,
                         ArrayRef<Value> operands, ArrayRef<Value> results,
                         Value statusWord, const ReductionShare *share) const {
  PointEmitter emitter(k, reduction_, operands, statusWord);
  emitter.share = share;
  emitter.emit(point, emitter.delinearize(point, extents_), extents_, fusion_,
               results);
}

void MapLoops::emitPointOfRow(KernelBuilder &k, Value row, Value column,
                              ArrayRef<Value> operands, ArrayRef<Value> results,
                              Value statusWord) const {
  PointEmitter emitter(k, reduction_, operands, statusWord);
  SmallVector<Value> indices;
  if (!extents_.empty()) {
    indices = emitter.delinearize(row, ArrayRef(extents_).drop_back());
    indices.push_back(column);
  }
  emitter.emit(k.add(k.mul(row, rowLength()), column), std::move(indices),
               extents_, fusion_, results);
}

} // namespace minic
