// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices of bytes: of integers, and of the numbers that they
// stand for.

#include "compiler/import/onnx/Matrices.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Quantized.h"

namespace minic {

using graph::ReduceKind;
using ::onnx::TensorProto;

enum class Line { Row, Column };

/// A scale or a zero point of a matrix: one number, a vector of one per line,
/// or a tensor with 1 in place of the dimension along the line.
static Value perLine(Node &n, const Value &parameter, const Value &matrix,
                     Line line) {
  if (!parameter || !matrix) {
    return {};
  }
  if (parameter.elements() == 1) {
    return n.e.reshape(parameter, {});
  }
  Value each = line == Line::Row && parameter.rank() == 1
                   ? n.e.reshape(parameter, {parameter.dims[0], 1})
                   : parameter;
  int64_t along = each.rank() - (line == Line::Row ? 1 : 2);
  auto dims = graph::broadcastShapes(each.dims, matrix.dims);
  if (mlir::failed(dims) || (along >= 0 && each.dims[along] != 1) ||
      llvm::ArrayRef<int64_t>(*dims) != llvm::ArrayRef<int64_t>(matrix.dims)) {
    return n.fail("expected one scale and zero point, or one per " +
                  llvm::Twine(line == Line::Row ? "row" : "column"));
  }
  return each;
}

/// The sums along `axis` of a weight's bytes as int8, modulo 2^32. They are
/// computed here however many bytes there are: folding would have to widen
/// these first, and leaves that where they are many. False for what is no
/// weight, or has too many sums.
static Value sumsOfWeight(Node &n, const Value &x, int64_t axis) {
  Dims dims = x.dims;
  dims[axis] = 1;
  if (!x.weight || !n.e.hasRoom(dims)) {
    return {};
  }
  HostTensor sums = HostTensor::splat(TensorProto::INT32, dims, 0);
  int64_t extent = x.dims[axis], inner = stridesOf(x.dims)[axis];
  int64_t outer = x.elements() / (extent * inner);
  // Flipping the first bit of uint8 is subtracting 128.
  char flip = x.dataType == TensorProto::UINT8 ? char(0x80) : char(0);
  const char *next = x.weight->bytes.data();
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t k = 0; k < extent; ++k) {
      for (int64_t j = 0; j < inner; ++j) {
        sums.ints[i * inner + j] += int8_t(*next++ ^ flip);
      }
    }
  }
  for (int64_t &sum : sums.ints) {
    sum = wrapTo(TensorProto::INT32, sum);
  }
  return n.e.constant(std::move(sums));
}

/// An operand of a product of integers.
struct Factor {
  Value given;
  /// Of int8, from -128 on where it was of uint8.
  Value bytes;
  /// Of int32: what to take from each byte. False for 0.
  Value zero;
};

static Factor factorOf(Node &n, const Value &given, Value zero, Line line) {
  zero = perLine(n, zero, given, line);
  if (n.failed()) {
    return {};
  }
  if (zero && zero.dataType != given.dataType) {
    n.fail("a zero point of another dtype than the operand's");
    return {};
  }
  zero = zero ? n.e.cast(zero, TensorProto::INT32)
              : n.e.splat(TensorProto::INT32, {}, 0);
  Value bytes = n.e.cast(given, TensorProto::INT8);
  if (given.dataType == TensorProto::UINT8) {
    // The bits of 128 are those of -128: what wraps is right again.
    bytes = n.e.add(bytes, n.e.scalar(-128, bytes));
    zero = n.e.sub(zero, n.e.scalar(128, zero));
  }
  return {given, bytes, isKnownZero(n, zero) ? Value() : zero};
}

/// The sum of each row or column, which stays as 1, of int32.
static Value sumsOf(Node &n, const Factor &factor, Line line) {
  int64_t axis = factor.given.rank() - (line == Line::Row ? 1 : 2);
  if (Value sums = sumsOfWeight(n, factor.given, axis)) {
    return sums;
  }
  return n.e.reduce(ReduceKind::Sum, n.e.cast(factor.bytes, TensorProto::INT32),
                    {axis}, true);
}

/// With A and B of int8 and zero points a and b of their rows and columns,
/// (A - a)(B - b) = A B - a (columns of B - K b) - b (rows of A), of int32.
static Value integerProduct(Node &n, const Matrices &operands,
                            const Value &lhsZero, const Value &rhsZero) {
  for (const Value &operand : {operands.lhs, operands.rhs}) {
    if (!isByte(operand.dataType)) {
      return n.fail("operands of " + dataTypeName(operand.dataType) +
                    ", minic has int8 and uint8");
    }
  }
  Factor lhs = factorOf(n, operands.lhs, lhsZero, Line::Row);
  Factor rhs = factorOf(n, operands.rhs, rhsZero, Line::Column);
  mlir::Value lhsBytes = n.e.graph(lhs.bytes), rhsBytes = n.e.graph(rhs.bytes);
  if (!lhsBytes || !rhsBytes) {
    return {};
  }
  Value product = n.e.emit<graph::MatmulOp>(lhsBytes, rhsBytes, false, false);
  if (!product) {
    return {};
  }
  if (lhs.zero) {
    Value columns = sumsOf(n, rhs, Line::Column);
    if (rhs.zero) {
      Value terms = n.e.scalar(double(operands.lhs.dims.back()), rhs.zero);
      columns = n.e.sub(columns, n.e.mul(terms, rhs.zero));
    }
    product = n.e.sub(product, n.e.mul(lhs.zero, columns));
  }
  if (rhs.zero) {
    Value rows = sumsOf(n, lhs, Line::Row);
    product = n.e.sub(product, n.e.mul(rows, rhs.zero));
  }
  return product;
}

static void matMulInteger(Node &n) {
  auto operands = matricesOf(n, n.operand(0), n.operand(1));
  if (!operands) {
    return;
  }
  Value product =
      integerProduct(n, *operands, n.optionalOperand(2), n.optionalOperand(3));
  n.set(0, withoutAdded(n, *operands, product));
}

/// lhs * rhs / divisor, [..., M, N] of float32; a divisor per row, or none.
static Value realProduct(Node &n, const Matrices &operands,
                         const Quantized &lhs, const Quantized &rhs,
                         const Value &divisor = {}) {
  Value product = integerProduct(n, operands, lhs.zero, rhs.zero);
  auto scale = [&](const Value &parameter, const Value &matrix, Line line) {
    return n.e.cast(perLine(n, parameter, matrix, line), TensorProto::FLOAT);
  };
  Value factor = n.e.mul(scale(lhs.scale, operands.lhs, Line::Row),
                         scale(rhs.scale, operands.rhs, Line::Column));
  if (divisor) {
    factor = n.e.div(factor, scale(divisor, product, Line::Row));
  }
  return n.e.mul(n.e.cast(product, TensorProto::FLOAT), factor);
}

static void qLinearMatMul(Node &n) {
  Quantized lhs = {n.operand(0), n.operand(1), n.operand(2)};
  Quantized rhs = {n.operand(3), n.operand(4), n.operand(5)};
  Value scale = n.operand(6), zero = n.operand(7);
  auto operands = matricesOf(n, lhs.bytes, rhs.bytes);
  if (n.failed()) {
    return;
  }
  if (!isByte(zero.dataType)) {
    n.fail("to " + dataTypeName(zero.dataType) + ", minic has int8 and uint8");
    return;
  }
  Value real = realProduct(n, *operands, lhs, rhs, scale);
  Value shift = perLine(n, zero, real, Line::Row);
  n.set(0, withoutAdded(n, *operands, toBytes(n, real, shift, zero.dataType)));
}

/// A product of numbers, and a bias or none, as `dataType`.
static void setProduct(Node &n, const Quantized &lhs, const Quantized &rhs,
                       const Value &bias, int dataType) {
  auto operands = matricesOf(n, lhs.bytes, rhs.bytes);
  if (!operands) {
    return;
  }
  Value real = withoutAdded(n, *operands, realProduct(n, *operands, lhs, rhs));
  if (bias) {
    real = n.e.add(real, n.e.cast(bias, TensorProto::FLOAT));
  }
  n.set(0, n.e.cast(real, dataType));
}

static void matMulIntegerToFloat(Node &n) {
  Quantized lhs = {n.operand(0), n.operand(2), n.optionalOperand(4)};
  Quantized rhs = {n.operand(1), n.operand(3), n.optionalOperand(5)};
  if (n.failed()) {
    return;
  }
  // One per element of K could not be taken out of the sum.
  if (lhs.scale.elements() != 1 || (lhs.zero && lhs.zero.elements() != 1)) {
    n.fail("several scales or zero points of A");
    return;
  }
  setProduct(n, lhs, rhs, n.optionalOperand(6), lhs.scale.dataType);
}

static void dynamicQuantizeMatMul(Node &n) {
  Value x = n.operand(0);
  Quantized rhs = {n.operand(1), n.operand(2), n.optionalOperand(3)};
  if (!n.failed()) {
    setProduct(n, quantizeByRange(n, x), rhs, n.optionalOperand(4), x.dataType);
  }
}

llvm::ArrayRef<OpEntry> quantizedProductOps() {
  static const OpEntry table[] = {
      microsoftOp("DynamicQuantizeMatMul", dynamicQuantizeMatMul),
      {"MatMulInteger", matMulInteger, 10},
      microsoftOp("MatMulIntegerToFloat", matMulIntegerToFloat,
                  "one scale of A"),
      {"QLinearMatMul", qLinearMatMul, 10, "int8 and uint8"},
  };
  return table;
}

} // namespace minic
