// SPDX-License-Identifier: Apache-2.0
//
// Follows every result back to the operands, carrying the view through which
// it is read.

#include "compiler/target/codegen/CollapseLoops.h"
#include "compiler/target/codegen/ElementView.h"
#include "compiler/target/codegen/PointwiseLoops.h"

#include "dialects/kernel/FusionGraph.h"
#include "dialects/kernel/InPlace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace minic {

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// How the pairs of rotary embeddings lie in the last dimension of the loops:
/// the index of pair p's first element is `pairStep` times p, and its second
/// one is `distance` further.
struct Pairs {
  int64_t count, pairStep, distance;

  static Pairs of(graph::RotaryOp op) {
    int64_t count = shapeOf(op.getCos()).back();
    return op.getInterleaved() ? Pairs{count, 2, 1} : Pairs{count, 1, count};
  }
  bool operator==(const Pairs &) const = default;
};

class Resolver {
public:
  /// `results` have the shape `space`. With `moves` forms other than strided
  /// reads and gathers are made. `updates` have the results as new elements;
  /// without any these are tensors of their own.
  Resolver(ArrayRef<Value> results, ArrayRef<int64_t> space, bool moves,
           ArrayRef<graph::CacheUpdateOp> updates, std::string &reason)
      : results(results), space(space), moves(moves), updates(updates),
        reason(reason) {
    if (updates.empty()) {
      skipReshapes();
    }
  }

  FailureOr<PointwiseLoops> run() {
    if (moves && failed(findPairs())) {
      return failure();
    }
    loops.extents = space;
    ElementView identity{ArrayRef(space).vec()};
    for (size_t d = 0; d != space.size(); ++d) {
      identity.dims[d] = {0, {{int64_t(d), 1}}};
    }
    if (pairs) {
      identity.dims.back() = rowOfPairs();
      loops.pairsPerRow = pairs->count;
      loops.extents.back() = pairs->count;
      loops.extents.push_back(2); // goes again when all strides are known
    }
    for (Value result : results) {
      FailureOr<size_t> node = resolve(result, identity);
      if (failed(node)) {
        return failure();
      }
      loops.results.push_back({walk(identity), *node});
    }
    for (auto [write, update] :
         llvm::zip(llvm::MutableArrayRef(loops.results), updates)) {
      if (failed(resolveUpdate(update, identity, write))) {
        return failure();
      }
    }
    collapseLoops(loops, /*hasPairs=*/pairs.has_value());
    for (const PointwiseLoops::Read &read : loops.reads) {
      if (read.gathered) {
        const PointwiseLoops::Read &index = loops.reads[read.gathered->index];
        if (index.strides.back() != 0 || index.pairStride != 0) {
          return fail("graph.gather of single elements");
        }
      }
    }
    return std::move(loops);
  }

private:
  /// Where all results are reshaped from one shape, its loops are those to run:
  /// in row-major order they are the results', and a reshape of a transposed
  /// value has no strides.
  void skipReshapes() {
    SmallVector<Value> inputs;
    for (Value result : results) {
      while (auto reshape = result.getDefiningOp<graph::ReshapeOp>()) {
        result = reshape.getInput();
      }
      inputs.push_back(result);
    }
    if (llvm::all_of(inputs, [&](Value input) {
          return shapeOf(input) == shapeOf(inputs.front());
        })) {
      results = inputs;
      space.assign(shapeOf(inputs.front()).begin(),
                   shapeOf(inputs.front()).end());
    }
  }

  /// Finds how rotary embeddings pair the elements of a row.
  LogicalResult findPairs() {
    llvm::SmallSetVector<Operation *, 16> ops;
    for (Value result : results) {
      if (Operation *op = result.getDefiningOp()) {
        ops.insert(op);
      }
    }
    for (size_t i = 0; i != ops.size(); ++i) {
      if (auto rotary = dyn_cast<graph::RotaryOp>(ops[i])) {
        Pairs own = Pairs::of(rotary);
        if (2 * own.count != shapeOf(rotary.getInput()).back()) {
          return fail("graph.rotary of a part of each row");
        }
        if (space.empty() || space.back() != 2 * own.count ||
            (pairs && *pairs != own)) {
          return fail("graph.rotary of other pairs than the results have");
        }
        pairs = own;
      }
      for (Value operand : ops[i]->getOperands()) {
        if (Operation *op = operand.getDefiningOp()) {
          ops.insert(op);
        }
      }
    }
    return success();
  }

  /// The index of an element in its row.
  ElementIndex rowOfPairs() const {
    int64_t last = int64_t(space.size()) - 1;
    return {0, {{last, pairs->pairStep}, {last + 1, pairs->distance}}};
  }

  FailureOr<size_t> resolve(Value value, const ElementView &view) {
    auto key = std::make_pair(value.getAsOpaquePointer(), view);
    if (auto known = resolved.find(key); known != resolved.end()) {
      return known->second;
    }
    FailureOr<size_t> node = resolveNew(value, view);
    if (succeeded(node)) {
      resolved[key] = *node;
    }
    return node;
  }

  /// Follows `value` through ops that move elements at strides, and changes
  /// `view` to how what it ends at is seen.
  FailureOr<Value> skipMoves(Value value, ElementView &view) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<graph::ReshapeOp>(op)) {
        value = op->getOperand(0); // row-major order is what a reshape keeps
        continue;
      }
      FailureOr<ElementView> own = view.withShape(shapeOf(value));
      if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
        if (failed(own)) {
          return fail("graph.reshape of a transposed value");
        }
        value = transpose.getInput();
        view = ElementView{shapeOf(value).vec()};
        for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
          view.dims[from] = own->dims[d];
        }
      } else if (auto slice = dyn_cast<graph::SliceOp>(op)) {
        if (failed(own)) {
          return fail("graph.reshape of a sliced value");
        }
        value = slice.getInput();
        view = *own;
        view.shape = shapeOf(value).vec();
        for (auto [d, start, step] :
             llvm::enumerate(slice.getStarts(), slice.getSteps())) {
          view.dims[d] = own->dims[d].strided(start, step);
        }
      } else if (isa<graph::BroadcastOp>(op)) {
        if (failed(own)) {
          return fail("graph.reshape of a broadcast value");
        }
        value = op->getOperand(0);
        view = own->broadcast(shapeOf(value));
      } else {
        break;
      }
    }
    return value;
  }

  FailureOr<size_t> resolveNew(Value value, ElementView view) {
    FailureOr<Value> source = skipMoves(value, view);
    if (failed(source)) {
      return failure();
    }
    if (*source != value) {
      return resolve(*source, view);
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return read(argument, view);
    }
    Operation *op = value.getDefiningOp();
    FailureOr<ElementView> own = view.withShape(shapeOf(value));
    if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      if (failed(own)) {
        return fail("graph.reshape of a gathered value");
      }
      return resolveGather(gather, *own);
    }
    if (auto concat = dyn_cast<graph::ConcatOp>(op); concat && moves) {
      if (failed(own)) {
        return fail("graph.reshape of a concat");
      }
      return resolveConcat(concat, *own);
    }
    if (auto rotary = dyn_cast<graph::RotaryOp>(op); rotary && moves) {
      if (failed(own)) {
        return fail("graph.reshape of a rotary embedding");
      }
      return resolveRotary(rotary, *own);
    }
    if (!isa<graph::PointwiseOpInterface>(op)) {
      return fail(op->getName().getStringRef() + " is not pointwise");
    }
    Node node;
    node.op = op;
    for (Value operand : op->getOperands()) {
      FailureOr<ElementView> seen =
          succeeded(own)
              ? FailureOr<ElementView>(own->broadcast(shapeOf(operand)))
              : reshaped(operand, value, view);
      if (failed(seen)) {
        return fail("graph.reshape of a broadcast value");
      }
      FailureOr<size_t> input = resolve(operand, *seen);
      if (failed(input)) {
        return failure();
      }
      node.operands.push_back(*input);
    }
    loops.nodes.push_back(node);
    return loops.nodes.size() - 1;
  }

  /// A read of the table from where the index says on.
  FailureOr<size_t> resolveGather(graph::GatherOp gather,
                                  const ElementView &own) {
    auto table = dyn_cast<BlockArgument>(gather.getInput());
    if (!table) {
      return fail("graph.gather of what is no operand");
    }
    ArrayRef<int64_t> dims = shapeOf(table),
                      indexDims = shapeOf(gather.getIndices());
    size_t axis = gather.getAxis(), rank = indexDims.size();
    ElementView rows{dims.vec()}, which{indexDims.vec()};
    for (size_t d = 0; d != dims.size(); ++d) {
      if (d != axis) {
        rows.dims[d] = own.dims[d < axis ? d : d - 1 + rank];
      }
    }
    for (size_t d = 0; d != rank; ++d) {
      which.dims[d] = own.dims[axis + d];
    }
    FailureOr<size_t> index = readIndex(gather.getIndices(), which);
    if (failed(index)) {
      return fail("graph.gather by what the body computes");
    }
    size_t node = read(table, rows);
    loops.reads.back().gathered = {
        *index, llvm::product_of(dims.drop_front(axis + 1)), dims[axis]};
    return node;
  }

  /// The read of an index that an operand holds as it is.
  FailureOr<size_t> readIndex(Value value, const ElementView &view) {
    FailureOr<size_t> node = resolve(value, view);
    if (failed(node) || loops.nodes[*node].op) {
      return failure();
    }
    const PointwiseLoops::Read &read = loops.reads[loops.nodes[*node].read];
    if (read.gathered || !read.pieces.empty()) {
      return failure();
    }
    return loops.nodes[*node].read;
  }

  /// A read of whichever input has the element. `own` is how the result is
  /// seen.
  FailureOr<size_t> resolveConcat(graph::ConcatOp concat,
                                  const ElementView &own) {
    size_t axis = concat.getAxis();
    const ElementIndex &along = own.dims[axis];
    if (along.terms.size() > 1) {
      return fail("graph.concat of parts of a pair");
    }
    int64_t loop = along.terms.empty() ? 0 : along.terms[0].loop;
    int64_t step = along.terms.empty() ? 1 : along.terms[0].step;
    int64_t extent = along.terms.empty() ? 1 : loops.extents[loop];
    PointwiseLoops::Read made;
    made.pieceLoop = size_t(loop);
    int64_t begin = 0, count = 0;
    for (Value input : concat.getInputs()) {
      int64_t length = shapeOf(input)[axis];
      // The loop's indices whose elements are in this input.
      auto indexAt = [&](int64_t position) {
        int64_t from = std::max<int64_t>(position - along.start, 0);
        return std::min<int64_t>(llvm::divideCeil(from, step), extent);
      };
      int64_t first = indexAt(begin), end = indexAt(begin + length);
      ElementView seen = own;
      seen.shape[axis] = length;
      seen.dims[axis].start -= begin;
      begin += length;
      if (first == end) {
        continue;
      }
      FailureOr<Value> source = skipMoves(input, seen);
      auto argument =
          succeeded(source) ? dyn_cast<BlockArgument>(*source) : nullptr;
      if (!argument) {
        return fail("graph.concat of what is no operand");
      }
      PointwiseLoops::Source from{walk(seen), argument.getArgNumber()};
      if (count++ == 0) {
        static_cast<PointwiseLoops::Source &>(made) = from;
        made.storage = storageOf(argument);
      } else {
        made.pieces.push_back({from, first});
      }
    }
    if (count == 0) {
      return fail("graph.concat of no elements");
    }
    if (count > kMostPieces) {
      return fail("graph.concat of more than " + Twine(kMostPieces) +
                  " operands");
    }
    return addRead(made);
  }

  /// Both elements of a pair are computed at one point from the same reads.
  FailureOr<size_t> resolveRotary(graph::RotaryOp rotary,
                                  const ElementView &own) {
    if (own.dims.back() != rowOfPairs()) {
      return fail("graph.rotary read at parts of a pair");
    }
    int64_t last = int64_t(space.size()) - 1;
    ElementView partner = own, angles = own;
    partner.dims.back() = {
        pairs->distance,
        {{last, pairs->pairStep}, {last + 1, -pairs->distance}}};
    angles.shape.back() = pairs->count;
    angles.dims.back() = {0, {{last, 1}}};
    Node node;
    node.op = rotary;
    for (auto [operand, seen] :
         {std::pair<Value, ElementView>(rotary.getInput(), own),
          std::pair<Value, ElementView>(rotary.getInput(), partner),
          std::pair<Value, ElementView>(
              rotary.getCos(), angles.broadcast(shapeOf(rotary.getCos()))),
          std::pair<Value, ElementView>(
              rotary.getSin(), angles.broadcast(shapeOf(rotary.getSin())))}) {
      FailureOr<size_t> input = resolve(operand, seen);
      if (failed(input)) {
        return failure();
      }
      node.operands.push_back(*input);
    }
    loops.nodes.push_back(node);
    return loops.nodes.size() - 1;
  }

  /// Where `update`, which `write` has the new elements of, puts them.
  LogicalResult resolveUpdate(graph::CacheUpdateOp update,
                              const ElementView &identity,
                              PointwiseLoops::Write &write) {
    FailureOr<size_t> index = readIndex(
        update.getPosition(), ElementView{shapeOf(update.getPosition())});
    if (failed(index)) {
      return fail("an update at a position that the body computes");
    }
    size_t axis = update.getAxis();
    ElementView cache = identity;
    cache.shape = shapeOf(update.getCache()).vec();
    ArrayRef<int64_t> dims = shapeOf(update.getCache());
    static_cast<PointwiseLoops::Walk &>(write) = walk(cache);
    write.updated = {*index, llvm::product_of(dims.drop_front(axis + 1)),
                     dims[axis] - shapeOf(update.getUpdate())[axis] + 1};
    return success();
  }

  /// How an operand of an op whose result is seen in another shape than its own
  /// is seen: possible for operands of one element, and for those of the
  /// result's shape.
  static FailureOr<ElementView> reshaped(Value operand, Value result,
                                         const ElementView &view) {
    ArrayRef<int64_t> dims = shapeOf(operand);
    if (llvm::all_of(dims, [](int64_t dim) { return dim == 1; })) {
      return ElementView{dims.vec()};
    }
    if (llvm::product_of(dims) != llvm::product_of(shapeOf(result))) {
      return failure();
    }
    return view;
  }

  /// A dense tensor seen through `view`.
  PointwiseLoops::Walk walk(const ElementView &view) const {
    PointwiseLoops::Walk made;
    made.strides.assign(loops.extents.size(), 0);
    int64_t stride = 1;
    for (size_t d = view.shape.size(); d-- > 0;) {
      for (const ElementIndex::Term &term : view.dims[d].terms) {
        made.strides[term.loop] += stride * term.step;
      }
      made.offset += stride * view.dims[d].start;
      stride *= view.shape[d];
    }
    return made;
  }

  static Type storageOf(BlockArgument argument) {
    return cast<RankedTensorType>(argument.getType()).getElementType();
  }

  size_t read(BlockArgument argument, const ElementView &view) {
    PointwiseLoops::Read made;
    static_cast<PointwiseLoops::Walk &>(made) = walk(view);
    made.argument = argument.getArgNumber();
    made.storage = storageOf(argument);
    return addRead(made);
  }

  size_t addRead(const PointwiseLoops::Read &made) {
    Node node;
    node.read = loops.reads.size();
    loops.reads.push_back(made);
    loops.nodes.push_back(node);
    return loops.nodes.size() - 1;
  }

  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  /// Of a concat: each is a compare and a select or two for every vector.
  static constexpr int64_t kMostPieces = 32;

  using Node = PointwiseLoops::Node;
  SmallVector<Value> results;
  SmallVector<int64_t> space; // the shape of the results
  const bool moves;
  const ArrayRef<graph::CacheUpdateOp> updates;
  std::string &reason;
  std::optional<Pairs> pairs; // null where nothing is rotated
  PointwiseLoops loops;
  std::map<std::pair<const void *, ElementView>, size_t> resolved;
};

} // namespace

FailureOr<PointwiseLoops> PointwiseLoops::get(const kernel::FusionShape &shape,
                                              std::string &reason) {
  return Resolver(shape.results, shape.space, /*moves=*/false, {}, reason)
      .run();
}

/// Why the updates in place of `fusion` are no loops over new elements; empty
/// where they are.
static std::string refuse(ArrayRef<graph::CacheUpdateOp> updates) {
  graph::CacheUpdateOp first = updates.front();
  ArrayRef<int64_t> shape = shapeOf(first.getUpdate());
  for (graph::CacheUpdateOp update : updates) {
    if (!isa<BlockArgument>(update.getCache()) ||
        !update.getCache().hasOneUse()) {
      return "an update in place of what the fusion reads";
    }
    if (shapeOf(update.getUpdate()) != shape) {
      return "updates in place of different shapes";
    }
  }
  return {};
}

FailureOr<PointwiseLoops> PointwiseLoops::getWithMoves(kernel::FusionOp fusion,
                                                       std::string &reason) {
  SmallVector<graph::CacheUpdateOp> updates = kernel::getUpdates(fusion);
  if (updates.empty()) {
    auto shape = kernel::FusionShape::get(fusion, &reason);
    if (failed(shape)) {
      return failure();
    }
    if (shape->anchor) {
      reason = "a contraction in the body";
      return failure();
    }
    return Resolver(shape->results, shape->space, /*moves=*/true, {}, reason)
        .run();
  }
  if (failed(kernel::FusionGraph::get(fusion, &reason))) {
    return failure();
  }
  reason = refuse(updates);
  if (!reason.empty()) {
    return failure();
  }
  auto fresh = llvm::map_to_vector(updates, [](graph::CacheUpdateOp update) {
    return Value(update.getUpdate());
  });
  return Resolver(fresh, shapeOf(fresh.front()), /*moves=*/true, updates,
                  reason)
      .run();
}

} // namespace minic
