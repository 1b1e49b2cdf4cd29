// SPDX-License-Identifier: Apache-2.0
//
// RandomData: a counter-based generator (splitmix64's finalizer over a counter
// that starts at a hash of seed and name), so that element i depends on nothing
// but (seed, name, i).

#include "runtime/measure/RandomData.h"

#include "runtime/base/SmallFloat.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <algorithm>
#include <cmath>

namespace minic::runtime {
namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Calls convert(32 random bits) for each element, two to a hash.
template <typename T, typename Convert>
void fill(void *data, int64_t elements, uint64_t start, Convert convert) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  T *out = static_cast<T *>(data);
  uint64_t counter = start;
  int64_t i = 0;
  for (; i + 1 < elements; i += 2) {
    uint64_t bits = mix(counter += golden);
    out[i] = convert(uint32_t(bits));
    out[i + 1] = convert(uint32_t(bits >> 32));
  }
  if (i < elements) {
    out[i] = convert(uint32_t(mix(counter + golden)));
  }
}

/// Uniform over the multiples of 2^-23 in [-1, 1): exact in f32.
float uniform(uint32_t bits) {
  return float(int32_t(bits >> 8) - (1 << 23)) * 0x1p-23f;
}

int32_t smallInteger(uint32_t bits) {
  return int32_t((uint64_t(bits) * 17) >> 32) - 8;
}

void fillFinite(void *data, DType dtype, absl::Span<const int64_t> dims,
                int64_t elements, uint64_t seed, const std::string &name,
                bool scaleByFanIn) {
  uint64_t start = XXH3_64bits_withSeed(name.data(), name.size(), seed);
  float scale = scaleByFanIn && dims.size() >= 2
                    ? float(1 / std::sqrt(double(dims.back())))
                    : 1.0f;
  switch (dtype) {
  case DType::f32:
    return fill<float>(data, elements, start,
                       [=](uint32_t bits) { return uniform(bits) * scale; });
  case DType::bf16:
    return fill<uint16_t>(data, elements, start, [=](uint32_t bits) {
      return floatToBf16(uniform(bits) * scale);
    });
  case DType::f16:
    return fill<uint16_t>(data, elements, start, [=](uint32_t bits) {
      return floatToF16(uniform(bits) * scale);
    });
  case DType::i1:
    return fill<uint8_t>(data, elements, start,
                         [](uint32_t bits) { return uint8_t(bits >> 31); });
  case DType::i8:
    return fill<int8_t>(data, elements, start, [](uint32_t bits) {
      return int8_t(smallInteger(bits));
    });
  case DType::u8:
    return fill<uint8_t>(data, elements, start,
                         [](uint32_t bits) { return uint8_t(bits >> 24); });
  case DType::i32:
    return fill<int32_t>(data, elements, start, smallInteger);
  case DType::i64:
    return fill<int64_t>(data, elements, start, [](uint32_t bits) {
      return int64_t(smallInteger(bits));
    });
  }
}

/// Uniform over the integers in [lower, upper].
int64_t uniformInteger(uint32_t bits, int64_t lower, int64_t upper) {
  // Of up to 2^31 values; more are not indices of anything.
  uint64_t count =
      std::min<uint64_t>(uint64_t(upper) - uint64_t(lower), uint64_t(1) << 31) +
      1;
  return int64_t(uint64_t(lower) + ((uint64_t(bits) * count) >> 32));
}

/// Rows of which the first half or more takes part, with gaps.
void fillMask(uint8_t *out, absl::Span<const int64_t> dims, int64_t elements,
              uint64_t start) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  int64_t length = dims.empty() ? 1 : dims.back();
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t row = mix(start - golden * uint64_t(1 + i / length));
    int64_t kept = uniformInteger(uint32_t(row), (length + 1) / 2, length);
    bool isGap = mix(start + golden * uint64_t(1 + i)) % 8 == 0;
    out[i] = i % length < kept && (i % length == 0 || !isGap);
  }
}

/// False where `dtype` is not of integers.
bool fillValues(void *data, DType dtype, absl::Span<const int64_t> dims,
                int64_t elements, uint64_t start, const OperandValues &values) {
  int64_t lower = values.lower, upper = values.upper;
  if (values.kind == ValuesKind::length) {
    lower += (upper - lower) / 2;
  }
  auto integer = [=](uint32_t bits) {
    return uniformInteger(bits, lower, upper);
  };
  switch (dtype) {
  case DType::i1:
    fillMask(static_cast<uint8_t *>(data), dims, elements, start);
    return true;
  case DType::i8:
    fill<int8_t>(data, elements, start,
                 [=](uint32_t bits) { return int8_t(integer(bits)); });
    return true;
  case DType::u8:
    fill<uint8_t>(data, elements, start,
                  [=](uint32_t bits) { return uint8_t(integer(bits)); });
    return true;
  case DType::i32:
    fill<int32_t>(data, elements, start,
                  [=](uint32_t bits) { return int32_t(integer(bits)); });
    return true;
  case DType::i64:
    fill<int64_t>(data, elements, start, integer);
    return true;
  default:
    return false;
  }
}

} // namespace

void fillRandom(void *data, const TensorSpec &spec, uint64_t seed) {
  fillRandom(data, spec.dtype, spec.dims, seed, spec.name,
             /*scaleByFanIn=*/false, spec.values);
}

void fillRandom(void *data, DType dtype, absl::Span<const int64_t> dims,
                uint64_t seed, const std::string &name, bool scaleByFanIn,
                const std::optional<OperandValues> &values) {
  int64_t elements = 1;
  for (int64_t dim : dims) {
    elements *= dim;
  }
  if (elements <= 0) {
    return;
  }
  if (values && fillValues(data, dtype, dims, elements,
                           XXH3_64bits_withSeed(name.data(), name.size(), seed),
                           *values)) {
    return;
  }
  fillFinite(data, dtype, dims, elements, seed, name, scaleByFanIn);
  if ((seed & withNan) == 0) {
    return;
  }
  if (dtype == DType::f32) {
    *static_cast<float *>(data) = NAN;
  } else if (dtype == DType::bf16 || dtype == DType::f16) {
    *static_cast<uint16_t *>(data) =
        dtype == DType::bf16 ? floatToBf16(NAN) : floatToF16(NAN);
  }
}

} // namespace minic::runtime
