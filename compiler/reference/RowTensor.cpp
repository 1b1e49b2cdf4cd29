// SPDX-License-Identifier: Apache-2.0
//
// Storage of rows and conversion of host bytes to float64.

#include "compiler/reference/RowTensor.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace minic::reference {

int64_t rowCount(RankedTensorType type) {
  return type.getRank() == 0
             ? 1
             : ShapedType::getNumElements(type.getShape().drop_back());
}

int64_t rowLength(RankedTensorType type) {
  return type.getRank() == 0 ? 1 : type.getShape().back();
}

static double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  double fraction = bits & 1023;
  double magnitude = exponent == 0 ? std::ldexp(fraction, -24)
                     : exponent == 31
                         ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                         : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <typename T, typename Convert>
static void convert(const char *bytes, int64_t count, double *out,
                    Convert convertOne) {
  for (int64_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, bytes + i * sizeof(T), sizeof(T));
    out[i] = convertOne(element);
  }
}

static int64_t elementBytes(Type dtype) {
  return std::max<int64_t>(1, dtype.getIntOrFloatBitWidth() / 8);
}

static void convertBytes(Type dtype, const char *bytes, int64_t count,
                         double *out) {
  auto plain = [](auto element) { return double(element); };
  if (dtype.isF32()) {
    convert<float>(bytes, count, out, plain);
  } else if (dtype.isBF16()) {
    convert<uint16_t>(bytes, count, out, [](uint16_t bits) {
      return double(llvm::bit_cast<float>(uint32_t(bits) << 16));
    });
  } else if (dtype.isF16()) {
    convert<uint16_t>(bytes, count, out, halfToDouble);
  } else if (dtype.isInteger(1)) {
    convert<uint8_t>(bytes, count, out,
                     [](uint8_t bit) { return bit ? 1.0 : 0.0; });
  } else if (dtype.isUnsignedInteger(8)) {
    convert<uint8_t>(bytes, count, out, plain);
  } else if (dtype.isInteger(8)) {
    convert<int8_t>(bytes, count, out, plain);
  } else if (dtype.isInteger(32)) {
    convert<int32_t>(bytes, count, out, plain);
  } else {
    convert<int64_t>(bytes, count, out, plain);
  }
}

RowTensor RowTensor::given(RankedTensorType type, const void *bytes) {
  RowTensor tensor;
  tensor.type_ = type;
  tensor.length_ = rowLength(type);
  tensor.bytes_ = static_cast<const char *>(bytes);
  return tensor;
}

RowTensor RowTensor::computed(RankedTensorType type,
                              const llvm::BitVector &rows) {
  RowTensor tensor;
  tensor.type_ = type;
  tensor.length_ = rowLength(type);
  for (unsigned row : rows.set_bits()) {
    tensor.rows_.push_back(row);
  }
  size_t size = tensor.rows_.size() * tensor.length_;
  tensor.values_.resize(size);
  tensor.errors_.resize(size);
  tensor.spreads_.resize(size);
  return tensor;
}

int64_t RowTensor::offset(int64_t row) const {
  auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  return (found - rows_.begin()) * length_;
}

void RowTensor::read(Channel channel, int64_t row, int64_t column,
                     int64_t count, double *out) const {
  if (channel != Channel::Value && isExact()) {
    std::fill_n(out, count, 0.0);
  } else if (bytes_) {
    int64_t first = row * length_ + column;
    convertBytes(dtype(), bytes_ + first * elementBytes(dtype()), count, out);
  } else {
    const std::vector<double> &from = channel == Channel::Value   ? values_
                                      : channel == Channel::Error ? errors_
                                                                  : spreads_;
    std::copy_n(from.data() + offset(row) + column, count, out);
  }
}

std::vector<double> RowTensor::readRow(Channel channel, int64_t row) const {
  std::vector<double> elements(length_);
  read(channel, row, 0, length_, elements.data());
  return elements;
}

double *RowTensor::data(Channel channel, int64_t row) {
  std::vector<double> &to = channel == Channel::Value   ? values_
                            : channel == Channel::Error ? errors_
                                                        : spreads_;
  return to.data() + offset(row);
}

void RowTensor::settle() {
  if (std::all_of(errors_.begin(), errors_.end(),
                  [](double error) { return error == 0; })) {
    dropErrors();
  }
}

void RowTensor::dropErrors() {
  errors_ = {};
  spreads_ = {};
}

BroadcastIndex::BroadcastIndex(ArrayRef<int64_t> operand,
                               ArrayRef<int64_t> space)
    : extents_(space), strides_(space.size(), 0) {
  int64_t stride = 1;
  size_t skipped = space.size() - operand.size();
  for (size_t i = operand.size(); i-- > 0;) {
    strides_[skipped + i] = operand[i] == 1 ? 0 : stride;
    stride *= operand[i];
  }
}

int64_t BroadcastIndex::operator()(int64_t index) const {
  int64_t result = 0;
  for (size_t i = extents_.size(); i-- > 0;) {
    result += index % extents_[i] * strides_[i];
    index /= extents_[i];
  }
  return result;
}

BroadcastIndex broadcastRows(RankedTensorType operand, RankedTensorType space) {
  auto leading = [](RankedTensorType type) {
    return type.getRank() == 0 ? type.getShape() : type.getShape().drop_back();
  };
  return BroadcastIndex(leading(operand), leading(space));
}

} // namespace minic::reference
