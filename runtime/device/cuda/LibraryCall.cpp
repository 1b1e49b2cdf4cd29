// SPDX-License-Identifier: Apache-2.0
//
// From a descriptor to who makes its call.

#include "runtime/device/cuda/LibraryCall.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::StatusOr<std::vector<LibraryAlgorithm>>
LibraryCall::algorithms(int, uint64_t) const {
  return absl::UnimplementedError("this library call has one algorithm");
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createLibraryCall(const format::Call &call, const LibraryCallOptions &options) {
  switch (call.call_type()) {
  case format::LibraryCall::CublasGemm:
    return createCublasGemm(*call.call_as_CublasGemm(), options);
  case format::LibraryCall::CublasltMatmul:
    return createCublasltMatmul(*call.call_as_CublasltMatmul(), options);
  case format::LibraryCall::CudnnConvolution:
    return createCudnnConvolution(*call.call_as_CudnnConvolution(), options);
  case format::LibraryCall::CudnnMatmul:
    return createCudnnMatmul(*call.call_as_CudnnMatmul(), options);
  default:
    return absl::UnimplementedError(absl::StrCat(
        "unsupported: ", format::EnumNameLibraryCall(call.call_type()),
        " on a GPU"));
  }
}

} // namespace minic::runtime
