// SPDX-License-Identifier: Apache-2.0
//
// Sizes and names of tensors.

#include "runtime/base/Tensor.h"

namespace minic::runtime {

int64_t elementBytes(DType dtype) {
  switch (dtype) {
  case DType::i1:
  case DType::i8:
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

int64_t TensorSpec::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims) {
    count *= dim;
  }
  return count;
}

int64_t TensorSpec::bytes() const { return elements() * elementBytes(dtype); }

} // namespace minic::runtime
