// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic in float64 and int64, rounded or wrapped to the dtype after each
// op, as the ops of a model do.

#include "compiler/import/onnx/HostTensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace minic {

using llvm::ArrayRef;
using ::onnx::TensorProto;

int64_t elementsOf(ArrayRef<int64_t> dims) {
  int64_t elements = 1;
  for (int64_t dim : dims) {
    elements *= dim;
  }
  return elements;
}

bool isPossible(ArrayRef<int64_t> dims) {
  constexpr int64_t maxElements = int64_t(1) << 47;
  constexpr size_t maxRank = 64;
  // Without those of size 0: parts of a shape are multiplied, too.
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0 ||
        __builtin_mul_overflow(elements, std::max<int64_t>(dim, 1),
                               &elements) ||
        elements > maxElements) {
      return false;
    }
  }
  return dims.size() <= maxRank;
}

bool fitsHost(ArrayRef<int64_t> dims) {
  return isPossible(dims) && elementsOf(dims) <= int64_t(1) << 21;
}

Dims stridesOf(ArrayRef<int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * dims[i];
  }
  return strides;
}

bool isFloatType(int dataType) {
  return dataType == TensorProto::FLOAT || dataType == TensorProto::DOUBLE ||
         dataType == TensorProto::FLOAT16 || dataType == TensorProto::BFLOAT16;
}

mlir::Type elementType(int dataType, mlir::MLIRContext *context) {
  mlir::Builder builder(context);
  switch (dataType) {
  case TensorProto::FLOAT:
    return builder.getF32Type();
  case TensorProto::FLOAT16:
    return builder.getF16Type();
  case TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case TensorProto::BOOL:
    return builder.getI1Type();
  case TensorProto::INT8:
    return builder.getI8Type();
  case TensorProto::UINT8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case TensorProto::INT32:
    return builder.getI32Type();
  case TensorProto::INT64:
    return builder.getI64Type();
  default:
    return {};
  }
}

int dataTypeOf(mlir::Type type) {
  if (type.isF32()) {
    return TensorProto::FLOAT;
  }
  if (type.isF16()) {
    return TensorProto::FLOAT16;
  }
  if (type.isBF16()) {
    return TensorProto::BFLOAT16;
  }
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return TensorProto::BOOL;
  case 8:
    return type.isUnsignedInteger() ? TensorProto::UINT8 : TensorProto::INT8;
  case 32:
    return TensorProto::INT32;
  default:
    return TensorProto::INT64;
  }
}

static const llvm::fltSemantics &semantics(int dataType) {
  return dataType == TensorProto::FLOAT16    ? llvm::APFloat::IEEEhalf()
         : dataType == TensorProto::BFLOAT16 ? llvm::APFloat::BFloat()
                                             : llvm::APFloat::IEEEsingle();
}

static llvm::APFloat floatOf(int dataType, double value) {
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(semantics(dataType), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded;
}

double roundTo(int dataType, double value) {
  if (dataType == TensorProto::DOUBLE) {
    return value;
  }
  return dataType == TensorProto::FLOAT
             ? double(float(value))
             : floatOf(dataType, value).convertToDouble();
}

int64_t wrapTo(int dataType, int64_t value) {
  switch (dataType) {
  case TensorProto::BOOL:
    return value != 0;
  case TensorProto::INT8:
    return int8_t(value);
  case TensorProto::UINT8:
    return uint8_t(value);
  case TensorProto::INT16:
    return int16_t(value);
  case TensorProto::UINT16:
    return uint16_t(value);
  case TensorProto::INT32:
    return int32_t(value);
  case TensorProto::UINT32:
    return uint32_t(value);
  default:
    return value;
  }
}

HostTensor HostTensor::ofInts(ArrayRef<int64_t> values) {
  HostTensor tensor;
  tensor.dataType = TensorProto::INT64;
  tensor.dims = {int64_t(values.size())};
  tensor.ints.assign(values.begin(), values.end());
  return tensor;
}

HostTensor HostTensor::splat(int dataType, ArrayRef<int64_t> dims,
                             double value) {
  HostTensor tensor;
  tensor.dataType = dataType;
  tensor.dims.assign(dims.begin(), dims.end());
  if (isFloatType(dataType)) {
    tensor.floats.assign(elementsOf(dims), roundTo(dataType, value));
  } else {
    tensor.ints.assign(elementsOf(dims), wrapTo(dataType, int64_t(value)));
  }
  return tensor;
}

template <typename T, typename To>
static void append(ArrayRef<char> bytes, std::vector<To> &values) {
  values.resize(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = To(element);
  }
}

std::optional<HostTensor> HostTensor::of(const TensorData &data) {
  HostTensor tensor;
  tensor.dataType = data.dataType;
  tensor.dims.assign(data.dims.begin(), data.dims.end());
  switch (data.dataType) {
  case TensorProto::FLOAT:
    append<float>(data.bytes, tensor.floats);
    break;
  case TensorProto::DOUBLE:
    append<double>(data.bytes, tensor.floats);
    break;
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16: {
    std::vector<int64_t> bits;
    append<uint16_t>(data.bytes, bits);
    for (int64_t word : bits) {
      llvm::APFloat value(semantics(data.dataType), llvm::APInt(16, word));
      tensor.floats.push_back(value.convertToDouble());
    }
    break;
  }
  case TensorProto::BOOL:
    append<uint8_t>(data.bytes, tensor.ints);
    for (int64_t &value : tensor.ints) {
      value = value != 0;
    }
    break;
  case TensorProto::INT8:
    append<int8_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::UINT8:
    append<uint8_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::INT16:
    append<int16_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::UINT16:
    append<uint16_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::INT32:
    append<int32_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::UINT32:
    append<uint32_t>(data.bytes, tensor.ints);
    break;
  case TensorProto::INT64:
  case TensorProto::UINT64:
    append<int64_t>(data.bytes, tensor.ints);
    break;
  default:
    return std::nullopt;
  }
  return tensor;
}

mlir::DenseElementsAttr
HostTensor::attribute(mlir::MLIRContext *context) const {
  mlir::Type element = elementType(dataType, context);
  auto type = mlir::RankedTensorType::get(dims, element);
  // Equal elements are written once. Zeros may differ in their sign.
  bool isSplat = isFloat() ? llvm::all_equal(floats) && floats.front() != 0
                           : llvm::all_equal(ints);
  size_t count = isSplat ? 1 : size_t(elements());
  if (isFloat()) {
    llvm::SmallVector<llvm::APFloat> values;
    for (double value : ArrayRef<double>(floats).take_front(count)) {
      values.push_back(floatOf(dataType, value));
    }
    return mlir::DenseElementsAttr::get(type, values);
  }
  llvm::SmallVector<llvm::APInt> values;
  unsigned width = element.getIntOrFloatBitWidth();
  for (int64_t value : ArrayRef<int64_t>(ints).take_front(count)) {
    values.push_back(llvm::APInt(width, uint64_t(value), /*isSigned=*/false,
                                 /*implicitTrunc=*/true));
  }
  return mlir::DenseElementsAttr::get(type, values);
}

HostTensor
HostTensor::rearranged(ArrayRef<int64_t> to,
                       llvm::function_ref<int64_t(int64_t)> index) const {
  HostTensor result;
  result.dataType = dataType;
  result.dims.assign(to.begin(), to.end());
  int64_t count = elementsOf(to);
  for (int64_t i = 0; i < count; ++i) {
    if (isFloat()) {
      result.floats.push_back(floats[index(i)]);
    } else {
      result.ints.push_back(ints[index(i)]);
    }
  }
  return result;
}

/// Float to integer as C++ does; what does not fit, and NaN, is undefined in
/// ONNX too and becomes 0.
static int64_t truncated(double value) {
  return std::fabs(value) < 9.2e18 ? int64_t(value) : 0;
}

HostTensor castHost(const HostTensor &x, int dataType) {
  HostTensor result;
  result.dataType = dataType;
  result.dims = x.dims;
  int64_t count = x.elements();
  for (int64_t i = 0; i < count; ++i) {
    if (isFloatType(dataType)) {
      result.floats.push_back(roundTo(dataType, x.number(i)));
    } else if (dataType == TensorProto::BOOL) {
      result.ints.push_back(x.number(i) != 0);
    } else {
      result.ints.push_back(
          wrapTo(dataType, x.isFloat() ? truncated(x.floats[i]) : x.ints[i]));
    }
  }
  return result;
}

/// Strides of `from` for a walk over `dims`, 0 where it is repeated.
static Dims broadcastStrides(ArrayRef<int64_t> from, ArrayRef<int64_t> dims) {
  Dims own = stridesOf(from), strides(dims.size(), 0);
  size_t shift = dims.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    strides[shift + i] = from[i] == 1 ? 0 : own[i];
  }
  return strides;
}

static int64_t offsetOf(int64_t i, ArrayRef<int64_t> dims,
                        ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    offset += i % dims[d] * strides[d];
    i /= dims[d];
  }
  return offset;
}

HostTensor expandHost(const HostTensor &x, ArrayRef<int64_t> dims) {
  Dims strides = broadcastStrides(x.dims, dims);
  return x.rearranged(dims,
                      [&](int64_t i) { return offsetOf(i, dims, strides); });
}

HostTensor zipHost(const HostTensor &x, const HostTensor &y,
                   ArrayRef<int64_t> dims, int dataType,
                   llvm::function_ref<double(double, double)> onFloats,
                   llvm::function_ref<int64_t(int64_t, int64_t)> onInts) {
  HostTensor a = expandHost(x, dims), b = expandHost(y, dims), result;
  result.dataType = dataType;
  result.dims.assign(dims.begin(), dims.end());
  int64_t count = elementsOf(dims);
  for (int64_t i = 0; i < count; ++i) {
    double number = 0;
    int64_t integer = 0;
    if (x.isFloat()) {
      number = onFloats(a.floats[i], b.floats[i]);
      integer = isFloatType(dataType) ? 0 : int64_t(number);
    } else {
      integer = onInts(a.ints[i], b.ints[i]);
      number = double(integer);
    }
    if (isFloatType(dataType)) {
      result.floats.push_back(roundTo(dataType, number));
    } else {
      result.ints.push_back(wrapTo(dataType, integer));
    }
  }
  return result;
}

HostTensor reduceHost(const HostTensor &x, ArrayRef<int64_t> axes,
                      llvm::function_ref<double(double, double)> onFloats,
                      llvm::function_ref<int64_t(int64_t, int64_t)> onInts) {
  HostTensor result;
  result.dataType = x.dataType;
  result.dims = x.dims;
  for (int64_t axis : axes) {
    result.dims[axis] = 1;
  }
  Dims strides = broadcastStrides(result.dims, x.dims);
  int64_t to = result.elements(), count = x.elements();
  result.floats.resize(x.isFloat() ? to : 0);
  result.ints.resize(x.isFloat() ? 0 : to);
  std::vector<bool> isBegun(to);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = offsetOf(i, x.dims, strides);
    if (x.isFloat()) {
      result.floats[at] =
          isBegun[at] ? onFloats(result.floats[at], x.floats[i]) : x.floats[i];
    } else {
      result.ints[at] =
          isBegun[at] ? onInts(result.ints[at], x.ints[i]) : x.ints[i];
    }
    isBegun[at] = true;
  }
  for (double &value : result.floats) {
    value = roundTo(x.dataType, value);
  }
  for (int64_t &value : result.ints) {
    value = wrapTo(x.dataType, value);
  }
  return result;
}

} // namespace minic
