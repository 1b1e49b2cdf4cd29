// SPDX-License-Identifier: Apache-2.0
//
// Which bodies have result elements that are computed one by one.

#include "compiler/target/codegen/MapLoops.h"

#include "dialects/kernel/InPlace.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic {

using graph::ElementOpInterface;
using graph::FusibleOpInterface;
using graph::IterationSpace;
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

AffineMap withoutUnitLoops(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> dims;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    dims.push_back(extent == 1 ? getAffineConstantExpr(0, map.getContext())
                               : getAffineDimExpr(i, map.getContext()));
  }
  return simplifyAffineMap(
      map.replaceDimsAndSymbols(dims, {}, extents.size(), 0));
}

static AffineMap identityOver(ArrayRef<int64_t> extents, MLIRContext *context) {
  return withoutUnitLoops(
      AffineMap::getMultiDimIdentityMap(extents.size(), context), extents);
}

/// Why no element of `op` can be computed on its own; empty where one can.
static std::string refuse(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  auto isKnown = [](AffineMap map) { return map; };
  auto fusible = dyn_cast<FusibleOpInterface>(op);
  if (!fusible) {
    return name + " in a fusion";
  }
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    if (!cast<RankedTensorType>(type).hasStaticShape()) {
      return "dynamic shapes are unsupported";
    }
  }
  if (isa<ElementOpInterface>(op)) {
    return {};
  }
  IterationSpace space = fusible.getIterationSpace();
  if (!llvm::all_of(space.operandMaps, isKnown)) {
    return name + " reads where data says";
  }
  if (isa<PointwiseOpInterface>(op)) {
    return {};
  }
  if (graph::movesElements(op)) {
    return op->getNumOperands() == 1 ? "" : name + " has no one operand";
  }
  if (!isa<ReductionOpInterface>(op)) {
    return name + " takes more than one pass";
  }
  ArrayRef<int64_t> parallel =
      ArrayRef(space.extents).take_front(space.parallelCount());
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, parallel.size()));
  auto identity = AffineMap::getMultiDimMapWithTargets(space.rank(), dims,
                                                       op->getContext());
  for (auto [result, map] :
       llvm::zip_equal(op->getResults(), space.resultMaps)) {
    // Zero indices are no map at all to some ops.
    bool isIdentity = map ? withoutUnitLoops(map, space.extents) ==
                                withoutUnitLoops(identity, space.extents)
                          : parallel.empty();
    if (!isIdentity || shapeOf(result) != parallel) {
      return name + " does not write one element per point";
    }
  }
  return {};
}

namespace {

/// Whether all reads of a reduction's result are at the reader's own index.
/// Without a map, what is read is anywhere.
class ReadChecker {
public:
  ReadChecker(ArrayRef<int64_t> extents, Operation *reduction)
      : extents(extents), reduction(reduction) {}

  bool check(Value value, AffineMap map) {
    Operation *op = value.getDefiningOp();
    map = map ? withoutUnitLoops(map, extents) : map;
    if (!op || !seen.insert({value, map}).second) {
      return true;
    }
    if (op == reduction) {
      return map == identityOver(extents, value.getContext());
    }
    if (!map || isa<ElementOpInterface>(op)) {
      return llvm::all_of(op->getOperands(), [&](Value operand) {
        return check(operand, AffineMap());
      });
    }
    return llvm::all_of(
        llvm::zip_equal(op->getOperands(), spaceOf(op).operandMaps),
        [&](auto read) {
          auto [operand, at] = read;
          return check(operand, at.compose(map));
        });
  }

private:
  ArrayRef<int64_t> extents;
  Operation *reduction;
  llvm::DenseSet<std::pair<Value, AffineMap>> seen;
};

} // namespace

/// Why `op`, which writes into its cache, cannot do so in `fusion`; empty where
/// it can: new elements are the points, and nothing else sees the cache.
static std::string refuseUpdate(graph::CacheUpdateOp op,
                                kernel::FusionOp fusion) {
  if (!llvm::is_contained(kernel::getUpdates(fusion), op)) {
    return "an update in place beside other results";
  }
  if (!isa<BlockArgument>(op.getCache()) || !op.getCache().hasOneUse()) {
    return "an update in place of what the fusion reads";
  }
  return {};
}

FailureOr<MapLoops> MapLoops::get(kernel::FusionOp fusion,
                                  std::string &reason) {
  auto fail = [&](const Twine &why) -> FailureOr<MapLoops> {
    reason = why.str();
    return failure();
  };
  MapLoops loops;
  loops.fusion_ = fusion;
  for (Operation *op : fusion.getBodyOps()) {
    reason = refuse(op);
    if (!reason.empty()) {
      return failure();
    }
    if (graph::updatesInPlace(op)) {
      reason = refuseUpdate(cast<graph::CacheUpdateOp>(op), fusion);
      if (!reason.empty()) {
        return failure();
      }
    }
    if (graph::isAnchor(op)) {
      if (loops.reduction_) {
        return fail("more than one reduction in the body");
      }
      loops.reduction_ = op;
    }
  }
  SmallVector<Value> results(fusion.getYield().getValues());
  if (results.empty()) {
    return fail("no results");
  }
  SmallVector<graph::CacheUpdateOp> updates = kernel::getUpdates(fusion);
  if (!updates.empty()) {
    results = llvm::map_to_vector(updates, [](graph::CacheUpdateOp update) {
      return Value(update.getUpdate());
    });
  }
  loops.extents_.assign(shapeOf(results[0]).begin(), shapeOf(results[0]).end());
  ReadChecker checker(loops.extents_, loops.reduction_);
  if (loops.reduction_ &&
      shapeOf(loops.reduction_->getResult(0)) != ArrayRef(loops.extents_)) {
    return fail("a result of another shape than its reduction's");
  }
  for (Value result : results) {
    if (shapeOf(result) != ArrayRef(loops.extents_)) {
      return fail("results of different shapes");
    }
    if (!checker.check(result,
                       identityOver(loops.extents_, fusion.getContext()))) {
      return fail("a reduction's result is read at another index");
    }
  }
  for (graph::CacheUpdateOp update : updates) {
    if (!checker.check(update.getPosition(), AffineMap())) {
      return fail("a position that a reduction computes");
    }
  }
  return loops;
}

int64_t MapLoops::pointCount() const { return llvm::product_of(extents_); }

int64_t MapLoops::rowLength() const {
  return extents_.empty() ? 1 : extents_.back();
}

bool MapLoops::reportsIndices() const {
  kernel::FusionOp fusion = fusion_; // its methods are not const
  return llvm::any_of(fusion.getBodyOps(), [](Operation *op) {
    auto fusible = cast<FusibleOpInterface>(op);
    return isa<ElementOpInterface>(op) &&
           llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
             return fusible.getOperandRole(use.getOperandNumber()) ==
                    graph::OperandRole::Index;
           });
  });
}

/// How often `reduction` reads for one element of a result.
static int64_t stepsOf(Operation *reduction) {
  if (auto search = dyn_cast<ElementOpInterface>(reduction)) {
    return search.getReadsPerElement();
  }
  IterationSpace space = spaceOf(reduction);
  return llvm::product_of(
      ArrayRef(space.extents).drop_front(space.parallelCount()));
}

int64_t MapLoops::opsPerPoint() const {
  kernel::FusionOp fusion = fusion_; // its methods are not const
  SmallVector<Operation *> ops = fusion.getBodyOps();
  if (!reduction_) {
    return int64_t(ops.size());
  }
  // What feeds the reduction is computed at each of its points.
  llvm::DenseSet<Operation *> inner = {reduction_};
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return inner.contains(user); })) {
      inner.insert(op);
    }
  }
  return int64_t(inner.size()) * stepsOf(reduction_) +
         int64_t(ops.size() - inner.size());
}

int64_t MapLoops::reductionPoints() const {
  if (!isa_and_present<ReductionOpInterface>(reduction_)) {
    return 1;
  }
  IterationSpace space = spaceOf(reduction_);
  return llvm::product_of(
      ArrayRef(space.extents).drop_front(space.parallelCount()));
}

bool MapLoops::reducesRows() const {
  if (!isa_and_present<ReductionOpInterface>(reduction_)) {
    return false;
  }
  IterationSpace space = spaceOf(reduction_);
  AffineMap map = space.operandMaps.front();
  return map.getNumResults() > 0 &&
         map.getResults().back().isFunctionOfDim(unsigned(space.rank() - 1));
}

} // namespace minic
