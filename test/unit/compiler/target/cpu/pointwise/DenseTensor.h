// SPDX-License-Identifier: Apache-2.0
//
// DenseTensor: a dense tensor of any dtype, seen as float64 by tests.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_DENSETENSOR_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_DENSETENSOR_H

#include "test/unit/dialects/kernel/TensorText.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace minic::cpu {

/// Guard bytes follow the elements; the destructor checks them.
class DenseTensor {
public:
  DenseTensor(std::string dtype, std::vector<int64_t> dims)
      : dtype(std::move(dtype)), dims(std::move(dims)) {
    bytes_.assign(count() * elementBytes() + kGuard, kPoison);
  }
  DenseTensor(DenseTensor &&) = default;
  ~DenseTensor() {
    for (size_t i = bytes_.size() < kGuard ? 0 : bytes_.size() - kGuard;
         i != bytes_.size(); ++i) {
      EXPECT_EQ(bytes_[i], kPoison) << "written past the end";
    }
  }

  int64_t count() const {
    int64_t n = 1;
    for (int64_t dim : dims) {
      n *= dim;
    }
    return n;
  }
  void *data() { return bytes_.data(); }
  bool isFloat() const {
    return dtype == "f32" || dtype == "bf16" || dtype == "f16";
  }
  /// Relative rounding error of the dtype; 0 for integers.
  double roundoff() const {
    return dtype == "bf16"  ? 0x1p-8
           : dtype == "f16" ? 0x1p-11
           : isFloat()      ? 0x1p-24
                            : 0;
  }

  /// MLIR type, "tensor<2x3xf32>".
  std::string type() const { return tensor(dims, dtype); }

  double get(int64_t i) const {
    if (dtype == "f32") {
      return at<float>(i);
    }
    if (dtype == "f16") {
      return double(at<_Float16>(i));
    }
    if (dtype == "bf16") {
      uint32_t bits = uint32_t(at<uint16_t>(i)) << 16;
      float value;
      std::memcpy(&value, &bits, 4);
      return value;
    }
    return dtype == "i64"   ? double(at<int64_t>(i))
           : dtype == "i32" ? double(at<int32_t>(i))
                            : double(at<int8_t>(i));
  }

  /// `value` must be exact in i8, i32 and i64; floats are rounded.
  void set(int64_t i, double value) {
    if (dtype == "f32") {
      put(i, float(value));
    } else if (dtype == "f16") {
      put(i, _Float16(value));
    } else if (dtype == "bf16") {
      float f = float(value);
      uint32_t bits;
      std::memcpy(&bits, &f, 4);
      bits += std::isnan(f) ? 0 : 0x7fff + (bits >> 16 & 1);
      put(i, uint16_t(bits >> 16));
    } else if (dtype == "i64") {
      put(i, int64_t(value));
    } else if (dtype == "i32") {
      put(i, int32_t(value));
    } else if (dtype == "i8") {
      put(i, int8_t(value));
    } else {
      put(i, int8_t(value != 0));
    }
  }

  /// Reproducible values: floats in [-2, 2] with none near 0, integers in
  /// [-8, 8], i1 both.
  void fill(uint32_t seed) {
    uint32_t state = seed * 2654435761u + 12345;
    for (int64_t i = 0; i != count(); ++i) {
      state = state * 1664525 + 1013904223;
      double unit = double(state >> 8) / double(1 << 24);
      double sign = state & 128 ? 1 : -1;
      set(i, dtype == "i1" ? double(state >> 31)
             : isFloat()   ? sign * (0.1 + 1.9 * unit)
                           : std::floor(unit * 17) - 8);
    }
  }

  /// The element that NumPy broadcasting reads at `index` of a larger shape.
  double broadcastGet(const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    for (size_t d = 0; d != dims.size(); ++d) {
      int64_t i = index[index.size() - dims.size() + d];
      offset = offset * dims[d] + (dims[d] == 1 ? 0 : i);
    }
    return get(offset);
  }

  /// The index of element `i`.
  std::vector<int64_t> index(int64_t i) const {
    std::vector<int64_t> result(dims.size());
    for (size_t d = dims.size(); d-- > 0;) {
      result[d] = i % dims[d];
      i /= dims[d];
    }
    return result;
  }

  const std::string dtype;
  const std::vector<int64_t> dims;

private:
  static constexpr size_t kGuard = 64;
  static constexpr uint8_t kPoison = 0xa5;

  size_t elementBytes() const {
    return dtype == "i64"                      ? 8
           : dtype == "f32" || dtype == "i32"  ? 4
           : dtype == "f16" || dtype == "bf16" ? 2
                                               : 1;
  }
  template <typename T> T at(int64_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T> void put(int64_t i, T value) {
    std::memcpy(bytes_.data() + i * sizeof(T), &value, sizeof(T));
  }

  std::vector<uint8_t> bytes_;
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_POINTWISE_DENSETENSOR_H
