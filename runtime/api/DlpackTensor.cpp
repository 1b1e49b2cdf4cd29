// SPDX-License-Identifier: Apache-2.0
//
// Types and strides of DLPack.

#include "runtime/api/DlpackTensor.h"

#include "absl/strings/str_cat.h"

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
    return refused("expected dtype ", toString(spec.dtype),
                   ", got DLPack code ", int(dlpack.dtype.code), " of ",
                   int(dlpack.dtype.bits), " bits and ",
                   int(dlpack.dtype.lanes), " lanes");
  }
  if (dlpack.ndim < 0 || (dlpack.ndim > 0 && !dlpack.shape)) {
    return refused("expected a shape, got ", dlpack.ndim,
                   " dimensions at a null pointer");
  }
  if (!isDense(dlpack)) {
    return refused("expected dense row-major strides");
  }
  tensor.dims = {dlpack.shape, size_t(dlpack.ndim)};
  tensor.data = dlpack.data
                    ? static_cast<std::byte *>(dlpack.data) + dlpack.byte_offset
                    : nullptr;
  tensor.place = {int32_t(dlpack.device.device_type), dlpack.device.device_id};
  return absl::OkStatus();
}

} // namespace minic::runtime
