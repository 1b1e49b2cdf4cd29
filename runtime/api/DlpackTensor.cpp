// SPDX-License-Identifier: Apache-2.0
//
// Types and strides of DLPack.

#include "runtime/api/DlpackTensor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace minic::runtime {

DLDataType toDlpack(DType dtype) {
  auto type = [](DLDataTypeCode code, uint8_t bits) {
    return DLDataType{uint8_t(code), bits, 1};
  };
  switch (dtype) {
  case DType::i1:
    return type(kDLBool, 8);
  case DType::i8:
    return type(kDLInt, 8);
  case DType::u8:
    return type(kDLUInt, 8);
  case DType::i32:
    return type(kDLInt, 32);
  case DType::i64:
    return type(kDLInt, 64);
  case DType::f16:
    return type(kDLFloat, 16);
  case DType::bf16:
    return type(kDLBfloat, 16);
  case DType::f32:
    break;
  }
  return type(kDLFloat, 32);
}

static bool isSame(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

static bool findDType(DLDataType type, DType &dtype) {
  for (DType candidate : format::EnumValuesDType()) {
    if (isSame(toDlpack(candidate), type)) {
      dtype = candidate;
      return true;
    }
  }
  return false;
}

/// "f64", "u16", "complex128"; what has no name here by its numbers.
static std::string nameOf(DLDataType type) {
  const char *name = type.code == kDLInt       ? "i"
                     : type.code == kDLUInt    ? "u"
                     : type.code == kDLFloat   ? "f"
                     : type.code == kDLBfloat  ? "bf"
                     : type.code == kDLComplex ? "complex"
                     : type.code == kDLBool    ? "bool"
                                               : nullptr;
  return name && type.lanes == 1
             ? absl::StrCat(name, int(type.bits))
             : absl::StrCat("DLPack code ", int(type.code), " of ",
                            int(type.bits), " bits and ", int(type.lanes),
                            " lanes");
}

static bool isDense(const DLTensor &tensor) {
  if (!tensor.strides) {
    return true;
  }
  int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    // Where there is at most one element the stride is never used.
    if (tensor.shape[i] > 1 && tensor.strides[i] != expected) {
      return false;
    }
    if (tensor.shape[i] == 0) {
      return true;
    }
    expected *= tensor.shape[i];
  }
  return true;
}

absl::Status fromDlpack(const DLTensor &dlpack, const char *role,
                        const TensorSpec &spec, Tensor &tensor) {
  // Named only on failure: runs allocate nothing.
  auto refused = [&](const auto &...args) {
    return absl::InvalidArgumentError(
        absl::StrCat(role, " '", spec.name, "': ", args...));
  };
  if (isSame(dlpack.dtype, toDlpack(spec.dtype))) {
    tensor.dtype = spec.dtype;
  } else if (!findDType(dlpack.dtype, tensor.dtype)) {
    return refused("expected dtype ", toString(spec.dtype), ", got ",
                   nameOf(dlpack.dtype));
  }
  if (dlpack.ndim < 0 || (dlpack.ndim > 0 && !dlpack.shape)) {
    return refused("expected a shape, got ", dlpack.ndim,
                   " dimensions at a null pointer");
  }
  if (!isDense(dlpack)) {
    return refused(
        "expected dense row-major strides, got [",
        absl::StrJoin(absl::MakeConstSpan(dlpack.strides, size_t(dlpack.ndim)),
                      ", "),
        "] for shape [",
        absl::StrJoin(absl::MakeConstSpan(dlpack.shape, size_t(dlpack.ndim)),
                      ", "),
        "]");
  }
  tensor.dims = {dlpack.shape, size_t(dlpack.ndim)};
  tensor.data = dlpack.data
                    ? static_cast<std::byte *>(dlpack.data) + dlpack.byte_offset
                    : nullptr;
  tensor.place = {int32_t(dlpack.device.device_type), dlpack.device.device_id};
  return absl::OkStatus();
}

} // namespace minic::runtime
