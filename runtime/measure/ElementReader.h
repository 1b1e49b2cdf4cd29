// SPDX-License-Identifier: Apache-2.0
//
// ElementReader: elements of any dtype as doubles, for comparing and printing.

#ifndef MINIC_RUNTIME_MEASURE_ELEMENTREADER_H
#define MINIC_RUNTIME_MEASURE_ELEMENTREADER_H

#include "runtime/base/SmallFloat.h"
#include "runtime/base/Tensor.h"

#include <cstring>
#include <limits>

namespace minic::runtime {

/// Element `index` of dense `data`; exact except for i64 beyond 2^53. i1 is 0
/// or 1 for any byte.
inline double readElement(const void *data, DType dtype, int64_t index) {
  auto load = [&]<typename T>(T value) {
    std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
                sizeof(T));
    return value;
  };
  switch (dtype) {
  case DType::i1:
    return load(uint8_t()) != 0;
  case DType::i8:
    return load(int8_t());
  case DType::u8:
    return load(uint8_t());
  case DType::i32:
    return load(int32_t());
  case DType::i64:
    return double(load(int64_t()));
  case DType::f16:
    return f16ToFloat(load(uint16_t()));
  case DType::bf16:
    return bf16ToFloat(load(uint16_t()));
  case DType::f32:
    return load(float());
  }
  return 0;
}

/// The smallest magnitude that rounds to infinity; infinite for integers.
inline double overflowThreshold(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return 65520.0;
  case DType::bf16:
    return 0x1.ffp127;
  case DType::f32:
    return 0x1.ffffffp127;
  default:
    return std::numeric_limits<double>::infinity();
  }
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_ELEMENTREADER_H
