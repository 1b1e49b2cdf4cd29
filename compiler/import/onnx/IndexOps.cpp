// SPDX-License-Identifier: Apache-2.0
//
// Ops that read or write where indices say. Reading may be at indices of run
// time; where to write has to be known at import.

#include "compiler/import/onnx/OpTable.h"

#include <algorithm>

namespace minic {

using graph::ComparePredicate;
using ::onnx::TensorProto;

static void gather(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.axisOf(n.intOf("axis", 0), x.rank());
  if (!n.failed()) {
    n.set(0, n.e.gather(x, n.operand(1), axis));
  }
}

/// Indices below zero count from the end of `extent`.
static Value positive(Node &n, const Value &indices, int64_t extent) {
  Value isNegative =
      n.e.compare(ComparePredicate::Lt, indices, n.e.scalar(0, indices));
  return n.e.select(isNegative,
                    n.e.add(indices, n.e.scalar(double(extent), indices)),
                    indices);
}

static Value flat(Node &n, const Value &x) {
  return n.e.reshape(x, {x.elements()});
}

/// Places in row-major order of the elements of `indices`, which replace the
/// index along `axis` of x.
static Value placesAlong(Node &n, const Value &x, const Value &indices,
                         int64_t axis) {
  Dims strides = stridesOf(x.dims);
  Value at = n.e.cast(positive(n, indices, x.dims[axis]), TensorProto::INT64);
  Value places = n.e.mul(at, n.e.scalar(double(strides[axis]), at));
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != axis) {
      Dims line(x.rank(), 1);
      line[d] = indices.dims[d];
      Value index = n.e.iota(TensorProto::INT64, line, d);
      places = n.e.add(places,
                       n.e.mul(index, n.e.scalar(double(strides[d]), index)));
    }
  }
  return places;
}

/// Of an op with data, indices and an axis; false where they do not fit.
static bool elementsAlong(Node &n, Value &x, Value &indices, int64_t &axis) {
  x = n.operand(0);
  indices = n.operand(1);
  axis = n.axisOf(n.intOf("axis", 0), x.rank());
  if (!n.failed() && (indices.isFloat() || indices.rank() != x.rank())) {
    n.fail("expected integer indices of the rank of the data");
  }
  return !n.failed();
}

static void gatherElements(Node &n) {
  Value x, indices;
  int64_t axis = 0;
  if (!elementsAlong(n, x, indices, axis)) {
    return;
  }
  bool isWhole = !n.e.known(indices);
  for (int64_t d = 0; d < x.rank(); ++d) {
    isWhole = isWhole && (d == axis || indices.dims[d] == x.dims[d]);
  }
  if (!isWhole) {
    n.set(0, n.e.gather(flat(n, x), placesAlong(n, x, indices, axis), 0));
    return;
  }
  mlir::Value data = n.e.graph(x),
              at = n.e.graph(positive(n, indices, x.dims[axis]));
  if (data && at) {
    n.set(0, n.e.emit<graph::GatherElementsOp>(data, at, uint64_t(axis)));
  }
}

/// Places of the slices that the last dimension of `indices` names, the first
/// `batch` dimensions being common; counted in slices.
static Value placesOfSlices(Node &n, const Value &x, const Value &indices,
                            int64_t batch) {
  int64_t depth = indices.dims.back();
  Dims dims(llvm::ArrayRef<int64_t>(indices.dims).drop_back());
  Dims strides =
      stridesOf(llvm::ArrayRef<int64_t>(x.dims).take_front(batch + depth));
  Value places = n.e.splat(TensorProto::INT64, dims, 0);
  for (int64_t d = 0; d < batch; ++d) {
    Dims line(dims.size(), 1);
    line[d] = dims[d];
    Value index = n.e.iota(TensorProto::INT64, line, d);
    places =
        n.e.add(places, n.e.mul(index, n.e.scalar(double(strides[d]), index)));
  }
  for (int64_t k = 0; k < depth; ++k) {
    Value at =
        n.e.reshape(n.e.sliceAxis(indices, indices.rank() - 1, k, k + 1), dims);
    at = n.e.cast(positive(n, at, x.dims[batch + k]), TensorProto::INT64);
    places = n.e.add(places,
                     n.e.mul(at, n.e.scalar(double(strides[batch + k]), at)));
  }
  return places;
}

/// False where data and indices do not fit each other.
static bool slicesAt(Node &n, Value &x, Value &indices, int64_t batch) {
  x = n.operand(0);
  indices = n.operand(1);
  if (n.failed()) {
    return false;
  }
  if (indices.isFloat() || indices.rank() < 1 || batch < 0 ||
      batch >= indices.rank() || batch + indices.dims.back() > x.rank() ||
      batch + indices.dims.back() < 1) {
    n.fail("indices that do not fit the data");
  }
  return !n.failed();
}

static void gatherNd(Node &n) {
  Value x, indices;
  int64_t batch = n.intOf("batch_dims", 0);
  if (!slicesAt(n, x, indices, batch)) {
    return;
  }
  auto dims = llvm::ArrayRef<int64_t>(x.dims);
  int64_t fixed = batch + indices.dims.back();
  Dims slices = {elementsOf(dims.take_front(fixed))};
  llvm::append_range(slices, dims.drop_front(fixed));
  n.set(0, n.e.gather(n.e.reshape(x, slices),
                      placesOfSlices(n, x, indices, batch), 0));
}

/// Elements that may be combined in one place.
static constexpr size_t maxRounds = 64;

/// Where each element of the data takes its updates from, `updates[element]`:
/// one after the other, in as many rounds as the fullest element has.
static Value combined(Node &n, const Value &data, const Value &updates,
                      llvm::ArrayRef<llvm::SmallVector<int64_t, 1>> sources,
                      const std::string &reduction) {
  using Combine = Value (Emitter::*)(const Value &, const Value &);
  Combine combine = reduction == "add"   ? &Emitter::add
                    : reduction == "mul" ? &Emitter::mul
                    : reduction == "max" ? &Emitter::max
                    : reduction == "min" ? &Emitter::min
                                         : nullptr;
  size_t rounds = 0;
  for (const auto &list : sources) {
    rounds = std::max(rounds, list.size());
  }
  if (!combine || rounds > maxRounds) {
    return n.fail("reduction '" + reduction + "' of " + llvm::Twine(rounds) +
                  " updates in one place");
  }
  // What an element without an update is combined with: 0, 1 or itself.
  bool isSum = reduction == "add", isProduct = reduction == "mul";
  Value neutral = isSum || isProduct
                      ? n.e.splat(data.dataType, {1}, isProduct ? 1 : 0)
                      : data;
  Value all = n.e.concat({updates, neutral}, 0), result = data;
  for (size_t round = 0; round < rounds; ++round) {
    Dims from;
    for (auto [i, list] : llvm::enumerate(sources)) {
      int64_t none = updates.elements() + (isSum || isProduct ? 0 : int64_t(i));
      from.push_back(round < list.size() ? list[round] : none);
    }
    result = (n.e.*combine)(result, n.e.gather(all, n.e.ints(from), 0));
  }
  return result;
}

/// x with `updates` at `places`, which are elements or runs of `run` elements:
/// each element is one of the data or one of the updates, or both combined.
static void scatter(Node &n, const Value &x, const Value &places,
                    const Value &updates, int64_t run) {
  auto at = places ? n.e.known(places) : nullptr;
  if (!at || !updates || x.elements() > (int64_t(1) << 21) ||
      updates.elements() > (int64_t(1) << 21) ||
      updates.elements() != at->elements() * run) {
    n.fail("indices that are not known when the model is compiled");
    return;
  }
  int64_t runs = run == 0 ? 0 : x.elements() / run;
  std::vector<llvm::SmallVector<int64_t, 1>> sources(x.elements());
  for (size_t i = 0; i < at->ints.size(); ++i) {
    // Before it is multiplied: an index may be any integer.
    if (at->ints[i] < 0 || at->ints[i] >= runs) {
      n.fail("an index outside of the data");
      return;
    }
    for (int64_t j = 0; j < run; ++j) {
      sources[at->ints[i] * run + j].push_back(int64_t(i) * run + j);
    }
  }
  std::string reduction = n.stringOf("reduction", "none");
  if (reduction != "none") {
    n.set(0, n.e.reshape(
                 combined(n, flat(n, x), flat(n, updates), sources, reduction),
                 x.dims));
    return;
  }
  Dims from;
  for (auto [i, list] : llvm::enumerate(sources)) {
    from.push_back(list.empty() ? int64_t(i) : x.elements() + list.back());
  }
  Value all = n.e.concat({flat(n, x), flat(n, updates)}, 0);
  n.set(0, n.e.reshape(n.e.gather(all, n.e.ints(from), 0), x.dims));
}

static void scatterElements(Node &n) {
  Value x, indices;
  int64_t axis = 0;
  if (elementsAlong(n, x, indices, axis)) {
    scatter(n, x, placesAlong(n, x, indices, axis), n.operand(2), 1);
  }
}

static void scatterNd(Node &n) {
  Value x, indices;
  if (slicesAt(n, x, indices, 0)) {
    auto slice =
        llvm::ArrayRef<int64_t>(x.dims).drop_front(indices.dims.back());
    scatter(n, x, placesOfSlices(n, x, indices, 0), n.operand(2),
            elementsOf(slice));
  }
}

/// The slices where the condition holds.
static void compress(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> condition = n.knownInts(1);
  if (!x || !condition) {
    return;
  }
  int64_t axis = 0;
  if (n.hasAttribute("axis")) {
    axis = n.axisOf(n.intOf("axis", 0), x.rank());
  } else {
    x = flat(n, x);
  }
  Dims kept;
  for (auto [i, holds] : llvm::enumerate(*condition)) {
    if (holds) {
      kept.push_back(int64_t(i));
    }
  }
  if (!n.failed()) {
    n.set(0, n.e.gather(x, n.e.ints(kept), axis));
  }
}

/// values[1] where the index is, values[0] elsewhere.
static void oneHot(Node &n) {
  Value indices = n.operand(0), values = n.operand(2);
  std::optional<double> depth = n.knownNumber(1);
  if (!depth || !indices || !values) {
    return;
  }
  int64_t axis = n.axisOf(n.intOf("axis", -1), indices.rank() + 1);
  if (n.failed() || values.rank() != 1 || values.dims[0] != 2 ||
      !(*depth >= 1 && *depth <= double(1 << 30))) {
    n.fail("expected a depth and two values");
    return;
  }
  Dims line(indices.rank() + 1, 1), wide = indices.dims;
  line[axis] = int64_t(*depth);
  wide.insert(wide.begin() + axis, 1);
  Value at = positive(
      n, n.e.cast(n.e.reshape(indices, wide), TensorProto::INT64), line[axis]);
  Value isThere = n.e.compare(ComparePredicate::Eq,
                              n.e.iota(TensorProto::INT64, line, axis), at);
  Value off = n.e.reshape(n.e.sliceAxis(values, 0, 0, 1), {});
  Value on = n.e.reshape(n.e.sliceAxis(values, 0, 1, 2), {});
  n.set(0, n.e.select(isThere, on, off));
}

/// The first elements of each sequence backwards; lengths are known.
static void reverseSequence(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> lengths = n.knownInts(1);
  int64_t time = n.intOf("time_axis", 0), batch = n.intOf("batch_axis", 1);
  if (!x || !lengths) {
    return;
  }
  if (x.rank() < 2 || std::min(time, batch) != 0 ||
      std::max(time, batch) != 1 || int64_t(lengths->size()) != x.dims[batch] ||
      x.dims[0] * x.dims[1] > (int64_t(1) << 21)) {
    n.fail("axes other than 0 and 1");
    return;
  }
  Dims places;
  for (int64_t i = 0; i < x.dims[0]; ++i) {
    for (int64_t j = 0; j < x.dims[1]; ++j) {
      int64_t at = time == 0 ? i : j, length = (*lengths)[batch == 0 ? i : j];
      at = at < length ? length - 1 - at : at;
      places.push_back(time == 0 ? at * x.dims[1] + j : i * x.dims[1] + at);
    }
  }
  Dims merged = {x.dims[0] * x.dims[1]};
  llvm::append_range(merged, llvm::ArrayRef<int64_t>(x.dims).drop_front(2));
  n.set(0, n.e.reshape(n.e.gather(n.e.reshape(x, merged), n.e.ints(places), 0),
                       x.dims));
}

llvm::ArrayRef<OpEntry> indexOps() {
  static const OpEntry table[] = {
      {"Compress", compress, 9, "known condition"},
      {"Gather", gather},
      {"GatherElements", gatherElements, 11},
      {"GatherND", gatherNd, 11},
      {"OneHot", oneHot, 9, "known depth"},
      {"ReverseSequence", reverseSequence, 10, "known lengths"},
      {"Scatter", scatterElements, 9, "known indices"},
      {"ScatterElements", scatterElements, 11, "known indices"},
      {"ScatterND", scatterNd, 11, "known indices"},
  };
  return table;
}

} // namespace minic
