// SPDX-License-Identifier: Apache-2.0
//
// From numbers to the bytes that stand for them, and back.

#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Quantized.h"

#include <cmath>

namespace minic {

using graph::ComparePredicate;
using graph::ReduceKind;
using ::onnx::TensorProto;

bool isByte(int dataType) {
  return dataType == TensorProto::INT8 || dataType == TensorProto::UINT8;
}

bool isKnownZero(Node &n, const Value &x) {
  auto known = n.e.known(x);
  return known && !known->isFloat() &&
         llvm::all_of(known->ints, [](int64_t i) { return i == 0; });
}

Value alongAxis(Node &n, const Value &parameter, int64_t rank, int64_t axis) {
  if (parameter.elements() == 1) {
    return n.e.reshape(parameter, {});
  }
  Dims line(rank, 1);
  line[axis] = parameter.elements();
  return n.e.reshape(parameter, line);
}

/// A scale or a zero point of x: one number, or one per element of the axis
/// that the node names.
static Value parameterOf(Node &n, const Value &parameter, const Value &x) {
  if (!parameter || !x) {
    return {};
  }
  if (parameter.elements() == 1) {
    return n.e.reshape(parameter, {});
  }
  int64_t axis = n.axisOf(n.intOf("axis", 1), x.rank());
  if (n.failed()) {
    return {};
  }
  if (parameter.rank() != 1 || parameter.dims[0] != x.dims[axis]) {
    return n.fail("expected one scale and zero point, or one per element of "
                  "the axis");
  }
  return alongAxis(n, parameter, x.rank(), axis);
}

Value toBytes(Node &n, const Value &x, const Value &zero, int dataType) {
  Value number =
      n.e.unary<graph::RoundOp>(x, [](double a) { return std::nearbyint(a); });
  if (zero && !isKnownZero(n, zero)) {
    number = n.e.add(number, n.e.cast(zero, TensorProto::FLOAT));
  }
  bool isUnsigned = dataType == TensorProto::UINT8;
  number = n.e.max(number, n.e.scalar(isUnsigned ? 0 : -128, number));
  number = n.e.min(number, n.e.scalar(isUnsigned ? 255 : 127, number));
  return n.e.cast(number, dataType);
}

/// Fails where there is a scale per block.
static void refuseBlocks(Node &n) {
  if (n.intOf("block_size", 0) != 0) {
    n.fail("a scale per block");
  }
}

/// It divides in float32, of whatever dtype x and the scale are, as ONNX
/// Runtime does.
static void quantizeLinear(Node &n) {
  refuseBlocks(n);
  if (n.e.dtypeOf(int(n.intOf("precision", 0))) == TensorProto::DOUBLE) {
    n.fail("a division in float64");
  }
  Value x = n.operand(0), scale = n.operand(1), zero = n.optionalOperand(2);
  int wanted = int(n.intOf("output_dtype", 0));
  int dataType = zero ? zero.dataType : wanted ? wanted : TensorProto::UINT8;
  if (wanted && wanted != dataType) {
    n.fail("a zero point of another dtype than the result's");
  } else if (!isByte(dataType)) {
    n.fail("to " + dataTypeName(dataType) + ", minic has int8 and uint8");
  }
  if (n.failed()) {
    return;
  }
  scale = n.e.cast(parameterOf(n, scale, x), TensorProto::FLOAT);
  zero = parameterOf(n, zero, x);
  Value ratio = n.e.div(n.e.cast(x, TensorProto::FLOAT), scale);
  n.set(0, toBytes(n, ratio, zero, dataType));
}

/// (x - zero) * scale, rounded once.
static void dequantizeLinear(Node &n) {
  refuseBlocks(n);
  Value x = n.operand(0), scale = n.operand(1), zero = n.optionalOperand(2);
  int wanted = n.e.dtypeOf(int(n.intOf("output_dtype", 0)));
  int dataType = wanted ? wanted : scale.dataType;
  if (x && !isByte(x.dataType) && x.dataType != TensorProto::INT32) {
    n.fail("from " + dataTypeName(x.dataType) +
           ", minic has int8, uint8 and int32");
  } else if (zero && zero.dataType != x.dataType) {
    n.fail("a zero point of another dtype than the operand's");
  } else if (!isFloatType(dataType)) {
    n.fail("to " + dataTypeName(dataType));
  }
  if (n.failed()) {
    return;
  }
  scale = n.e.cast(parameterOf(n, scale, x), TensorProto::FLOAT);
  zero = parameterOf(n, zero, x);
  if (zero && !isKnownZero(n, zero)) {
    // A difference of bytes is exact in float32, one of int32 is not.
    int between = isByte(x.dataType) ? TensorProto::FLOAT : TensorProto::INT32;
    x = n.e.sub(n.e.cast(x, between), n.e.cast(zero, between));
  }
  Value real = n.e.mul(n.e.cast(x, TensorProto::FLOAT), scale);
  n.set(0, n.e.cast(real, dataType));
}

Quantized quantizeByRange(Node &n, Value x) {
  x = n.e.cast(x, TensorProto::FLOAT);
  if (!x) {
    return {};
  }
  Dims axes = llvm::to_vector<4>(llvm::seq<int64_t>(0, x.rank()));
  Value nought = n.e.scalar(0, x);
  Value least = n.e.min(n.e.reduce(ReduceKind::Min, x, axes, false), nought);
  Value most = n.e.max(n.e.reduce(ReduceKind::Max, x, axes, false), nought);
  Value range = n.e.sub(most, least);
  // That of zeros alone is 1, as in ONNX Runtime.
  Value scale =
      n.e.select(n.e.compare(ComparePredicate::Eq, range, nought),
                 n.e.scalar(1, x), n.e.div(range, n.e.scalar(255, x)));
  Value zero =
      toBytes(n, n.e.div(n.e.neg(least), scale), {}, TensorProto::UINT8);
  return {toBytes(n, n.e.div(x, scale), zero, TensorProto::UINT8), scale, zero};
}

static void dynamicQuantizeLinear(Node &n) {
  Quantized y = quantizeByRange(n, n.operand(0));
  n.set(0, y.bytes);
  n.set(1, y.scale);
  n.set(2, y.zero);
}

llvm::ArrayRef<OpEntry> quantizeOps() {
  static const OpEntry table[] = {
      {"DequantizeLinear", dequantizeLinear, 10, "from int8, uint8 and int32"},
      {"DynamicQuantizeLinear", dynamicQuantizeLinear, 11},
      {"QuantizeLinear", quantizeLinear, 10, "to int8 and uint8"},
  };
  return table;
}

} // namespace minic
