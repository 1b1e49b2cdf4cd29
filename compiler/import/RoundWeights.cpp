// SPDX-License-Identifier: Apache-2.0
//
// Element by element: weights are aligned to nothing.

#include "compiler/import/RoundWeights.h"

#include "runtime/base/SmallFloat.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace minic {

bool canRoundWeights(llvm::StringRef dtype, mlir::Type element) {
  return (dtype == "F64" &&
          (element.isF32() || element.isBF16() || element.isF16())) ||
         (dtype == "F32" && (element.isBF16() || element.isF16()));
}

/// The float next to `value` towards zero, with its last bit set unless that is
/// exact: rounding it again to fewer bits is as rounding `value` itself
/// (Boldo and Melquiond, When double rounding is odd, 2005).
static float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value)) {
    return nearest;
  }
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(value)) {
    --bits; // towards zero, also from infinity
  }
  return std::bit_cast<float>(bits | 1);
}

template <typename From> static float narrow(From value, bool isLast) {
  if constexpr (sizeof(From) == 8) {
    return isLast ? float(value) : roundToOdd(value);
  }
  return float(value);
}

/// `store` rounds a float to T and gives back what it became.
template <typename From, typename T, typename Store>
static bool convert(llvm::ArrayRef<char> data, char *out, bool isLast,
                    Store store) {
  for (size_t i = 0; i < data.size() / sizeof(From); ++i) {
    From value;
    std::memcpy(&value, data.data() + i * sizeof(From), sizeof(From));
    T rounded;
    bool isFinite = std::isfinite(store(narrow(value, isLast), rounded));
    if (std::isfinite(value) && !isFinite) {
      return false;
    }
    std::memcpy(out + i * sizeof(T), &rounded, sizeof(T));
  }
  return true;
}

template <typename From>
static bool convert(llvm::ArrayRef<char> data, mlir::Type element, char *out) {
  if (element.isF32()) {
    return convert<From, float>(
        data, out, true, [](float value, float &to) { return to = value; });
  }
  if (element.isBF16()) {
    return convert<From, uint16_t>(
        data, out, false, [](float value, uint16_t &to) {
          return runtime::bf16ToFloat(to = runtime::floatToBf16(value));
        });
  }
  return convert<From, uint16_t>(
      data, out, false, [](float value, uint16_t &to) {
        return runtime::f16ToFloat(to = runtime::floatToF16(value));
      });
}

std::optional<mlir::AsmResourceBlob> roundWeights(llvm::ArrayRef<char> data,
                                                  llvm::StringRef dtype,
                                                  mlir::Type element) {
  size_t from = dtype == "F64" ? 8 : 4, to = element.isF32() ? 4 : 2;
  // As for all weights: what computes with them wants whole cache lines.
  mlir::AsmResourceBlob blob = mlir::HeapAsmResourceBlob::allocate(
      data.size() / from * to, /*align=*/64);
  char *out = blob.getMutableData().data();
  bool fits = from == 8 ? convert<double>(data, element, out)
                        : convert<float>(data, element, out);
  return fits ? std::optional(std::move(blob)) : std::nullopt;
}

} // namespace minic
