// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of known length, as products with a matrix of cosines and
// sines; and window functions, which are known.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>
#include <numbers>

namespace minic {

using ::onnx::TensorProto;

/// Elements of a matrix of cosines or sines at most.
static constexpr int64_t maxTable = int64_t(1) << 20;

/// The sum of coefficients[k] * cos(2 pi k i / size), with one sign after the
/// other.
template <int count>
static void window(Node &n, const double (&coefficients)[count]) {
  std::optional<double> size = n.knownNumber(0);
  if (!size || !(*size >= 1 && *size <= double(maxTable))) {
    n.fail("expected a known size");
    return;
  }
  int dataType = int(n.intOf("output_datatype", TensorProto::FLOAT));
  HostTensor tensor =
      HostTensor::splat(TensorProto::FLOAT, {int64_t(*size)}, 0);
  double period = n.intOf("periodic", 1) ? *size : *size - 1;
  for (size_t i = 0; i < tensor.floats.size(); ++i) {
    double sum = 0, sign = 1;
    for (int k = 0; k < count; ++k, sign = -sign) {
      sum += sign * coefficients[k] *
             std::cos(2 * std::numbers::pi * k * double(i) / period);
    }
    tensor.floats[i] = roundTo(TensorProto::FLOAT, sum);
  }
  n.set(0, n.e.cast(n.e.constant(std::move(tensor)), dataType));
}

static void hannWindow(Node &n) { window(n, {0.5, 0.5}); }
static void hammingWindow(Node &n) { window(n, {25.0 / 46, 1 - 25.0 / 46}); }
static void blackmanWindow(Node &n) { window(n, {0.42, 0.5, 0.08}); }

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// cos or sin of 2 pi i k / length, [rows, columns].
static Value table(Node &n, const Value &x, int64_t rows, int64_t columns,
                   int64_t length, double (*function)(double)) {
  HostTensor tensor = HostTensor::splat(x.dataType, {rows, columns}, 0);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < columns; ++k) {
      double turn = double(i * k % length) / double(length);
      tensor.floats[i * columns + k] =
          roundTo(x.dataType, function(2 * std::numbers::pi * turn));
    }
  }
  return n.e.constant(std::move(tensor));
}

static Value product(Node &n, const Value &x, const Value &y) {
  mlir::Value lhs = n.e.graph(x), rhs = n.e.graph(y);
  return lhs && rhs ? n.e.emit<graph::MatmulOp>(lhs, rhs, false, false)
                    : Value();
}

namespace {

/// Of lines along the last dimension, [rows, length]: their real part and,
/// where there is one, their imaginary part.
struct Lines {
  Value real, imaginary;
};

} // namespace

static Lines transform(Node &n, const Lines &in, int64_t outputs,
                       bool isInverse) {
  int64_t length = in.real.dims[1];
  Value cosines = table(n, in.real, length, outputs, length,
                        [](double a) { return std::cos(a); });
  Value sines = table(n, in.real, length, outputs, length,
                      [](double a) { return std::sin(a); });
  // Forward: (a + ib)(cos - i sin).
  Lines out{product(n, in.real, cosines), product(n, in.real, sines)};
  if (!isInverse) {
    out.imaginary = n.e.neg(out.imaginary);
  }
  if (in.imaginary) {
    Value cross = product(n, in.imaginary, sines);
    out.real = isInverse ? n.e.sub(out.real, cross) : n.e.add(out.real, cross);
    out.imaginary = n.e.add(out.imaginary, product(n, in.imaginary, cosines));
  }
  if (isInverse) {
    Value share = n.e.scalar(1 / double(length), in.real);
    out = {n.e.mul(out.real, share), n.e.mul(out.imaginary, share)};
  }
  return out;
}

/// x is [..., 1] for real numbers, [..., 2] for complex ones. The axis was an
/// attribute up to opset 19.
static void dft(Node &n) {
  Value x = n.operand(0);
  if (!x || x.rank() < 2 || !x.isFloat() || x.dims.back() < 1 ||
      x.dims.back() > 2) {
    n.fail("expected real or complex numbers");
    return;
  }
  int64_t axis = n.intOf("axis", 1);
  if (n.opset() >= 20) {
    axis = n.has(2) ? int64_t(n.knownNumber(2).value_or(0)) : -2;
  }
  axis = n.axisOf(axis, x.rank());
  bool isInverse = n.intOf("inverse", 0), isOneSided = n.intOf("onesided", 0);
  if (n.failed() || axis == x.rank() - 1 || (isInverse && isOneSided)) {
    n.fail("an inverse of one side, or an axis that is none");
    return;
  }
  int64_t length =
      n.has(1) ? int64_t(n.knownNumber(1).value_or(0)) : x.dims[axis];
  if (n.failed() || length < 1 || length > maxTable / length) {
    n.fail("a length of " + llvm::Twine(length));
    return;
  }
  // To [rows, length] for each part.
  if (x.dims[axis] > length) {
    x = n.e.sliceAxis(x, axis, 0, length);
  } else {
    Dims none(x.rank(), 0), zeros(x.rank(), 0);
    zeros[axis] = length - x.dims[axis];
    x = n.e.pad(x, none, zeros, 0);
  }
  Dims order, moved;
  for (int64_t d = 0; d < x.rank() - 1; ++d) {
    if (d != axis) {
      order.push_back(d);
    }
  }
  order.push_back(axis);
  order.push_back(x.rank() - 1);
  x = n.e.transpose(x, order);
  if (!x) {
    return;
  }
  int64_t rows = x.elements() / (length * x.dims.back());
  auto part = [&](int64_t i) {
    return n.e.reshape(n.e.sliceAxis(x, x.rank() - 1, i, i + 1),
                       {rows, length});
  };
  int64_t outputs = isOneSided ? length / 2 + 1 : length;
  Lines out = transform(n, {part(0), x.dims.back() == 2 ? part(1) : Value()},
                        outputs, isInverse);
  // And back.
  Dims line(x.dims);
  line[x.rank() - 2] = outputs;
  line.back() = 1;
  Value both = n.e.concat(
      {n.e.reshape(out.real, line), n.e.reshape(out.imaginary, line)},
      x.rank() - 1);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = int64_t(i);
  }
  n.set(0, n.e.transpose(both, back));
}

llvm::ArrayRef<OpEntry> signalOps() {
  static const OpEntry table[] = {
      {"BlackmanWindow", blackmanWindow, 17, "known size"},
      {"DFT", dft, 17, "up to 1024 elements"},
      {"HammingWindow", hammingWindow, 17, "known size"},
      {"HannWindow", hannWindow, 17, "known size"},
  };
  return table;
}

} // namespace minic
