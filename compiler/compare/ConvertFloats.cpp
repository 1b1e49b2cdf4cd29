// SPDX-License-Identifier: Apache-2.0
//
// By way of float32, which holds bf16 and f16 exactly.

#include "compiler/compare/ConvertFloats.h"

#include "runtime/measure/ElementReader.h"

#include <cmath>
#include <cstring>

namespace minic {

using runtime::DType;

bool isFloat(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
}

template <typename T, typename Element>
static std::vector<char> fill(int64_t count, Element element) {
  std::vector<char> bytes(size_t(count) * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value = element(i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

std::vector<char> convertFloats(const void *data, DType from, int64_t count,
                                DType to) {
  auto read = [&](int64_t i) {
    return float(runtime::readElement(data, from, i));
  };
  switch (to) {
  case DType::bf16:
    return fill<uint16_t>(
        count, [&](int64_t i) { return runtime::floatToBf16(read(i)); });
  case DType::f16:
    return fill<uint16_t>(
        count, [&](int64_t i) { return runtime::floatToF16(read(i)); });
  default:
    return fill<float>(count, read);
  }
}

static double doubleAt(const char *data, int64_t i) {
  double value;
  std::memcpy(&value, data + i * sizeof(double), sizeof(double));
  return value;
}

std::vector<char> narrowDoubles(const char *data, int64_t count) {
  return fill<float>(count,
                     [&](int64_t i) { return float(doubleAt(data, i)); });
}

std::vector<char> restOfDoubles(const char *data, int64_t count) {
  return fill<float>(count, [&](int64_t i) {
    double value = doubleAt(data, i);
    float narrow = float(value);
    return std::isfinite(narrow) ? float(value - double(narrow)) : 0.0f;
  });
}

} // namespace minic
