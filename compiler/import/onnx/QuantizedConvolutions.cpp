// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of bytes, as convolutions of the floats that they are: graph has
// none of integers. Sums of more than 2^24 round, far below a result's unit.

#include "compiler/import/onnx/Convolve.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Quantized.h"

namespace minic {

using ::onnx::TensorProto;

/// `bytes` less their zero point, as float32; a zero point per filter where
/// there are several.
static Value withoutZero(Node &n, const Value &bytes, const Value &zero) {
  Value number = n.e.cast(bytes, TensorProto::FLOAT);
  if (!zero || isKnownZero(n, zero)) {
    return number;
  }
  Value shift = n.e.cast(zero, TensorProto::FLOAT);
  return n.e.sub(number, alongAxis(n, shift, bytes.rank(), 0));
}

static void qLinearConv(Node &n) {
  Quantized x = {n.operand(0), n.operand(1), n.operand(2)};
  Quantized filter = {n.operand(3), n.operand(4), n.operand(5)};
  Quantized y = {{}, n.operand(6), n.operand(7)};
  Value bias = n.optionalOperand(8);
  if (n.failed()) {
    return;
  }
  for (const Value &bytes : {x.bytes, filter.bytes, y.zero}) {
    if (!isByte(bytes.dataType)) {
      n.fail(dataTypeName(bytes.dataType) + ", minic has int8 and uint8");
      return;
    }
  }
  int64_t filters = filter.bytes.rank() > 0 ? filter.bytes.dims[0] : 0;
  for (const Value &parameter : {filter.scale, filter.zero}) {
    if (parameter.elements() != 1 && parameter.elements() != filters) {
      n.fail("expected one scale and zero point, or one per filter");
      return;
    }
  }
  if (x.scale.elements() != 1 || x.zero.elements() != 1 ||
      y.scale.elements() != 1 || y.zero.elements() != 1) {
    n.fail("several scales or zero points of x or y");
    return;
  }
  Value sums = convolve(n, withoutZero(n, x.bytes, x.zero),
                        withoutZero(n, filter.bytes, filter.zero),
                        bias ? n.e.cast(bias, TensorProto::FLOAT) : Value());
  if (!sums) {
    return;
  }
  auto perChannel = [&](const Value &scale) {
    return alongAxis(n, n.e.cast(scale, TensorProto::FLOAT), sums.rank(), 1);
  };
  Value factor = n.e.div(n.e.mul(perChannel(x.scale), perChannel(filter.scale)),
                         perChannel(y.scale));
  n.set(0, toBytes(n, n.e.mul(sums, factor), n.e.reshape(y.zero, {}),
                   y.zero.dataType));
}

llvm::ArrayRef<OpEntry> quantizedConvolutionOps() {
  static const OpEntry table[] = {
      {"QLinearConv", qLinearConv, 10, "int8 and uint8"},
  };
  return table;
}

} // namespace minic
