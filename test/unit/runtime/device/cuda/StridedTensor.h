// SPDX-License-Identifier: Apache-2.0
//
// StridedTensor: a tensor in host memory as the plan's views describe it.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_STRIDEDTENSOR_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_STRIDEDTENSOR_H

#include "runtime/base/SmallFloat.h"
#include "test/unit/runtime/testing/PackedTable.h"

#include <cstring>
#include <initializer_list>
#include <random>

namespace minic::runtime {

using format::Base;
using format::DType;

/// Values of a dtype in memory with strides, in elements; what no index reaches
/// is NaN.
struct StridedTensor {
  DType dtype = DType::f32;
  std::vector<int64_t> dims, strides;
  std::vector<std::byte> bytes;

  StridedTensor() = default;
  StridedTensor(DType dtype, std::vector<int64_t> dims,
                std::vector<int64_t> strides)
      : dtype(dtype), dims(std::move(dims)), strides(std::move(strides)) {
    int64_t last = 0;
    bool isEmpty = false;
    for (size_t i = 0; i < this->dims.size(); ++i) {
      last += (this->dims[i] - 1) * this->strides[i];
      isEmpty |= this->dims[i] == 0;
    }
    bytes.assign(isEmpty ? 0 : (last + 1) * elementBytes(), std::byte{0xff});
  }
  int64_t elementBytes() const { return dtype == DType::f32 ? 4 : 2; }

  /// The element at `offset`, in elements.
  void set(int64_t offset, float value) {
    uint16_t narrow =
        dtype == DType::f16 ? floatToF16(value) : floatToBf16(value);
    if (dtype == DType::f32) {
      std::memcpy(&bytes[offset * 4], &value, 4);
    } else {
      std::memcpy(&bytes[offset * 2], &narrow, 2);
    }
  }
  double get(int64_t offset) const {
    float wide;
    uint16_t narrow;
    if (dtype == DType::f32) {
      std::memcpy(&wide, &bytes[offset * 4], 4);
      return wide;
    }
    std::memcpy(&narrow, &bytes[offset * 2], 2);
    return dtype == DType::f16 ? f16ToFloat(narrow) : bf16ToFloat(narrow);
  }
  /// Of an element, broadcast to `index`: leading dimensions that the tensor
  /// has not do not count, nor does an index into a dimension of one.
  int64_t offset(std::initializer_list<int64_t> index) const {
    const int64_t *own = index.end() - dims.size();
    int64_t at = 0;
    for (size_t i = 0; i < dims.size(); ++i) {
      at += dims[i] > 1 ? own[i] * strides[i] : 0;
    }
    return at;
  }
  double at(std::initializer_list<int64_t> index) const {
    return get(offset(index));
  }
  void fill(int seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    forEach([&](int64_t at) { set(at, uniform(random)); });
  }
  /// Every element's offset, the last dimension's fastest.
  template <typename Visit> void forEach(Visit visit) const {
    int64_t count = 1;
    for (int64_t dim : dims) {
      count *= dim;
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, at = 0;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) {
        at += rest % dims[d] * strides[d];
      }
      visit(at);
    }
  }

  std::unique_ptr<format::TensorViewT> view(Base base, uint32_t index) const {
    return minic::testing::tensorView({base, index, 0}, dims, strides, dtype);
  }
};

/// Half a unit in the last place of 1.
inline double roundingOf(DType dtype) {
  return dtype == DType::f32 ? 0x1p-24 : dtype == DType::f16 ? 0x1p-11 : 0x1p-8;
}

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_STRIDEDTENSOR_H
