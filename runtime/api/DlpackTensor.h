// SPDX-License-Identifier: Apache-2.0
//
// Between DLPack's tensors and the runtime's.

#ifndef MINIC_RUNTIME_API_DLPACKTENSOR_H
#define MINIC_RUNTIME_API_DLPACKTENSOR_H

#include "runtime/base/Tensor.h"
#include "runtime/include/minic/minic.h"

#include "absl/status/status.h"

namespace minic::runtime {

DLDataType toDlpack(DType dtype);

/// A view of `dlpack` in `tensor`, whose dims point into it. InvalidArgument,
/// naming it by `role` and `spec`, for what the runtime cannot express: an
/// unknown type, or strides that are not dense row-major. The rest is left to
/// Context::run.
absl::Status fromDlpack(const DLTensor &dlpack, const char *role,
                        const TensorSpec &spec, Tensor &tensor);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_API_DLPACKTENSOR_H
