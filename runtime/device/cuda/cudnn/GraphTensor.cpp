// SPDX-License-Identifier: Apache-2.0
//
// Dtypes and tensor descriptors.

#include "runtime/device/cuda/cudnn/GraphTensor.h"

namespace minic::runtime {

absl::StatusOr<cudnnDataType_t> dataType(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return CUDNN_DATA_FLOAT;
  case DType::f16:
    return CUDNN_DATA_HALF;
  case DType::bf16:
    return CUDNN_DATA_BFLOAT16;
  default:
    return absl::UnimplementedError(
        absl::StrCat("unsupported: cuDNN call on ", toString(dtype)));
  }
}

absl::StatusOr<fe::Tensor> describeTensor(const CudnnTensor &tensor,
                                          int64_t id) {
  absl::StatusOr<cudnnDataType_t> type = dataType(tensor.dtype);
  if (!type.ok()) {
    return type.status();
  }
  return fe::TensorBuilder()
      .setDim(tensor.dims.size(), tensor.dims.data())
      .setStride(tensor.strides.size(), tensor.strides.data())
      .setId(id)
      .setAlignment(tensor.alignment)
      .setDataType(*type)
      .build();
}

} // namespace minic::runtime
