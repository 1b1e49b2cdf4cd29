// SPDX-License-Identifier: Apache-2.0
//
// Operands are followed backwards by FusionGraph; the copy that a moved result
// is there gives its strides the other way round.

#include "compiler/target/codegen/AttentionFusion.h"

#include "dialects/graph/InPlace.h"
#include "dialects/kernel/FusionGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace minic {

using kernel::FusionGraph;
using kernel::LinearIndex;
using kernel::Stage;
using kernel::StageSpace;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// The iterators that graph.attention declares.
enum Iterator : unsigned { kBatch, kHead, kRow, kColumn, kKey, kDepth };

/// The number of consecutive indices of an iterator that read one element:
/// heads that share a key.
struct Walk {
  Iterator iterator;
  int64_t shared = 1;
};

class AttentionMatcher {
public:
  explicit AttentionMatcher(std::string &reason) : reason(reason) {}

  FailureOr<AttentionFusion> run(kernel::FusionOp fusion) {
    FailureOr<FusionGraph> graph = FusionGraph::get(fusion, &reason);
    if (failed(graph) || failed(findAttention(*graph))) {
      return failure();
    }
    body.operands = unsigned(fusion.getInputs().size());
    setSizes();
    int64_t sizes[] = {body.batch, body.heads, body.rows,
                       body.keys,  body.depth, body.valueDepth};
    if (llvm::is_contained(sizes, 0)) {
      return fail("no elements");
    }
    if (failed(setOperands()) || failed(findMakers(fusion)) ||
        failed(setResults(fusion, *graph))) {
      return failure();
    }
    return body;
  }

private:
  using Access = AttentionFusion::Access;

  LogicalResult findAttention(const FusionGraph &graph) {
    for (const Stage &stage : graph.stages) {
      if (auto attention = dyn_cast<graph::AttentionOp>(stage.ops.front())) {
        if (op) {
          return fail("two attentions in the body");
        }
        op = attention;
        space = graph.getSpace(stage);
      }
    }
    return op ? success() : fail("no attention in the body");
  }

  void setSizes() {
    ArrayRef<int64_t> query = typeOf(op.getQuery()).getShape();
    ArrayRef<int64_t> value = typeOf(op.getValue()).getShape();
    body.batch = query[0];
    body.heads = query[1];
    body.rows = query[2];
    body.depth = query[3];
    body.keyHeads = value[1];
    body.keys = value[2];
    body.valueDepth = value[3];
    body.scale = op.getScoreScale();
    if (op.getSoftCap()) {
      body.softCap = op.getSoftCap()->convertToDouble();
    }
    body.causal = op.getCausal();
    if (op.getWindow()) {
      body.window = int64_t(*op.getWindow());
    }
  }

  //===--------------------------------------------------------------------===//
  // What attention reads and writes
  //===--------------------------------------------------------------------===//

  LogicalResult setOperands() {
    Walk batch{kBatch}, head{kHead}, row{kRow}, column{kColumn}, key{kKey};
    Walk depth{kDepth}, keyHead{kHead, op.getHeadsPerKey()};
    if (failed(read("query", op.getQueryMutable(), {batch, head, row, depth},
                    body.query, &body.madeQuery)) ||
        failed(read("key", op.getKeyMutable(), {batch, keyHead, key, depth},
                    body.key)) ||
        failed(read("value", op.getValueMutable(),
                    {batch, keyHead, key, column}, body.value))) {
      return failure();
    }
    if (op.getMask() &&
        failed(read("mask", op.getMaskMutable()[0], {batch, head, row, key},
                    body.mask.emplace()))) {
      return failure();
    }
    return op.getKeyLength()
               ? read("key_length", op.getKeyLengthMutable()[0], {batch},
                      body.keyLength.emplace(), &body.madeLength)
               : success();
  }

  /// `made`: set where the body computes the operand.
  LogicalResult read(StringRef name, OpOperand &use, ArrayRef<Walk> walks,
                     Access &access, Value *made = nullptr) {
    auto found = llvm::find_if(space.reads, [&](const kernel::Access &read) {
      return read.use == &use;
    });
    Value source = found->value;
    if (graph::updatesInPlace(source.getDefiningOp()) && source == use.get()) {
      source = source.getDefiningOp<graph::CacheUpdateOp>().getCache();
    }
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument && made) {
      *made = use.get();
      access.storage = typeOf(*made).getElementType();
      int64_t stride = 1;
      for (size_t dim = walks.size(); dim-- > 0;) {
        access.strides[dim] = stride;
        stride *=
            typeOf(*made).getRank() == 0 ? 0 : typeOf(*made).getDimSize(dim);
      }
      return success();
    }
    if (!argument) {
      return fail("attention's " + name + " is computed in the body");
    }
    access.argument = argument.getArgNumber();
    access.storage = typeOf(argument).getElementType();
    return setStrides(*found, walks, name, access);
  }

  LogicalResult setStrides(const kernel::Access &from, ArrayRef<Walk> walks,
                           StringRef name, Access &access) {
    if (!from.address || !from.bounds.empty()) {
      return fail("attention's " + name + " is not at constant strides");
    }
    access.offset = from.address->offset;
    for (auto [i, walk] : llvm::enumerate(walks)) {
      std::optional<int64_t> stride = strideOf(*from.address, walk);
      if (!stride) {
        return fail("attention's " + name +
                    " is not at one stride along dimension " + Twine(i));
      }
      access.strides[i] = *stride;
    }
    return success();
  }

  /// From one element along `walk` to the next; none where there are several
  /// strides.
  std::optional<int64_t> strideOf(const LinearIndex &address, Walk walk) const {
    int64_t inner = 1; // indices of the parts that were seen
    std::optional<int64_t> stride;
    for (size_t i = space.extents.size(); i-- > 0;) {
      int64_t extent = space.extents[i];
      if (space.iterators[i] != walk.iterator || extent == 1) {
        continue;
      }
      if (inner < walk.shared) {
        if (address.strides[i] != 0) {
          return std::nullopt;
        }
      } else {
        int64_t steps = inner / walk.shared;
        stride = stride ? stride : address.strides[i] / steps;
        if (address.strides[i] != *stride * steps) {
          return std::nullopt;
        }
      }
      inner *= extent;
    }
    return stride.value_or(0);
  }

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Finds the updates of key and value, and what makes their new elements, the
  /// query and the length.
  LogicalResult findMakers(kernel::FusionOp fusion) {
    SmallVector<Operation *> producers;
    for (Value made : {body.madeQuery, body.madeLength}) {
      if (made) {
        producers.push_back(made.getDefiningOp());
      }
    }
    for (Value cache : {op.getKey(), op.getValue()}) {
      auto update = cache.getDefiningOp<graph::CacheUpdateOp>();
      if (!graph::updatesInPlace(update)) {
        continue;
      }
      if (update.getAxis() != 2 || !update.getCache().hasOneUse()) {
        return fail("a cache that the body reads before its update");
      }
      body.updates.push_back(
          {update, fusion.getNumResults(), cache == op.getValue()});
      producers.push_back(update);
    }
    while (!producers.empty()) {
      Operation *producer = producers.pop_back_val();
      if (graph::isAnchor(producer)) {
        return fail("operands of attention that " +
                    producer->getName().getStringRef() + " makes");
      }
      if (graph::updatesInPlace(producer) &&
          llvm::none_of(body.updates, [&](AttentionFusion::Update each) {
            return each.op == producer;
          })) {
        return fail("an update in place of what attention does not read");
      }
      makers.insert(producer);
      for (Value operand : producer->getOperands()) {
        if (Operation *next = operand.getDefiningOp()) {
          producers.push_back(next);
        }
      }
    }
    return success();
  }

  LogicalResult setResults(kernel::FusionOp fusion, const FusionGraph &graph) {
    bool hasResult = false;
    auto yielded = fusion.getYield().getValues();
    for (const Stage &stage : graph.stages) {
      if (llvm::all_of(stage.ops, [&](Operation *each) {
            return makers.contains(each);
          })) {
        continue;
      }
      StageSpace own = graph.getSpace(stage);
      Operation *first = stage.ops.front();
      bool isCopy = graph::movesElements(first) && own.reads.size() == 1 &&
                    own.reads[0].value.getDefiningOp() == op;
      if (first != op && !isCopy) {
        return fail(first->getName().getStringRef() + " beside attention");
      }
    }
    for (auto [number, value] : llvm::enumerate(yielded)) {
      auto *update =
          llvm::find_if(body.updates, [&](AttentionFusion::Update each) {
            return each.op.getOperation() == value.getDefiningOp();
          });
      if (update != body.updates.end()) {
        update->result = unsigned(number);
        continue;
      }
      Access access;
      access.argument = unsigned(number);
      access.storage = typeOf(value).getElementType();
      FailureOr<unsigned> which = write(value, graph, access);
      if (failed(which)) {
        return failure();
      }
      if (*which == 0 ? hasResult : body.logSumExp.has_value()) {
        return fail("a result of attention is yielded twice");
      }
      if (*which == 0) {
        body.result = access;
        hasResult = true;
      } else {
        body.logSumExp = access;
      }
    }
    for (const AttentionFusion::Update &update : body.updates) {
      if (update.result == fusion.getNumResults()) {
        return fail("an update in place that is no result");
      }
    }
    return hasResult ? success() : fail("attention's result is unused");
  }

  /// Which result of attention `value` is, and where it lies.
  FailureOr<unsigned> write(Value value, const FusionGraph &graph,
                            Access &access) {
    if (value.getDefiningOp() == op) {
      Walk walks[] = {{kBatch}, {kHead}, {kRow}, {kColumn}};
      unsigned number = cast<OpResult>(value).getResultNumber();
      auto found = llvm::find_if(space.writes, [&](const kernel::Access &own) {
        return own.value == value;
      });
      if (failed(setStrides(*found, ArrayRef(walks).drop_back(number), "result",
                            access))) {
        return failure();
      }
      return number;
    }
    auto stage = llvm::find_if(graph.stages, [&](const Stage &each) {
      return each.ops.front() == value.getDefiningOp();
    });
    if (stage == graph.stages.end()) {
      return fail("a result that is none of attention");
    }
    StageSpace copy = graph.getSpace(*stage);
    if (failed(invert(copy, access))) {
      return failure();
    }
    return cast<OpResult>(copy.reads[0].value).getResultNumber();
  }

  /// Where `copy` writes each index of what it reads, a dense tensor.
  LogicalResult invert(const StageSpace &copy, Access &access) {
    const std::optional<LinearIndex> &from = copy.reads[0].address,
                                     &to = copy.writes[0].address;
    auto shape = typeOf(copy.reads[0].value).getShape();
    if (!from || !to || !copy.reads[0].bounds.empty() ||
        llvm::product_of(copy.extents) != llvm::product_of(shape)) {
      return fail("only some of attention's result is yielded");
    }
    access.offset = to->offset;
    int64_t unit = 1; // from one index of the dimension to the next
    for (size_t dim = shape.size(); dim-- > 0; unit *= shape[dim]) {
      int64_t walked = unit;
      while (walked != unit * shape[dim]) {
        size_t loop = loopThatSteps(copy, *from, walked);
        if (loop == copy.extents.size()) {
          return fail("attention's result is not at constant strides");
        }
        int64_t &stride = access.strides[dim];
        stride = walked == unit ? to->strides[loop] : stride;
        if (to->strides[loop] != stride * (walked / unit)) {
          return fail("attention's result is not at one stride along "
                      "dimension " +
                      Twine(dim));
        }
        walked *= copy.extents[loop];
      }
    }
    return success();
  }

  static size_t loopThatSteps(const StageSpace &copy, const LinearIndex &index,
                              int64_t stride) {
    size_t loop = 0;
    while (loop != copy.extents.size() &&
           (copy.extents[loop] == 1 || index.strides[loop] != stride)) {
      ++loop;
    }
    return loop;
  }

  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  std::string &reason;
  AttentionFusion body;
  graph::AttentionOp op;
  StageSpace space; // of op
  /// What makes operands: updates in place, and what computes elements.
  llvm::SmallPtrSet<Operation *, 8> makers;
};

} // namespace

bool AttentionFusion::writesBatchInOrder() const {
  auto isInOrder = [&](const Access &access, int64_t elements) {
    return access.offset == 0 && (batch == 1 || access.strides[0] == elements);
  };
  return isInOrder(result, heads * rows * valueDepth) &&
         (!logSumExp || isInOrder(*logSumExp, heads * rows));
}

/// The arguments that `value` is computed from.
static void addArguments(Value value, SmallVectorImpl<unsigned> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    arguments.push_back(argument.getArgNumber());
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands()) {
    addArguments(operand, arguments);
  }
}

SmallVector<unsigned> AttentionFusion::countingOperands() const {
  SmallVector<unsigned> arguments;
  for (Update update : updates) {
    addArguments(update.op.getPosition(), arguments);
  }
  if (madeLength) {
    addArguments(madeLength, arguments);
  } else if (keyLength) {
    arguments.push_back(keyLength->argument);
  }
  return arguments;
}

FailureOr<AttentionFusion> AttentionFusion::get(kernel::FusionOp fusion,
                                                std::string &reason) {
  return AttentionMatcher(reason).run(fusion);
}

} // namespace minic
