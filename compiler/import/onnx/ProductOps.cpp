// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices, and convolutions.

#include "compiler/import/onnx/Convolve.h"
#include "compiler/import/onnx/Matrices.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Window.h"

namespace minic {

using graph::ComparePredicate;

static void matMul(Node &n) {
  auto operands = matricesOf(n, n.operand(0), n.operand(1));
  if (!operands) {
    return;
  }
  mlir::Value lhs = n.e.graph(operands->lhs), rhs = n.e.graph(operands->rhs);
  if (!lhs || !rhs) {
    return;
  }
  Value product = n.e.emit<graph::MatmulOp>(lhs, rhs, false, false);
  n.set(0, withoutAdded(n, *operands, product));
}

/// alpha * A * B, either one perhaps transposed, or with its first dimension as
/// the rows and the others as the batch.
static void fusedMatMul(Node &n) {
  auto arranged = [&](unsigned i, llvm::StringRef isBatchMoved) {
    Value x = n.operand(i);
    if (x && x.rank() < 2) {
      return n.fail("a vector operand");
    }
    if (x && n.intOf(isBatchMoved, 0)) {
      Dims order = llvm::to_vector<4>(llvm::seq<int64_t>(1, x.rank() - 1));
      order.push_back(0);
      order.push_back(x.rank() - 1);
      x = n.e.transpose(x, order);
    }
    return x;
  };
  Value x = arranged(0, "transBatchA"), y = arranged(1, "transBatchB");
  mlir::Value lhs = n.e.graph(x), rhs = n.e.graph(y);
  if (!lhs || !rhs) {
    return;
  }
  Value product = n.e.emit<graph::MatmulOp>(
      lhs, rhs, bool(n.intOf("transA", 0)), bool(n.intOf("transB", 0)));
  double alpha = n.floatOf("alpha", 1);
  n.set(0, alpha == 1 ? product : n.e.mul(n.e.scalar(alpha, product), product));
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
  Value c = n.optionalOperand(2);
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

/// The convolution of a window; one spatial dimension is a second one of 1
/// before it.
static Value convolveWindow(Node &n, Value x, Value filter, const Value &bias,
                            Window window) {
  if (x.rank() != filter.rank() || (x.rank() != 3 && x.rank() != 4)) {
    return n.fail("a convolution of " + llvm::Twine(x.rank() - 2) +
                  " dimensions, minic has 1 and 2");
  }
  bool isLine = x.rank() == 3;
  if (isLine) {
    x = n.e.reshape(x, {x.dims[0], x.dims[1], 1, x.dims[2]});
    filter = n.e.reshape(filter,
                         {filter.dims[0], filter.dims[1], 1, filter.dims[2]});
    addUnitDim(window);
  }
  Dims pads = window.before;
  llvm::append_range(pads, window.after);
  mlir::Value input = n.e.graph(x), weights = n.e.graph(filter);
  mlir::Value biasValue = bias ? n.e.graph(bias) : mlir::Value();
  if (n.failed()) {
    return {};
  }
  Value result = n.e.emit<graph::Conv2dOp>(
      input, weights, biasValue, llvm::ArrayRef<int64_t>(window.strides),
      llvm::ArrayRef<int64_t>(pads), llvm::ArrayRef<int64_t>(window.dilations),
      uint64_t(n.intOf("group", 1)), graph::ImageLayout::NCHW);
  if (isLine && result) {
    result =
        n.e.reshape(result, {result.dims[0], result.dims[1], result.dims[3]});
  }
  return result;
}

Value convolve(Node &n, const Value &x, const Value &filter,
               const Value &bias) {
  if (!x || !filter) {
    return {};
  }
  if (x.rank() < 3 || x.rank() != filter.rank()) {
    return n.fail("operands of these ranks");
  }
  auto window = windowOf(n, spatialOf(x), spatialOf(filter));
  return window ? convolveWindow(n, x, filter, bias, *window) : Value();
}

static void conv(Node &n) {
  Value x = n.operand(0), filter = n.operand(1);
  Value bias = n.optionalOperand(2);
  n.set(0, convolve(n, x, filter, bias));
}

/// The pads that take the result to a size that is wanted, as the standard
/// shares them out; what it is larger than the sum of all is added behind it.
struct TransposedPads {
  int64_t before, after, extra;
};

/// `whole` is the result's extent without pads.
static TransposedPads padsTo(int64_t size, int64_t whole, bool isUpper) {
  int64_t total = std::max<int64_t>(whole - size, 0);
  int64_t before = isUpper ? total / 2 : total - total / 2;
  return {before, total - before, std::max<int64_t>(size - whole, 0)};
}

/// One spatial dimension is a second one of 1 before it.
static void convTranspose(Node &n) {
  Value x = n.operand(0), filter = n.operand(1);
  int64_t groups = n.intOf("group", 1);
  if (n.failed() || x.rank() < 3 || x.rank() > 4 || x.rank() != filter.rank() ||
      groups < 1 || groups > filter.dims[0] || filter.dims[0] % groups != 0) {
    n.fail("operands of these ranks or groups");
    return;
  }
  Dims extents = spatialOf(x), kernel = spatialOf(filter);
  size_t count = extents.size();
  auto window = windowOf(n, extents, kernel);
  auto extra = perDim(n, "output_padding", count, 0);
  if (!window || !extra) {
    return;
  }
  std::string mode = n.stringOf("auto_pad", "NOTSET");
  std::optional<Dims> wanted = n.intsOf("output_shape");
  if (wanted && wanted->size() > count) {
    wanted->erase(wanted->begin(), wanted->end() - count);
  }
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (wanted && wanted->size() != count) {
    n.fail("an output_shape of these dimensions");
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    constexpr int64_t most = int64_t(1) << 31;
    if (extents[i] > most || (*extra)[i] < 0 || (*extra)[i] > most ||
        (wanted && ((*wanted)[i] < 1 || (*wanted)[i] > most))) {
      n.fail("an input, output_padding or output_shape that is out of range");
      return;
    }
    int64_t stride = window->strides[i];
    int64_t reach = (kernel[i] - 1) * window->dilations[i];
    int64_t whole = stride * (extents[i] - 1) + (*extra)[i] + reach + 1;
    if (wanted || isSame) {
      TransposedPads pads = padsTo(wanted ? (*wanted)[i] : extents[i] * stride,
                                   whole, mode == "SAME_UPPER");
      window->before[i] = pads.before;
      window->after[i] = pads.after;
      (*extra)[i] += pads.extra;
    }
    if (whole - window->before[i] - window->after[i] < 1) {
      n.fail("pads that take all elements away");
      return;
    }
  }
  bool isLine = x.rank() == 3;
  if (isLine) {
    x = n.e.reshape(x, {x.dims[0], x.dims[1], 1, x.dims[2]});
    filter = n.e.reshape(filter,
                         {filter.dims[0], filter.dims[1], 1, filter.dims[2]});
    addUnitDim(*window);
    extra->insert(extra->begin(), 0);
  }
  Dims pads = window->before;
  llvm::append_range(pads, window->after);
  mlir::Value input = n.e.graph(x), weights = n.e.graph(filter);
  mlir::Value bias = n.has(2) ? n.e.graph(n.operand(2)) : mlir::Value();
  if (n.failed()) {
    return;
  }
  Value result = n.e.emit<graph::ConvTranspose2dOp>(
      input, weights, bias, llvm::ArrayRef<int64_t>(window->strides),
      llvm::ArrayRef<int64_t>(pads), llvm::ArrayRef<int64_t>(*extra),
      llvm::ArrayRef<int64_t>(window->dilations), uint64_t(groups),
      graph::ImageLayout::NCHW);
  if (isLine && result) {
    result =
        n.e.reshape(result, {result.dims[0], result.dims[1], result.dims[3]});
  }
  n.set(0, result);
}

llvm::ArrayRef<OpEntry> productOps() {
  static const OpEntry table[] = {
      {"Conv", conv, 1, "1-D and 2-D"},
      {"ConvTranspose", convTranspose, 1, "1-D and 2-D"},
      microsoftOp("FusedMatMul", fusedMatMul),
      {"Gemm", gemm, 7},
      {"MatMul", matMul},
  };
  return table;
}

} // namespace minic
