// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices, and convolutions.

#include "compiler/import/onnx/OpTable.h"

namespace minic {

using graph::ComparePredicate;

/// NumPy's rule: a vector is a row on the left and a column on the right.
static void matMul(Node &n) {
  Value x = n.operand(0), y = n.operand(1);
  if (!x || !y) {
    return;
  }
  if (x.rank() == 0 || y.rank() == 0) {
    n.fail("a scalar operand");
    return;
  }
  bool isRow = x.rank() == 1, isColumn = y.rank() == 1;
  x = isRow ? n.e.reshape(x, {1, x.dims[0]}) : x;
  y = isColumn ? n.e.reshape(y, {y.dims[0], 1}) : y;
  mlir::Value lhs = n.e.graph(x), rhs = n.e.graph(y);
  if (!lhs || !rhs) {
    return;
  }
  Value product = n.e.emit<graph::MatmulOp>(lhs, rhs, false, false);
  if (!product) {
    return;
  }
  Dims dims = product.dims;
  if (isColumn) {
    dims.pop_back();
  }
  if (isRow) {
    dims.erase(dims.begin() + (product.rank() - 2));
  }
  n.set(0, n.e.reshape(product, dims));
}

/// alpha * A * B + beta * C, A and B perhaps transposed.
static void gemm(Node &n) {
  Value a = n.operand(0), b = n.operand(1);
  double alpha = n.floatOf("alpha", 1), beta = n.floatOf("beta", 1);
  bool transposesA = n.intOf("transA", 0), transposesB = n.intOf("transB", 0);
  mlir::Value lhs = n.e.graph(a), rhs = n.e.graph(b);
  if (!lhs || !rhs) {
    return;
  }
  if (a.rank() != 2 || b.rank() != 2) {
    n.fail("expected two matrices");
    return;
  }
  Value c = n.has(2) ? n.operand(2) : Value();
  bool isLinear =
      !transposesA && transposesB && alpha == 1 &&
      (!c || (beta == 1 && c.rank() == 1 && c.dims[0] == b.dims[0]));
  if (isLinear) {
    mlir::Value bias = c ? n.e.graph(c) : mlir::Value();
    n.set(0, n.e.emit<graph::LinearOp>(lhs, rhs, bias));
    return;
  }
  Value result = n.e.emit<graph::MatmulOp>(lhs, rhs, transposesA, transposesB);
  if (alpha != 1) {
    result = n.e.mul(n.e.scalar(alpha, result), result);
  }
  if (c && beta != 0) {
    result = n.e.add(result, beta == 1 ? c : n.e.mul(n.e.scalar(beta, c), c));
  }
  n.set(0, result);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// Of the spatial dimensions.
struct Window {
  Dims kernel, strides, dilations, before, after;
};
} // namespace

static std::optional<Dims> perDim(Node &n, llvm::StringRef name, size_t count,
                                  int64_t otherwise) {
  Dims values = n.intsOf(name).value_or(Dims(count, otherwise));
  if (values.size() != count) {
    n.fail("expected " + llvm::Twine(count) + " values of '" + name +
           "', got " + llvm::Twine(values.size()));
    return std::nullopt;
  }
  return values;
}

/// Strides, dilations and pads; these from auto_pad where it says so.
static std::optional<Window> windowOf(Node &n, llvm::ArrayRef<int64_t> extents,
                                      llvm::ArrayRef<int64_t> kernel) {
  size_t count = extents.size();
  auto strides = perDim(n, "strides", count, 1);
  auto dilations = perDim(n, "dilations", count, 1);
  auto pads = perDim(n, "pads", 2 * count, 0);
  if (!strides || !dilations || !pads) {
    return std::nullopt;
  }
  Window window{Dims(kernel), *strides, *dilations, Dims(), Dims()};
  std::string mode = n.stringOf("auto_pad", "NOTSET");
  for (size_t i = 0; i < count; ++i) {
    int64_t before = (*pads)[i], after = (*pads)[count + i];
    constexpr int64_t most = int64_t(1) << 31;
    auto isOutside = [&](int64_t value, int64_t least) {
      return value < least || value > most;
    };
    if (isOutside(window.strides[i], 1) || isOutside(window.dilations[i], 1) ||
        isOutside(before, 0) || isOutside(after, 0) ||
        isOutside(kernel[i], 1)) {
      n.fail("strides, dilations or pads that are out of range");
      return std::nullopt;
    }
    if (mode == "VALID") {
      before = after = 0;
    } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      int64_t stride = window.strides[i];
      int64_t outputs = (extents[i] + stride - 1) / stride;
      int64_t needed = (outputs - 1) * stride +
                       (kernel[i] - 1) * window.dilations[i] + 1 - extents[i];
      needed = std::max<int64_t>(needed, 0);
      before = mode == "SAME_UPPER" ? needed / 2 : needed - needed / 2;
      after = needed - before;
    } else if (mode != "NOTSET") {
      n.fail("auto_pad '" + mode + "'");
      return std::nullopt;
    }
    window.before.push_back(before);
    window.after.push_back(after);
  }
  return window;
}

static Dims spatialOf(const Value &x) {
  return Dims(llvm::ArrayRef<int64_t>(x.dims).drop_front(2));
}

/// One spatial dimension is a second one of 1 before it.
static void conv(Node &n) {
  Value x = n.operand(0), filter = n.operand(1);
  if (!x || !filter) {
    return;
  }
  if (x.rank() != filter.rank() || (x.rank() != 3 && x.rank() != 4)) {
    n.fail("a convolution of " + llvm::Twine(x.rank() - 2) +
           " dimensions, minic has 1 and 2");
    return;
  }
  std::optional<Window> window = windowOf(n, spatialOf(x), spatialOf(filter));
  if (!window) {
    return;
  }
  bool isLine = x.rank() == 3;
  if (isLine) {
    x = n.e.reshape(x, {x.dims[0], x.dims[1], 1, x.dims[2]});
    filter = n.e.reshape(filter,
                         {filter.dims[0], filter.dims[1], 1, filter.dims[2]});
    window->strides.insert(window->strides.begin(), 1);
    window->dilations.insert(window->dilations.begin(), 1);
    window->before.insert(window->before.begin(), 0);
    window->after.insert(window->after.begin(), 0);
  }
  Dims pads = window->before;
  llvm::append_range(pads, window->after);
  mlir::Value input = n.e.graph(x), weights = n.e.graph(filter);
  mlir::Value bias = n.has(2) ? n.e.graph(n.operand(2)) : mlir::Value();
  if (!input || !weights || (n.has(2) && !bias)) {
    return;
  }
  Value result = n.e.emit<graph::Conv2dOp>(
      input, weights, bias, llvm::ArrayRef<int64_t>(window->strides),
      llvm::ArrayRef<int64_t>(pads), llvm::ArrayRef<int64_t>(window->dilations),
      uint64_t(n.intOf("group", 1)), graph::ImageLayout::NCHW);
  if (isLine && result) {
    result =
        n.e.reshape(result, {result.dims[0], result.dims[1], result.dims[3]});
  }
  n.set(0, result);
}

llvm::ArrayRef<OpEntry> productOps() {
  static const OpEntry table[] = {
      {"Conv", conv},
      {"Gemm", gemm, 7},
      {"MatMul", matMul},
  };
  return table;
}

} // namespace minic
