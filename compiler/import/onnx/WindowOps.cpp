// SPDX-License-Identifier: Apache-2.0
//
// Pooling: graph.pool2d of one or two dimensions, a reduction where the windows
// are all of the input. Of more dimensions the elements of a window are strided
// slices, one dimension after the other.

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minic {

using graph::PoolKind;
using graph::ReduceKind;

/// Elements of a window along one dimension that are written out.
static constexpr int64_t maxTaps = 64;

namespace {

/// A window whose results are counted.
struct Pooling {
  Window window;
  Dims outputs;
};

} // namespace

/// What ceil_mode adds after the pads is no part of them. A window that begins
/// behind the input and the pads before it is none.
static std::optional<Pooling> poolingOf(Node &n, const Value &x) {
  std::optional<Dims> kernel = n.intsOf("kernel_shape");
  if (!x || x.rank() < 3 || !kernel ||
      int64_t(kernel->size()) != x.rank() - 2) {
    n.fail("expected [N, C, ...] and a kernel_shape");
    return std::nullopt;
  }
  Dims extents = spatialOf(x);
  std::optional<Window> window = windowOf(n, extents, *kernel);
  if (!window) {
    return std::nullopt;
  }
  Pooling pooling{*window, Dims()};
  bool isUp = n.intOf("ceil_mode", 0);
  for (size_t i = 0; i < extents.size(); ++i) {
    int64_t stride = window->strides[i];
    int64_t room = extents[i] + window->before[i] + window->after[i] -
                   (window->kernel[i] - 1) * window->dilations[i] - 1;
    if (room < 0 && !(isUp && room > -stride)) {
      n.fail("a window that is larger than the input");
      return std::nullopt;
    }
    int64_t outputs = (room + (isUp ? stride - 1 : 0)) / stride + 1;
    if (isUp && (outputs - 1) * stride >= extents[i] + window->before[i]) {
      --outputs;
    }
    bool isWhole = window->kernel[i] == extents[i] && outputs <= 1 &&
                   window->before[i] == 0 && window->dilations[i] == 1;
    if (window->kernel[i] > maxTaps && !isWhole && extents.size() > 2) {
      n.fail("a window of " + llvm::Twine(window->kernel[i]) + ", at most " +
             llvm::Twine(maxTaps) + " are written out");
      return std::nullopt;
    }
    pooling.outputs.push_back(std::max<int64_t>(outputs, 1));
  }
  return pooling;
}

/// Whether there is one window, all of the input.
static bool isWhole(const Value &x, const Pooling &pooling) {
  const Window &window = pooling.window;
  Dims extents = spatialOf(x);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (pooling.outputs[i] != 1 || window.kernel[i] != extents[i] ||
        window.before[i] != 0 || window.after[i] != 0 ||
        window.dilations[i] != 1) {
      return false;
    }
  }
  return true;
}

/// Whether graph.pool2d has such windows: of one or two dimensions, each with
/// an element of the input.
static bool isPool2d(const Value &x, const Pooling &pooling) {
  const Window &window = pooling.window;
  Dims extents = spatialOf(x);
  bool fits = x.isFloat() && extents.size() <= 2 && !isWhole(x, pooling);
  for (size_t i = 0; fits && i < extents.size(); ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    fits = reach <= extents[i] + window.before[i] + window.after[i] &&
           std::max(window.before[i], window.after[i]) < reach &&
           (window.kernel[i] == 1 || window.dilations[i] <= extents[i]);
  }
  return fits;
}

static Value pool2d(Node &n, Value x, Window window, PoolKind kind) {
  bool isLine = x.rank() == 3;
  if (isLine) {
    x = n.e.reshape(x, {x.dims[0], x.dims[1], 1, x.dims[2]});
    addUnitDim(window);
  }
  Dims pads = window.before;
  llvm::append_range(pads, window.after);
  mlir::Value input = n.e.graph(x);
  if (n.failed()) {
    return {};
  }
  Value result = n.e.emit<graph::Pool2dOp>(
      kind, input, llvm::ArrayRef<int64_t>(window.kernel),
      llvm::ArrayRef<int64_t>(window.strides), llvm::ArrayRef<int64_t>(pads),
      llvm::ArrayRef<int64_t>(window.dilations), bool(n.intOf("ceil_mode", 0)),
      bool(n.intOf("count_include_pad", 0)), graph::ImageLayout::NCHW);
  return isLine && result ? n.e.reshape(result, {result.dims[0], result.dims[1],
                                                 result.dims[3]})
                          : result;
}

/// `combine` over each window; `outside` is what changes nothing.
static Value pool(Node &n, Value x, const Pooling &pooling, ReduceKind kind,
                  double outside) {
  const Window &window = pooling.window;
  if (x && isPool2d(x, pooling)) {
    return pool2d(n, x, window,
                  kind == ReduceKind::Max ? PoolKind::Max : PoolKind::Sum);
  }
  for (size_t i = 0; i < pooling.outputs.size(); ++i) {
    int64_t axis = int64_t(i) + 2, count = pooling.outputs[i];
    int64_t kernel = window.kernel[i], step = window.strides[i];
    if (!x) {
      return {};
    }
    if (count == 1 && kernel == x.dims[axis] && window.before[i] == 0 &&
        window.dilations[i] == 1) {
      x = n.e.reduce(kind, x, {axis}, true);
      continue;
    }
    int64_t reach = (count - 1) * step + (kernel - 1) * window.dilations[i] + 1;
    Dims before(x.rank(), 0), after(x.rank(), 0);
    before[axis] = window.before[i];
    after[axis] = std::max<int64_t>(reach - x.dims[axis] - before[axis], 0);
    Value wide = n.e.pad(x, before, after, outside), sum;
    for (int64_t k = 0; k < kernel && wide; ++k) {
      Dims starts(x.rank(), 0), counts(wide.dims), steps(x.rank(), 1);
      starts[axis] = k * window.dilations[i];
      counts[axis] = count;
      steps[axis] = count == 1 ? 1 : step;
      Value tap = n.e.slice(wide, starts, counts, steps);
      sum = !sum                      ? tap
            : kind == ReduceKind::Max ? n.e.max(sum, tap)
                                      : n.e.add(sum, tap);
    }
    x = sum;
  }
  return x;
}

static void maxPool(Node &n) {
  Value x = n.operand(0);
  if (x && !x.isFloat()) {
    n.fail("integers");
    return;
  }
  if (n.wants(1)) {
    n.fail("indices");
    return;
  }
  if (auto pooling = poolingOf(n, x)) {
    n.set(0, pool(n, x, *pooling, ReduceKind::Max,
                  -std::numeric_limits<double>::infinity()));
  }
}

/// How many elements each window has along dimension `i`, pads among them
/// where they count.
static Value counts(Node &n, const Value &x, const Pooling &pooling, size_t i,
                    bool countsPads) {
  const Window &window = pooling.window;
  if (!fitsHost(pooling.outputs[i])) {
    return n.fail(llvm::Twine(pooling.outputs[i]) + " windows");
  }
  HostTensor tensor = HostTensor::splat(x.dataType, {pooling.outputs[i]}, 0);
  int64_t low = countsPads ? -window.before[i] : 0;
  int64_t high = x.dims[i + 2] + (countsPads ? window.after[i] : 0);
  for (int64_t o = 0; o < pooling.outputs[i]; ++o) {
    int64_t start = o * window.strides[i] - window.before[i];
    auto elementsBelow = [&](int64_t bound) {
      int64_t apart = window.dilations[i];
      return std::clamp<int64_t>((bound - start + apart - 1) / apart, 0,
                                 window.kernel[i]);
    };
    tensor.floats[o] = double(elementsBelow(high) - elementsBelow(low));
  }
  tensor.dims = Dims(x.rank(), 1);
  tensor.dims[i + 2] = pooling.outputs[i];
  return n.e.constant(std::move(tensor));
}

static void averagePool(Node &n) {
  Value x = n.operand(0);
  if (x && !x.isFloat()) {
    n.fail("integers");
    return;
  }
  auto pooling = poolingOf(n, x);
  if (!pooling) {
    return;
  }
  if (isPool2d(x, *pooling)) {
    n.set(0, pool2d(n, x, pooling->window, PoolKind::Average));
    return;
  }
  Value count;
  for (size_t i = 0; i < pooling->outputs.size(); ++i) {
    Value each = counts(n, x, *pooling, i, n.intOf("count_include_pad", 0));
    count = count ? n.e.mul(count, each) : each;
  }
  n.set(0, n.e.div(pool(n, x, *pooling, ReduceKind::Sum, 0), count));
}

/// (sum of |x|^p)^(1 / p)
static Value norm(Node &n, const Value &x,
                  llvm::function_ref<Value(const Value &)> sum) {
  double p = double(n.intOf("p", 2));
  if (p < 1) {
    return n.fail("a p below 1");
  }
  Value size = n.e.abs(x);
  if (p == 1) {
    return sum(size);
  }
  if (p == 2) {
    return n.e.unary<graph::SqrtOp>(sum(n.e.mul(x, x)), nullptr);
  }
  Value all = sum(n.e.pow(size, n.e.scalar(p, x)));
  return n.e.pow(all, n.e.scalar(1 / p, x));
}

static void lpPool(Node &n) {
  Value x = n.operand(0);
  if (auto pooling = poolingOf(n, x)) {
    n.set(0, norm(n, x, [&](const Value &part) {
            return pool(n, part, *pooling, ReduceKind::Sum, 0);
          }));
  }
}

static void globalLpPool(Node &n) {
  Value x = n.operand(0);
  if (!x || x.rank() < 3) {
    n.fail("expected [N, C, ...]");
    return;
  }
  Dims axes = llvm::to_vector<4>(llvm::seq<int64_t>(2, x.rank()));
  n.set(0, norm(n, x, [&](const Value &part) {
          return n.e.reduce(ReduceKind::Sum, part, axes, true);
        }));
}

llvm::ArrayRef<OpEntry> windowOps() {
  static const OpEntry table[] = {
      {"AveragePool", averagePool, 7},
      {"GlobalLpPool", globalLpPool, 2},
      {"LpPool", lpPool, 2},
      {"MaxPool", maxPool, 1, "floats, without indices"},
  };
  return table;
}

} // namespace minic
