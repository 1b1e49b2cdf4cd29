// SPDX-License-Identifier: Apache-2.0
//
// Sizes and names of tensors.

#include "runtime/base/Tensor.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

int64_t elementBytes(DType dtype) {
  switch (dtype) {
  case DType::i1:
  case DType::i8:
  case DType::u8:
    return 1;
  case DType::f16:
  case DType::bf16:
    return 2;
  case DType::i32:
  case DType::f32:
    return 4;
  case DType::i64:
    return 8;
  }
  return 0;
}

const char *toString(DType dtype) { return format::EnumNameDType(dtype); }

std::string toString(const DevicePlace &place) {
  switch (place.type) {
  case 1:
    return "the CPU";
  case 2:
    return absl::StrCat("CUDA device ", place.index);
  case 3:
    return "the host, pinned";
  default:
    return absl::StrCat("DLPack device type ", place.type);
  }
}

int64_t TensorSpec::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims) {
    count *= dim;
  }
  return count;
}

int64_t TensorSpec::bytes() const { return elements() * elementBytes(dtype); }

std::optional<OperandValues> toOperandValues(const format::Values *values) {
  if (values == nullptr) {
    return std::nullopt;
  }
  return OperandValues{values->kind(), values->lower(), values->upper()};
}

std::string toString(const OperandValues &values) {
  if (values.kind == ValuesKind::mask) {
    return "a mask";
  }
  return absl::StrCat(values.kind == ValuesKind::index ? "indices "
                                                       : "lengths ",
                      values.lower, " to ", values.upper);
}

} // namespace minic::runtime
