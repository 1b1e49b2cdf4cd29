// SPDX-License-Identifier: Apache-2.0
//
// Follows each result back to the operands, with a map from row and column to
// the element that is read of every value on the way.

#include "compiler/target/codegen/RowFusion.h"

#include "compiler/target/codegen/MapLoops.h"
#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/StageSpace.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace minic {

using graph::FusibleOpInterface;
using graph::IterationSpace;
using graph::PointwiseOpInterface;
using graph::ReductionOpInterface;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Type dtypeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static IterationSpace spaceOf(Operation *op) {
  return cast<FusibleOpInterface>(op).getIterationSpace();
}

static kernel::Access accessOf(Value value, AffineMap map) {
  kernel::Access access;
  access.value = value;
  access.map = map;
  return access;
}

/// Why `op` can be no part of a row; empty where it can.
static std::string refuse(Operation *op) {
  std::string name = op->getName().getStringRef().str();
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
  if (isa<PointwiseOpInterface>(op) || isa<graph::ExpandableOpInterface>(op)) {
    return {};
  }
  if (!llvm::all_of(spaceOf(op).operandMaps,
                    [](AffineMap map) { return map; })) {
    return name + " reads where data says";
  }
  if (graph::movesElements(op)) {
    bool isMap = op->getNumOperands() == 1 && !fusible.getPaddingValue(0);
    return isMap ? "" : name + " does not move all of one operand";
  }
  bool isRow = isa<ReductionOpInterface>(op) && !graph::isContraction(op) &&
               !graph::isConvolution(op) &&
               llvm::none_of(op->getOpOperands(), [&](OpOperand &use) {
                 return fusible.getPaddingValue(use.getOperandNumber());
               });
  return isRow ? "" : name + " is no reduction of a row";
}

namespace {

/// Builds a RowFusion from its results backwards.
class RowMatcher {
public:
  explicit RowMatcher(std::string &reason) : reason(reason) {}

  FailureOr<RowFusion> run(kernel::FusionOp fusion) {
    if (failed(expand(fusion))) {
      return failure();
    }
    if (!first) {
      return fail("no reduction in the body");
    }
    space = spaceOf(first);
    rowRank = space.parallelCount();
    if (space.pointCount() == 0) {
      return fail("no elements");
    }
    for (Value result : body.getYield().getValues()) {
      if (failed(addResult(result))) {
        return failure();
      }
    }
    if (failed(setStrides())) {
      return failure();
    }
    orderColumns();
    collapse();
    return std::move(rows);
  }

private:
  /// Sets `body` and `first`.
  LogicalResult expand(kernel::FusionOp fusion) {
    body = fusion;
    for (;;) {
      SmallVector<int64_t> named;
      first = nullptr;
      for (auto [i, op] : llvm::enumerate(body.getBodyOps())) {
        reason = refuse(op);
        if (!reason.empty()) {
          return failure();
        }
        if (isa<graph::ExpandableOpInterface>(op)) {
          named.push_back(int64_t(i));
        } else if (!first && isa<ReductionOpInterface>(op)) {
          first = op;
        }
      }
      if (named.empty()) {
        return success();
      }
      if (!rows.expanded) {
        rows.expanded = fusion.clone();
        body = *rows.expanded;
        body.removeChoiceAttr();
      }
      kernel::buildStages(body, named);
    }
  }

  MLIRContext *context() { return body.getContext(); }
  ArrayRef<int64_t> rowShape() const {
    return ArrayRef(space.extents).take_front(rowRank);
  }
  ArrayRef<int64_t> columnShape() const {
    return ArrayRef(space.extents).drop_front(rowRank);
  }

  /// From the rows and columns of the fusion to the loops of `op`, a reduction;
  /// null where they have others.
  AffineMap loopsOf(Operation *op) {
    IterationSpace own = spaceOf(op);
    size_t rank = own.parallelCount();
    ArrayRef<int64_t> extents = own.extents;
    auto parallel = extents.take_front(rank),
         reduced = extents.drop_front(rank);
    if (llvm::product_of(parallel) != llvm::product_of(rowShape()) ||
        llvm::product_of(reduced) != llvm::product_of(columnShape())) {
      return {};
    }
    AffineMap outer = graph::getReshapeMap(parallel, rowShape(), context());
    AffineMap inner = graph::getReshapeMap(reduced, columnShape(), context());
    SmallVector<AffineExpr> loops;
    for (AffineExpr expr : outer.getResults()) {
      loops.push_back(expr);
    }
    for (AffineExpr expr : inner.getResults()) {
      loops.push_back(
          expr.shiftDims(unsigned(columnShape().size()), unsigned(rowRank)));
    }
    return AffineMap::get(unsigned(space.rank()), 0, loops, context());
  }

  /// Equal elements have equal maps only up to quotients that are whole.
  bool areSame(Value value, AffineMap lhs, AffineMap rhs) const {
    if (lhs == rhs) {
      return true;
    }
    kernel::StageSpace split = kernel::splitSpace(
        space, {accessOf(value, lhs), accessOf(value, rhs)}, {});
    return split.reads[0].address &&
           split.reads[0].address == split.reads[1].address;
  }

  bool dependsOnColumn(Value value, AffineMap map) const {
    if (space.isParallel(map)) {
      return false;
    }
    kernel::StageSpace split =
        kernel::splitSpace(space, {accessOf(value, map)}, {});
    const std::optional<kernel::LinearIndex> &at = split.reads[0].address;
    return !at || llvm::any_of(llvm::zip_equal(split.iterators, at->strides),
                               [&](auto loop) {
                                 auto [iterator, stride] = loop;
                                 return iterator >= rowRank && stride != 0;
                               });
  }

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  FailureOr<size_t> resolve(Value value, AffineMap map) {
    map = withoutUnitLoops(map, space.extents);
    for (auto [known, node] : resolved[value]) {
      if (areSame(value, known, map)) {
        return node;
      }
    }
    FailureOr<size_t> node = resolveNew(value, map);
    if (succeeded(node)) {
      resolved[value].push_back({map, *node});
    }
    return node;
  }

  FailureOr<size_t> resolveNew(Value value, AffineMap map) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return addRead(argument, map);
    }
    Operation *op = value.getDefiningOp();
    if (isa<ReductionOpInterface>(op)) {
      return addReduction(op, map);
    }
    if (graph::movesElements(op)) {
      return resolve(op->getOperand(0),
                     spaceOf(op).operandMaps[0].compose(map));
    }
    RowFusion::Node node;
    node.op = op;
    node.isPerRow = !dependsOnColumn(value, map);
    for (auto [operand, at] :
         llvm::zip_equal(op->getOperands(), spaceOf(op).operandMaps)) {
      if (failed(addOperand(node, operand, at.compose(map)))) {
        return failure();
      }
    }
    // Nothing it reads may differ between columns even where its shape does.
    node.isPerRow |= llvm::all_of(
        node.operands, [&](size_t i) { return rows.nodes[i].isPerRow; });
    return add(std::move(node));
  }

  LogicalResult addOperand(RowFusion::Node &node, Value operand,
                           AffineMap map) {
    FailureOr<size_t> input = resolve(operand, map);
    if (failed(input)) {
      return failure();
    }
    node.operands.push_back(*input);
    node.pass = std::max(node.pass, rows.nodes[*input].pass);
    return success();
  }

  FailureOr<size_t> addReduction(Operation *op, AffineMap map) {
    std::string name = op->getName().getStringRef().str();
    AffineMap loops = loopsOf(op);
    if (!loops) {
      return fail(name + " reduces other rows than " +
                  first->getName().getStringRef());
    }
    if (op->getNumResults() != 1) {
      return fail(name + " has more than one result");
    }
    IterationSpace own = spaceOf(op);
    // Zero indices are no map at all to some ops.
    AffineMap written = own.resultMaps[0];
    written = written ? written.compose(loops)
                      : AffineMap::get(unsigned(space.rank()), 0, context());
    if (!areSame(op->getResult(0), withoutUnitLoops(written, space.extents),
                 map)) {
      return fail("the result of " + name + " is read at another row");
    }
    RowFusion::Node node;
    node.op = op;
    node.isPerRow = true;
    for (auto [operand, at] :
         llvm::zip_equal(op->getOperands(), own.operandMaps)) {
      if (failed(addOperand(node, operand, at.compose(loops)))) {
        return failure();
      }
    }
    ++node.pass;
    return add(std::move(node));
  }

  FailureOr<size_t> addRead(BlockArgument argument, AffineMap map) {
    RowFusion::Node node;
    node.read = rows.reads.size();
    node.isPerRow = !dependsOnColumn(argument, map);
    rows.reads.push_back({argument.getArgNumber(), dtypeOf(argument), 0, {}});
    reads.push_back(accessOf(argument, map));
    return add(std::move(node));
  }

  size_t add(RowFusion::Node node) {
    rows.nodes.push_back(std::move(node));
    return rows.nodes.size() - 1;
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  LogicalResult addResult(Value result) {
    ArrayRef<int64_t> shape = shapeOf(result);
    int64_t count = llvm::product_of(shape);
    AffineMap map;
    if (count == space.pointCount()) {
      map = placesOf(result);
    } else if (count == llvm::product_of(rowShape())) {
      AffineMap outer = graph::getReshapeMap(shape, rowShape(), context());
      map = AffineMap::get(unsigned(space.rank()), 0, outer.getResults(),
                           context());
    } else {
      return fail("a result that has no element per row or column");
    }
    FailureOr<size_t> node = resolve(result, map);
    if (failed(node)) {
      return failure();
    }
    rows.results.push_back({*node, dtypeOf(result), {}});
    writes.push_back(accessOf(result, map));
    return success();
  }

  /// Which element of `value` is that of a row and a column.
  AffineMap placesOf(Value value) {
    if (AffineMap map = placesBehind(value)) {
      return map;
    }
    AffineMap map = placesLike(shapeOf(value));
    return map ? map
               : graph::getReshapeMap(shapeOf(value), space.extents, context());
  }

  /// The same for what is made of a transpose; null for anything else.
  AffineMap placesBehind(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto transpose = dyn_cast_if_present<graph::TransposeOp>(op)) {
      SmallVector<unsigned> dims(transpose.getPermutation());
      return placesOf(transpose.getInput()).getSubMap(dims);
    }
    if (isa_and_present<PointwiseOpInterface>(op)) {
      for (Value operand : op->getOperands()) {
        AffineMap map = shapeOf(operand) == shapeOf(value)
                            ? placesBehind(operand)
                            : AffineMap();
        if (map) {
          return map;
        }
      }
    }
    return {};
  }

  /// How a reduction reads an operand of this shape: rows need not be the last
  /// dimensions. Null where none does.
  AffineMap placesLike(ArrayRef<int64_t> shape) {
    for (Operation *op : body.getBodyOps()) {
      AffineMap loops =
          isa<ReductionOpInterface>(op) ? loopsOf(op) : AffineMap();
      if (loops && shapeOf(op->getOperand(0)) == shape) {
        return spaceOf(op).operandMaps[0].compose(loops);
      }
    }
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Strides
  //===--------------------------------------------------------------------===//

  LogicalResult setStrides() {
    kernel::StageSpace split =
        kernel::splitSpace(space, std::move(reads), std::move(writes));
    for (const kernel::Access &access :
         llvm::concat<kernel::Access>(split.reads, split.writes)) {
      if (!access.address || !access.bounds.empty()) {
        return fail("an element that is not at constant strides");
      }
    }
    rows.extents = split.extents;
    rows.rowLoops = size_t(llvm::count_if(
        split.iterators, [&](unsigned from) { return from < rowRank; }));
    for (auto [read, access] : llvm::zip_equal(rows.reads, split.reads)) {
      read.offset = access.address->offset;
      read.strides = access.address->strides;
    }
    for (auto [result, access] : llvm::zip_equal(rows.results, split.writes)) {
      result.strides = access.address->strides;
    }
    return success();
  }

  /// Of all tensors in loop number `d`.
  SmallVector<int64_t> stridesOf(size_t d) const {
    SmallVector<int64_t> strides;
    for (const RowFusion::Read &read : rows.reads) {
      strides.push_back(read.strides[d]);
    }
    for (const RowFusion::Result &result : rows.results) {
      strides.push_back(result.strides[d]);
    }
    return strides;
  }

  /// Has columns run as they lie in memory, where their numbers mean nothing:
  /// a group of channels of NHWC pixel by pixel.
  void orderColumns() {
    const RowFusion::Read *widest = nullptr;
    for (const RowFusion::Read &read : rows.reads) {
      bool isAlongAll = llvm::all_of(
          llvm::seq(rows.rowLoops, rows.extents.size()), [&](size_t d) {
            return rows.extents[d] == 1 || read.strides[d] > 0;
          });
      widest = isAlongAll && !widest ? &read : widest;
    }
    bool isSum = llvm::all_of(rows.nodes, [&](const RowFusion::Node &node) {
      return !rows.isReduction(node) || isa<graph::ReduceOp>(node.op);
    });
    if (!widest || !isSum) {
      return;
    }
    auto order = llvm::to_vector(llvm::seq<size_t>(0, rows.extents.size()));
    auto strideOf = [&](size_t d) {
      return rows.extents[d] == 1 ? INT64_MAX : widest->strides[d];
    };
    std::stable_sort(
        order.begin() + ptrdiff_t(rows.rowLoops), order.end(),
        [&](size_t a, size_t b) { return strideOf(a) > strideOf(b); });
    auto ordered = [&](ArrayRef<int64_t> values) {
      return llvm::map_to_vector(order, [&](size_t d) { return values[d]; });
    };
    for (RowFusion::Read &read : rows.reads) {
      read.strides = ordered(read.strides);
    }
    for (RowFusion::Result &result : rows.results) {
      result.strides = ordered(result.strides);
    }
    rows.extents = ordered(rows.extents);
  }

  /// Drops loops of one iteration and merges neighbours walked alike, among
  /// rows and among columns.
  void collapse() {
    SmallVector<int64_t> extents;
    SmallVector<SmallVector<int64_t>> strides;
    size_t rowLoops = 0;
    for (size_t d = 0; d != rows.extents.size(); ++d) {
      int64_t extent = rows.extents[d];
      if (d == rows.rowLoops) {
        rowLoops = extents.size();
      }
      if (extent == 1) {
        continue;
      }
      bool isFirst =
          extents.empty() || (d >= rows.rowLoops && rowLoops == extents.size());
      SmallVector<int64_t> own = stridesOf(d);
      auto walksOn = [&](auto pair) {
        return std::get<0>(pair) == std::get<1>(pair) * extent;
      };
      if (!isFirst && llvm::all_of(llvm::zip(strides.back(), own), walksOn)) {
        extents.back() *= extent;
        strides.back() = own;
      } else {
        extents.push_back(extent);
        strides.push_back(own);
      }
    }
    if (rowLoops == extents.size()) {
      extents.push_back(1);
      strides.emplace_back(rows.reads.size() + rows.results.size());
    }
    rows.extents = extents;
    rows.rowLoops = rowLoops;
    for (auto [i, read] : llvm::enumerate(rows.reads)) {
      read.strides = column(strides, i);
    }
    for (auto [i, result] : llvm::enumerate(rows.results)) {
      result.strides = column(strides, rows.reads.size() + i);
    }
  }

  static SmallVector<int64_t> column(ArrayRef<SmallVector<int64_t>> strides,
                                     size_t tensor) {
    return llvm::map_to_vector(strides,
                               [&](const auto &loop) { return loop[tensor]; });
  }

  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  std::string &reason;
  RowFusion rows;
  kernel::FusionOp body;
  Operation *first = nullptr; // a reduction, whose loops are the space
  IterationSpace space;
  size_t rowRank = 0;
  SmallVector<kernel::Access> reads, writes;
  llvm::DenseMap<Value, SmallVector<std::pair<AffineMap, size_t>>> resolved;
};

} // namespace

int64_t RowFusion::rows() const { return llvm::product_of(rowExtents()); }

int64_t RowFusion::columns() const { return llvm::product_of(columnExtents()); }

bool RowFusion::isReduction(const Node &node) const {
  return isa_and_present<ReductionOpInterface>(node.op);
}

static bool isZero(int64_t stride) { return stride == 0; }

bool RowFusion::isPerRow(const Read &read) const {
  return llvm::all_of(ArrayRef(read.strides).drop_front(rowLoops), isZero);
}

bool RowFusion::isPerRow(const Result &result) const {
  return llvm::all_of(ArrayRef(result.strides).drop_front(rowLoops), isZero);
}

bool RowFusion::isPerColumn(const Read &read) const {
  return llvm::all_of(ArrayRef(read.strides).take_front(rowLoops), isZero);
}

bool RowFusion::writesRowsInOrder() const {
  return llvm::all_of(results, [&](const Result &result) {
    int64_t step = isPerRow(result) ? 1 : columns();
    for (size_t d = rowLoops; d-- > 0;) {
      if (extents[d] != 1 && result.strides[d] != step) {
        return false;
      }
      step *= extents[d];
    }
    return true;
  });
}

int64_t RowFusion::passes() const {
  int64_t count = 0;
  for (const Node &node : nodes) {
    count = std::max(count, isReduction(node) ? node.pass : 0);
  }
  int64_t last = count;
  for (const Result &result : results) {
    if (!isPerRow(result) && nodes[result.node].pass == last) {
      count = last + 1;
    }
  }
  return count;
}

FailureOr<RowFusion> RowFusion::get(kernel::FusionOp fusion,
                                    std::string &reason) {
  return RowMatcher(reason).run(fusion);
}

} // namespace minic
