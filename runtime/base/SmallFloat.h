// SPDX-License-Identifier: Apache-2.0
//
// SmallFloat: bf16 and f16 as bits, converted without help from the CPU so that
// every machine gets the same.

#ifndef MINIC_RUNTIME_BASE_SMALLFLOAT_H
#define MINIC_RUNTIME_BASE_SMALLFLOAT_H

#include <bit>
#include <cstdint>

namespace minic::runtime {

inline float bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Rounds to nearest, ties to even. NaN stays NaN.
inline uint16_t floatToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return uint16_t((bits >> 16) | 0x40); // quiet; the payload's top bits
  }
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

inline float f16ToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  uint32_t magnitude = uint32_t(bits & 0x7fffu) << 13;
  if ((bits & 0x7c00u) == 0x7c00u) { // infinity or NaN
    return std::bit_cast<float>(sign | magnitude | 0x7f800000u);
  }
  // Multiplying by 2^112 rebiases the exponent and normalizes subnormals.
  float value = std::bit_cast<float>(magnitude) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}

/// Rounds to nearest, ties to even; overflows to infinity. NaN stays NaN.
inline uint16_t floatToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000u);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) { // 2^16 and beyond
    return uint16_t(sign | 0x7c00u);
  }
  if (magnitude < 0x38800000u) { // below 2^-14: a subnormal of f16
    // Adding 1/2 puts a unit of 2^-24 at the last bit of a float, so the
    // addition rounds as wanted.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return uint16_t(sign | ((rounded - 0x38000000u) >> 13));
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_SMALLFLOAT_H
