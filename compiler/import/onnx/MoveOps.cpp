// SPDX-License-Identifier: Apache-2.0
//
// Ops that move or repeat elements to places known at import.

#include "compiler/import/onnx/OpTable.h"

#include "dialects/graph/ShapeText.h"

#include <algorithm>

namespace minic {

using ::onnx::TensorProto;

static void transpose(Node &n) {
  Value x = n.operand(0);
  Dims reversed;
  for (int64_t d = x.rank(); d-- > 0;) {
    reversed.push_back(d);
  }
  n.set(0, n.e.transpose(x, n.intsOf("perm").value_or(reversed)));
}

static void concat(Node &n) {
  std::vector<Value> values;
  for (unsigned i = 0; i < n.operandCount(); ++i) {
    values.push_back(n.operand(i));
  }
  int64_t rank = values.empty() ? 0 : values.front().rank();
  int64_t axis = n.axisOf(n.intOf("axis", 1), rank);
  if (!n.failed()) {
    n.set(0, n.e.concat(values, axis));
  }
}

/// Sizes as an operand or attribute, or equal parts of which the last may be
/// smaller.
static void split(Node &n) {
  Value x = n.operand(0);
  int64_t axis = n.axisOf(n.intOf("axis", 0), x.rank());
  if (n.failed()) {
    return;
  }
  int64_t parts = n.intOf("num_outputs", n.resultCount());
  std::optional<Dims> sizes = n.intsOf(1, "split");
  if (n.failed() || parts < 1 || parts > 1 << 20) {
    n.fail("a split into " + llvm::Twine(parts));
    return;
  }
  if (!sizes) {
    int64_t each = (x.dims[axis] + parts - 1) / parts, left = x.dims[axis];
    sizes.emplace();
    for (int64_t i = 0; i < parts; ++i) {
      sizes->push_back(std::min(each, left));
      left -= sizes->back();
    }
  }
  int64_t at = 0;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    if (size < 0 || size > x.dims[axis] - at) {
      n.fail("parts " + graph::shapeText(*sizes) + " of " +
             llvm::Twine(x.dims[axis]));
      return;
    }
    if (n.wants(unsigned(i))) {
      n.set(unsigned(i), n.e.sliceAxis(x, axis, at, at + size));
    }
    at += size;
  }
}

/// Python's slices, steps below zero included.
static void slice(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> starts = n.intsOf(1, "starts"),
                      ends = n.intsOf(2, "ends");
  if (!x || !starts || !ends || starts->size() != ends->size()) {
    n.fail("expected a start and an end per axis");
    return;
  }
  Dims axes =
      llvm::to_vector<4>(llvm::seq<int64_t>(0, int64_t(starts->size())));
  Dims given = n.intsOf(3, "axes").value_or(axes);
  Dims by = (n.has(4) ? n.knownInts(4) : std::nullopt)
                .value_or(Dims(starts->size(), 1));
  if (n.failed() || given.size() != starts->size() ||
      by.size() != starts->size()) {
    n.fail("expected an axis and a step per start");
    return;
  }
  Dims from(x.rank(), 0), counts(x.dims), steps(x.rank(), 1);
  for (size_t i = 0; i < given.size(); ++i) {
    int64_t axis = n.axisOf(given[i], x.rank());
    if (n.failed() || by[i] == 0) {
      n.fail("a step of 0");
      return;
    }
    int64_t extent = x.dims[axis], step = by[i];
    auto place = [&](int64_t at) {
      at = std::clamp(at, -extent - 1, extent);
      return at < 0 ? at + extent : at;
    };
    int64_t lowest = step > 0 ? 0 : -1;
    int64_t highest = step > 0 ? extent : extent - 1;
    int64_t begin = std::clamp(place((*starts)[i]), lowest, highest);
    int64_t end = std::clamp(place((*ends)[i]), lowest, highest);
    int64_t distance = step > 0 ? end - begin : begin - end;
    int64_t stride = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    from[axis] = begin;
    counts[axis] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    steps[axis] = counts[axis] <= 1 ? 1 : step;
  }
  n.set(0, n.e.slice(x, from, counts, steps));
}

/// The mode of graph.pad; none where it has no such pads.
static std::optional<graph::PadMode> padModeOf(const Value &x,
                                               llvm::ArrayRef<int64_t> before,
                                               llvm::ArrayRef<int64_t> after,
                                               llvm::StringRef mode) {
  if (mode == "edge") {
    return graph::PadMode::Edge;
  }
  bool isWithin = mode == "reflect";
  for (int64_t d = 0; isWithin && d < x.rank(); ++d) {
    isWithin = std::max(before[d], after[d]) < x.dims[d];
  }
  return isWithin ? std::optional(graph::PadMode::Reflect) : std::nullopt;
}

/// Where the element `at` of a padded line comes from, among `extent` of them.
static int64_t sourceOf(int64_t at, int64_t extent, llvm::StringRef mode) {
  if (mode == "edge" || extent == 1) {
    return std::clamp<int64_t>(at, 0, extent - 1);
  }
  if (mode == "wrap") {
    return ((at % extent) + extent) % extent;
  }
  int64_t period = 2 * (extent - 1); // reflect
  at = ((at % period) + period) % period;
  return at < extent ? at : period - at;
}

static void pad(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> pads = n.intsOf(1, "pads");
  if (!x || !pads) {
    n.fail("expected pads, got none");
    return;
  }
  Dims all = llvm::to_vector<4>(llvm::seq<int64_t>(0, x.rank()));
  Dims axes = (n.has(3) ? n.knownInts(3) : std::nullopt).value_or(all);
  if (n.failed() || pads->size() != 2 * axes.size()) {
    n.fail("expected two pads per axis, got " + llvm::Twine(pads->size()));
    return;
  }
  double value = n.opset() < 11 ? n.floatOf("value", 0)
                 : n.has(2)     ? n.knownNumber(2).value_or(0)
                                : 0;
  std::string mode = n.stringOf("mode", "constant");
  Dims before(x.rank(), 0), after(x.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = n.axisOf(axes[i], x.rank());
    if (n.failed()) {
      return;
    }
    int64_t low = (*pads)[i], high = (*pads)[axes.size() + i];
    constexpr int64_t most = int64_t(1) << 40;
    if (low < -most || low > most || high < -most || high > most) {
      n.fail("pads of " + llvm::Twine(low) + " and " + llvm::Twine(high));
      return;
    }
    // What is taken away is a slice.
    int64_t begin = std::max<int64_t>(-low, 0);
    int64_t end = x.dims[axis] - std::max<int64_t>(-high, 0);
    if (begin >= end) {
      n.fail("a pad that takes all elements away");
      return;
    }
    x = n.e.sliceAxis(x, axis, begin, end);
    if (!x) {
      return;
    }
    before[axis] = std::max<int64_t>(low, 0);
    after[axis] = std::max<int64_t>(high, 0);
  }
  if (mode == "constant") {
    n.set(0, n.e.pad(x, before, after, value));
    return;
  }
  if (mode != "edge" && mode != "reflect" && mode != "wrap") {
    n.fail("mode '" + mode + "'");
    return;
  }
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (x.dims[d] + before[d] + after[d] > (int64_t(1) << 24)) {
      n.fail("pads of " + llvm::Twine(before[d]) + " and " +
             llvm::Twine(after[d]));
      return;
    }
  }
  bool isSame = llvm::all_of(before, [](int64_t by) { return by == 0; }) &&
                llvm::all_of(after, [](int64_t by) { return by == 0; });
  auto padMode = padModeOf(x, before, after, mode);
  if (padMode && !isSame && !n.e.known(x)) {
    mlir::Value input = n.e.graph(x);
    n.set(0,
          input ? n.e.emit<graph::PadOp>(input, llvm::ArrayRef<int64_t>(before),
                                         llvm::ArrayRef<int64_t>(after),
                                         llvm::APFloat(0.0), *padMode)
                : Value());
    return;
  }
  for (int64_t axis = 0; axis < x.rank() && x; ++axis) {
    if (before[axis] + after[axis] == 0) {
      continue;
    }
    Dims sources;
    for (int64_t at = -before[axis]; at < x.dims[axis] + after[axis]; ++at) {
      sources.push_back(sourceOf(at, x.dims[axis], mode));
    }
    x = n.e.gather(x, n.e.ints(sources), axis);
  }
  n.set(0, x);
}

/// Each dimension is repeated: [a, b] as [1, a, 1, b], expanded, and merged.
static void tile(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> repeats = n.knownInts(1);
  if (!x || !repeats) {
    return;
  }
  if (int64_t(repeats->size()) != x.rank() ||
      llvm::any_of(*repeats, [](int64_t r) { return r < 0; })) {
    n.fail("the repeats " + graph::shapeText(*repeats));
    return;
  }
  Dims apart, wide, merged;
  for (int64_t d = 0; d < x.rank(); ++d) {
    int64_t times = (*repeats)[d], extent = 0;
    if (__builtin_mul_overflow(times, x.dims[d], &extent)) {
      n.fail("the repeats " + graph::shapeText(*repeats));
      return;
    }
    merged.push_back(extent);
    if (times != 1) {
      apart.push_back(1);
      wide.push_back(times);
    }
    apart.push_back(x.dims[d]);
    wide.push_back(x.dims[d]);
  }
  n.set(0, n.e.reshape(n.e.expand(n.e.reshape(x, apart), wide), merged));
}

/// Blocks of pixels between space and channels, by a reshape on either side of
/// a transpose.
static void depthToSpace(Node &n) {
  Value x = n.operand(0);
  int64_t b = n.intOf("blocksize", 0);
  if (!x || x.rank() != 4 || b < 1 || b > 1 << 15 || x.dims[1] % (b * b) != 0) {
    n.fail("expected [N, C, H, W] with C a multiple of blocksize^2");
    return;
  }
  int64_t c = x.dims[1] / (b * b), h = x.dims[2], w = x.dims[3];
  Value moved = n.stringOf("mode", "DCR") == "DCR"
                    ? n.e.transpose(n.e.reshape(x, {x.dims[0], b, b, c, h, w}),
                                    {0, 3, 4, 1, 5, 2})
                    : n.e.transpose(n.e.reshape(x, {x.dims[0], c, b, b, h, w}),
                                    {0, 1, 4, 2, 5, 3});
  n.set(0, n.e.reshape(moved, {x.dims[0], c, h * b, w * b}));
}

static void spaceToDepth(Node &n) {
  Value x = n.operand(0);
  int64_t b = n.intOf("blocksize", 0);
  if (!x || x.rank() != 4 || b < 1 || b > 1 << 15 || x.dims[2] % b != 0 ||
      x.dims[3] % b != 0) {
    n.fail("expected [N, C, H, W] with H and W multiples of blocksize");
    return;
  }
  int64_t c = x.dims[1], h = x.dims[2] / b, w = x.dims[3] / b;
  Value apart = n.e.reshape(x, {x.dims[0], c, h, b, w, b});
  // DCR: blocks outside of channels; CRD the other way.
  bool isDcr = n.stringOf("mode", "DCR") == "DCR";
  Value moved = isDcr ? n.e.transpose(apart, {0, 3, 5, 1, 2, 4})
                      : n.e.transpose(apart, {0, 1, 3, 5, 2, 4});
  n.set(0, n.e.reshape(moved, {x.dims[0], c * b * b, h, w}));
}

/// The triangle on and above the k-th diagonal, or on and below it.
static void trilu(Node &n) {
  Value x = n.operand(0);
  double k = n.has(1) ? n.knownNumber(1).value_or(0) : 0;
  if (!x || x.rank() < 2) {
    n.fail("expected matrices");
    return;
  }
  int64_t rows = x.dims[x.rank() - 2], columns = x.dims[x.rank() - 1];
  Value row = n.e.iota(TensorProto::INT64, {rows, 1}, 0);
  Value column = n.e.iota(TensorProto::INT64, {1, columns}, 1);
  Value diagonal = n.e.add(row, n.e.scalar(k, row));
  Value stays = n.e.compare(n.intOf("upper", 1) ? graph::ComparePredicate::Ge
                                                : graph::ComparePredicate::Le,
                            column, diagonal);
  n.set(0, n.e.select(stays, x, n.e.scalar(0, x)));
}

/// The middle of each axis, or the axis in the middle of zeros.
static void centerCropPad(Node &n) {
  Value x = n.operand(0);
  std::optional<Dims> sizes = n.knownInts(1);
  if (!x || !sizes) {
    return;
  }
  Dims all = llvm::to_vector<4>(llvm::seq<int64_t>(0, x.rank()));
  Dims axes = n.intsOf("axes").value_or(all);
  if (axes.size() != sizes->size()) {
    n.fail("expected a size per axis");
    return;
  }
  Dims before(x.rank(), 0), after(x.rank(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = n.axisOf(axes[i], x.rank());
    if (n.failed()) {
      return;
    }
    if ((*sizes)[i] < 0) {
      n.fail("the shape " + graph::shapeText(*sizes));
      return;
    }
    int64_t extra = (*sizes)[i] - x.dims[axis];
    if (extra < 0) {
      int64_t begin = -extra / 2;
      x = n.e.sliceAxis(x, axis, begin, begin + (*sizes)[i]);
    } else {
      before[axis] = extra / 2;
      after[axis] = extra - extra / 2;
    }
    if (!x) {
      return;
    }
  }
  n.set(0, n.e.pad(x, before, after, 0));
}

llvm::ArrayRef<OpEntry> moveOps() {
  static const OpEntry table[] = {
      {"CenterCropPad", centerCropPad, 18, "known shape"},
      {"Concat", concat, 4},
      {"DepthToSpace", depthToSpace},
      {"Pad", pad, 2, "known pads"},
      {"Slice", slice, 1, "known bounds"},
      {"SpaceToDepth", spaceToDepth},
      {"Split", split, 2, "known sizes"},
      {"Tile", tile, 6, "known repeats"},
      {"Transpose", transpose},
      {"Trilu", trilu, 14, "known k"},
  };
  return table;
}

} // namespace minic
