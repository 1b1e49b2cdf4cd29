// SPDX-License-Identifier: Apache-2.0
//
// Tensors as the runtime sees them: a caller-owned pointer with a type.

#ifndef MINIC_RUNTIME_BASE_TENSOR_H
#define MINIC_RUNTIME_BASE_TENSOR_H

#include "absl/types/span.h"

#include "runtime/format/plan_generated.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minic::runtime {

using DType = format::DType;

/// Bytes of one element; i1 takes one.
int64_t elementBytes(DType dtype);
/// "f32", "bf16", ...
const char *toString(DType dtype);

using ValuesKind = format::ValuesKind;

/// See format.Values.
struct OperandValues {
  ValuesKind kind = ValuesKind::index;
  int64_t lower = 0, upper = 0;

  bool operator==(const OperandValues &other) const {
    return kind == other.kind && lower == other.lower && upper == other.upper;
  }
};
/// Nothing for null.
std::optional<OperandValues> toOperandValues(const format::Values *values);
/// "indices 0 to 99", "lengths 1 to 512", "a mask".
std::string toString(const OperandValues &values);

/// What an artifact says of an input or output: dense row-major.
struct TensorSpec {
  std::string name;
  DType dtype;
  std::vector<int64_t> dims;
  uint32_t alignment = 64; // bytes
  /// Of an output: the input, by number, whose pointer it must have because it
  /// is an update of it.
  std::optional<uint32_t> inPlaceOf = {};
  /// What to make up where nobody gives data.
  std::optional<OperandValues> values = {};
  int64_t elements() const;
  int64_t bytes() const;
};

/// Where memory is, in DLPack's terms.
struct DevicePlace {
  int32_t type = 1; // kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3
  int32_t index = 0;
};

inline bool operator==(const DevicePlace &a, const DevicePlace &b) {
  return a.type == b.type && a.index == b.index;
}
inline bool operator!=(const DevicePlace &a, const DevicePlace &b) {
  return !(a == b);
}
/// "the CPU", "CUDA device 1", "the host, pinned", "DLPack device type 7".
std::string toString(const DevicePlace &place);

/// A caller-owned dense row-major tensor; does not own `dims`.
struct Tensor {
  void *data = nullptr;
  DType dtype = DType::f32;
  absl::Span<const int64_t> dims;
  DevicePlace place = {};
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_TENSOR_H
