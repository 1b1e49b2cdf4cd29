// SPDX-License-Identifier: Apache-2.0
//
// GridSample: pixels at places of run time. Each neighbour of a place is a
// gather with an index and a weight that are computed.

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Window.h"

namespace minic {

using graph::ComparePredicate;
using ::onnx::TensorProto;

namespace {

/// A neighbour along one dimension: its index, a whole float, and its weight.
struct Neighbour {
  Value index, weight;
};

/// One spatial dimension of the input.
struct Side {
  int64_t extent;
  std::string padding;
  bool alignsCorners;
};

} // namespace

static Value floorOf(Node &n, const Value &x) {
  return n.e.unary<graph::FloorOp>(x, nullptr);
}

static Value clamped(Node &n, const Value &x, double low, double high) {
  return n.e.min(n.e.max(x, n.e.scalar(low, x)), n.e.scalar(high, x));
}

/// A triangle wave between the ends of the side.
static Value reflected(Node &n, const Value &x, const Side &side) {
  double low = side.alignsCorners ? 0 : -0.5;
  double range = double(side.extent) - (side.alignsCorners ? 1 : 0);
  if (range == 0) {
    return n.e.mul(x, n.e.scalar(0, x));
  }
  Value whole = n.e.scalar(2 * range, x);
  Value turn = n.e.mod(n.e.sub(x, n.e.scalar(low, x)), whole);
  Value back = n.e.min(turn, n.e.sub(whole, turn));
  return n.e.add(back, n.e.scalar(low, x));
}

static Value padded(Node &n, const Value &x, const Side &side) {
  return side.padding == "border" ? clamped(n, x, 0, double(side.extent - 1))
         : side.padding == "reflection" ? reflected(n, x, side)
                                        : x;
}

/// From [-1, 1] to indices.
static Value placeOf(Node &n, const Value &x, const Side &side) {
  Value moved = n.e.add(x, n.e.scalar(1, x));
  double extent = double(side.extent);
  Value place = side.alignsCorners
                    ? n.e.mul(moved, n.e.scalar((extent - 1) / 2, x))
                    : n.e.sub(n.e.mul(moved, n.e.scalar(extent / 2, x)),
                              n.e.scalar(0.5, x));
  return padded(n, place, side);
}

/// Keys' cubic with the coefficient -0.75, at a distance below 1, or from 1
/// to 2.
static Value cubic(Node &n, const Value &x, bool isNear) {
  constexpr double a = -0.75;
  auto poly = [&](std::initializer_list<double> coefficients) {
    Value sum;
    for (double c : coefficients) {
      sum = sum ? n.e.add(n.e.mul(sum, x), n.e.scalar(c, x)) : n.e.scalar(c, x);
    }
    return sum;
  };
  return isNear ? poly({a + 2, -(a + 3), 0, 1})
                : poly({a, -5 * a, 8 * a, -4 * a});
}

static std::vector<Neighbour> neighbours(Node &n, const Value &place,
                                         const std::string &mode) {
  Value one = n.e.scalar(1, place);
  if (mode == "nearest") {
    return {{n.e.unary<graph::RoundOp>(place, nullptr), one}};
  }
  Value below = floorOf(n, place), rest = n.e.sub(place, below);
  auto at = [&](double offset) {
    return n.e.add(below, n.e.scalar(offset, place));
  };
  Value above = n.e.sub(one, rest);
  if (mode == "linear") {
    return {{below, above}, {at(1), rest}};
  }
  return {{at(-1), cubic(n, n.e.add(rest, one), false)},
          {below, cubic(n, rest, true)},
          {at(1), cubic(n, above, true)},
          {at(2), cubic(n, n.e.add(above, one), false)}};
}

/// The index of an element that is there; without one the weight is 0.
static Neighbour inside(Node &n, Neighbour x, const Side &side) {
  double last = double(side.extent - 1);
  if (side.padding == "zeros") {
    Value isInside = n.e.bitAnd(
        n.e.compare(ComparePredicate::Ge, x.index, n.e.scalar(0, x.index)),
        n.e.compare(ComparePredicate::Le, x.index, n.e.scalar(last, x.index)));
    x.weight = n.e.select(isInside, x.weight, n.e.scalar(0, x.weight));
  }
  Value index =
      side.padding == "reflection" ? reflected(n, x.index, side) : x.index;
  x.index = n.e.cast(clamped(n, index, 0, last), TensorProto::INT64);
  return x;
}

/// x is [N, C, ...], the grid [N, ..., dimensions], the last dimension of x
/// first.
static void gridSample(Node &n) {
  Value x = n.operand(0), grid = n.operand(1);
  if (n.failed() || x.rank() < 4 || x.rank() > 5 || grid.rank() != x.rank() ||
      grid.dims.back() != x.rank() - 2 || grid.dims[0] != x.dims[0]) {
    n.fail("operands of these shapes");
    return;
  }
  std::string mode = n.stringOf("mode", "linear");
  mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  std::string padding = n.stringOf("padding_mode", "zeros");
  if ((mode != "linear" && mode != "nearest" && mode != "cubic") ||
      (padding != "zeros" && padding != "border" && padding != "reflection")) {
    n.fail("mode '" + mode + "', '" + padding + "'");
    return;
  }
  Dims extents = spatialOf(x);
  size_t count = extents.size();
  int64_t batch = x.dims[0], channels = x.dims[1];
  Dims places(llvm::ArrayRef<int64_t>(grid.dims).drop_back());
  // Rows of channels, so that a neighbour is one row.
  Dims order = llvm::to_vector<4>(llvm::seq<int64_t>(2, x.rank()));
  order.insert(order.begin(), 0);
  order.push_back(1);
  Value rows = n.e.reshape(n.e.transpose(x, order),
                           {elementsOf(extents) * batch, channels});
  std::vector<std::vector<Neighbour>> near(count);
  for (size_t d = 0; d < count; ++d) {
    Side side{extents[d], padding, bool(n.intOf("align_corners", 0))};
    int64_t at = int64_t(count - 1 - d);
    Value place =
        n.e.reshape(n.e.sliceAxis(grid, grid.rank() - 1, at, at + 1), places);
    for (Neighbour &neighbour :
         near[d] = neighbours(n, placeOf(n, place, side), mode)) {
      neighbour = inside(n, neighbour, side);
    }
  }
  if (n.failed()) {
    return;
  }
  Dims first(places.size(), 1);
  first[0] = batch;
  Value start = n.e.iota(TensorProto::INT64, first, 0);
  Dims wide(places);
  wide.push_back(1);
  Value sum;
  size_t each = near[0].size(), combinations = 1;
  for (size_t d = 0; d < count; ++d) {
    combinations *= each;
  }
  for (size_t i = 0; i < combinations && !n.failed(); ++i) {
    Value index = start, weight;
    size_t rest = i;
    for (size_t d = 0; d < count; ++d, rest /= each) {
      const Neighbour &at = near[d][rest % each];
      index = n.e.add(n.e.mul(index, n.e.scalar(double(extents[d]), index)),
                      at.index);
      weight = weight ? n.e.mul(weight, at.weight) : at.weight;
    }
    Value part = n.e.gather(rows, index, 0);
    bool isPlain = weight && weight.elements() == 1;
    part = n.e.mul(part, isPlain
                             ? weight
                             : n.e.reshape(n.e.cast(weight, x.dataType), wide));
    sum = sum ? n.e.add(sum, part) : part;
  }
  Dims back = {0, int64_t(count) + 1};
  for (size_t d = 0; d < count; ++d) {
    back.push_back(int64_t(d) + 1);
  }
  n.set(0, n.e.transpose(sum, back));
}

llvm::ArrayRef<OpEntry> gridSampleOps() {
  static const OpEntry table[] = {{"GridSample", gridSample, 16}};
  return table;
}

} // namespace minic
