// SPDX-License-Identifier: Apache-2.0
//
// Follows every result back to the operands, carrying the view through which
// it is read.

#include "compiler/target/codegen/PointwiseLoops.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace minic {

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A value read as if it had been reshaped to `shape`; index d of that shape is
/// `starts[d]` and `steps[d]` times the loop index `loops[d]`, or 0 where that
/// is -1.
struct View {
  std::vector<int64_t> shape;
  std::vector<int64_t> loops;
  std::vector<int64_t> starts = std::vector<int64_t>(shape.size(), 0);
  std::vector<int64_t> steps = std::vector<int64_t>(shape.size(), 1);

  /// The same view with other dimensions of extent 1; failure if more differs.
  FailureOr<View> withShape(ArrayRef<int64_t> target) const {
    View result{target.vec(), std::vector<int64_t>(target.size(), -1)};
    size_t from = 0;
    for (size_t d = 0; d != target.size(); ++d) {
      if (target[d] == 1) {
        continue;
      }
      while (from != shape.size() && shape[from] == 1) {
        ++from;
      }
      if (from == shape.size() || shape[from] != target[d]) {
        return failure();
      }
      result.starts[d] = starts[from];
      result.steps[d] = steps[from];
      result.loops[d] = loops[from++];
    }
    for (; from != shape.size(); ++from) {
      if (shape[from] != 1) {
        return failure();
      }
    }
    return result;
  }
};

class Resolver {
public:
  Resolver(const kernel::FusionShape &shape, std::string &reason)
      : results(shape.results), space(shape.space), reason(reason) {
    skipReshapes();
    loops.extents = space;
  }

  FailureOr<PointwiseLoops> run() {
    View identity{ArrayRef(space).vec(), {}};
    llvm::append_range(identity.loops, llvm::seq<int64_t>(0, space.size()));
    for (Value result : results) {
      FailureOr<size_t> node = resolve(result, identity);
      if (failed(node)) {
        return failure();
      }
      loops.results.push_back(*node);
    }
    collapse();
    for (const PointwiseLoops::Read &read : loops.reads) {
      if (read.gathered &&
          loops.reads[read.gathered->index].strides.back() != 0) {
        return fail("graph.gather of single elements");
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

  FailureOr<size_t> resolve(Value value, const View &view) {
    auto key = std::make_tuple(value.getAsOpaquePointer(), view.shape,
                               view.loops, view.starts, view.steps);
    if (auto known = resolved.find(key); known != resolved.end()) {
      return known->second;
    }
    FailureOr<size_t> node = resolveNew(value, view);
    if (succeeded(node)) {
      resolved[key] = *node;
    }
    return node;
  }

  FailureOr<size_t> resolveNew(Value value, const View &view) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return read(argument, view);
    }
    Operation *op = value.getDefiningOp();
    if (isa<graph::ReshapeOp>(op)) {
      // Row-major order is what a reshape keeps.
      return resolve(op->getOperand(0), view);
    }
    FailureOr<View> own = view.withShape(shapeOf(value));
    if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
      if (failed(own)) {
        return fail("graph.reshape of a transposed value");
      }
      View input{shapeOf(transpose.getInput()).vec(),
                 std::vector<int64_t>(own->loops.size())};
      for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
        input.loops[from] = own->loops[d];
        input.starts[from] = own->starts[d];
        input.steps[from] = own->steps[d];
      }
      return resolve(transpose.getInput(), input);
    }
    if (auto slice = dyn_cast<graph::SliceOp>(op)) {
      if (failed(own)) {
        return fail("graph.reshape of a sliced value");
      }
      View input = *own;
      input.shape = shapeOf(slice.getInput()).vec();
      for (auto [d, step] : llvm::enumerate(slice.getSteps())) {
        input.starts[d] = slice.getStarts()[d] + step * own->starts[d];
        input.steps[d] *= step;
      }
      return resolve(slice.getInput(), input);
    }
    if (isa<graph::BroadcastOp>(op)) {
      if (failed(own)) {
        return fail("graph.reshape of a broadcast value");
      }
      return resolve(op->getOperand(0), broadcast(op->getOperand(0), *own));
    }
    if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      if (failed(own)) {
        return fail("graph.reshape of a gathered value");
      }
      return resolveGather(gather, *own);
    }
    if (!isa<graph::PointwiseOpInterface>(op)) {
      return fail(op->getName().getStringRef() + " is not pointwise");
    }
    Node node;
    node.op = op;
    for (Value operand : op->getOperands()) {
      FailureOr<View> seen = succeeded(own)
                                 ? FailureOr<View>(broadcast(operand, *own))
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
  FailureOr<size_t> resolveGather(graph::GatherOp gather, const View &own) {
    auto table = dyn_cast<BlockArgument>(gather.getInput());
    if (!table) {
      return fail("graph.gather of what is no operand");
    }
    ArrayRef<int64_t> dims = shapeOf(table),
                      indexDims = shapeOf(gather.getIndices());
    size_t axis = gather.getAxis(), rank = indexDims.size();
    View rows{dims.vec(), std::vector<int64_t>(dims.size(), -1)};
    View which{indexDims.vec(), std::vector<int64_t>(rank, -1)};
    auto take = [&](View &view, size_t d, size_t from) {
      view.loops[d] = own.loops[from];
      view.starts[d] = own.starts[from];
      view.steps[d] = own.steps[from];
    };
    for (size_t d = 0; d != dims.size(); ++d) {
      if (d != axis) {
        take(rows, d, d < axis ? d : d - 1 + rank);
      }
    }
    for (size_t d = 0; d != rank; ++d) {
      take(which, d, axis + d);
    }
    FailureOr<size_t> index = resolve(gather.getIndices(), which);
    if (failed(index)) {
      return failure();
    }
    if (loops.nodes[*index].op ||
        loops.reads[loops.nodes[*index].read].gathered) {
      return fail("graph.gather by what the body computes");
    }
    size_t node = read(table, rows);
    loops.reads.back().gathered = {loops.nodes[*index].read,
                                   llvm::product_of(dims.drop_front(axis + 1)),
                                   dims[axis]};
    return node;
  }

  /// How an operand of an op whose result is seen through `own` is seen.
  static View broadcast(Value operand, const View &own) {
    ArrayRef<int64_t> dims = shapeOf(operand);
    View view{dims.vec(), std::vector<int64_t>(dims.size(), -1)};
    size_t skipped = own.shape.size() - dims.size();
    for (size_t d = 0; d != dims.size(); ++d) {
      if (dims[d] != 1) {
        view.loops[d] = own.loops[skipped + d];
        view.starts[d] = own.starts[skipped + d];
        view.steps[d] = own.steps[skipped + d];
      }
    }
    return view;
  }

  /// The same where the result is seen in another shape than its own: possible
  /// for operands of one element, and for those of the result's shape.
  static FailureOr<View> reshaped(Value operand, Value result,
                                  const View &view) {
    ArrayRef<int64_t> dims = shapeOf(operand);
    if (llvm::all_of(dims, [](int64_t dim) { return dim == 1; })) {
      return View{dims.vec(), std::vector<int64_t>(dims.size(), -1)};
    }
    if (llvm::product_of(dims) != llvm::product_of(shapeOf(result))) {
      return failure();
    }
    return view;
  }

  size_t read(BlockArgument argument, const View &view) {
    PointwiseLoops::Read read;
    read.argument = argument.getArgNumber();
    read.storage = cast<RankedTensorType>(argument.getType()).getElementType();
    read.strides.assign(space.size(), 0);
    int64_t stride = 1;
    for (size_t d = view.shape.size(); d-- > 0;) {
      if (view.loops[d] >= 0 && view.shape[d] != 1) {
        read.strides[view.loops[d]] += stride * view.steps[d];
      }
      read.offset += stride * view.starts[d];
      stride *= view.shape[d];
    }
    Node node;
    node.read = loops.reads.size();
    loops.reads.push_back(read);
    loops.nodes.push_back(node);
    return loops.nodes.size() - 1;
  }

  /// Drops loops of one iteration and merges neighbours walked alike.
  void collapse() {
    SmallVector<int64_t> extents;
    SmallVector<SmallVector<int64_t>> strides(loops.reads.size());
    for (size_t d = 0; d != loops.extents.size(); ++d) {
      int64_t extent = loops.extents[d];
      if (extent == 1) {
        continue;
      }
      auto walksOn = [&](size_t i) {
        return strides[i].back() == loops.reads[i].strides[d] * extent;
      };
      bool merges = !extents.empty() &&
                    llvm::all_of(llvm::seq<size_t>(0, strides.size()), walksOn);
      if (merges) {
        extents.back() *= extent;
      } else {
        extents.push_back(extent);
      }
      for (auto [own, read] : llvm::zip_equal(strides, loops.reads)) {
        if (merges) {
          own.back() = read.strides[d];
        } else {
          own.push_back(read.strides[d]);
        }
      }
    }
    if (extents.empty()) {
      extents.push_back(1);
      for (SmallVector<int64_t> &own : strides) {
        own.push_back(0);
      }
    }
    loops.extents = extents;
    for (auto [own, read] : llvm::zip_equal(strides, loops.reads)) {
      read.strides = own;
    }
  }

  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  using Node = PointwiseLoops::Node;
  SmallVector<Value> results;
  SmallVector<int64_t> space; // the extents of the loops
  std::string &reason;
  PointwiseLoops loops;
  using Numbers = std::vector<int64_t>;
  std::map<std::tuple<const void *, Numbers, Numbers, Numbers, Numbers>, size_t>
      resolved;
};

} // namespace

int64_t PointwiseLoops::rows() const {
  return llvm::product_of(ArrayRef(extents).drop_back());
}

bool PointwiseLoops::isTransposing() const {
  return llvm::any_of(reads,
                      [](const Read &read) { return read.strides.back() > 1; });
}

bool PointwiseLoops::gathers() const {
  return llvm::any_of(reads, [](const Read &read) { return read.gathered; });
}

double PointwiseLoops::bytesLeftOut(kernel::FusionOp fusion) const {
  double bytes = 0;
  for (const Read &read : reads) {
    double table = double(kernel::getBytes(
        cast<RankedTensorType>(fusion.getInputs()[read.argument].getType())));
    double used = double(rows()) * double(columns()) *
                  double(kernel::getElementBytes(read.storage));
    bytes += read.gathered ? std::max(table - used, 0.0) : 0;
  }
  return bytes;
}

FailureOr<PointwiseLoops> PointwiseLoops::get(const kernel::FusionShape &shape,
                                              std::string &reason) {
  return Resolver(shape, reason).run();
}

} // namespace minic
