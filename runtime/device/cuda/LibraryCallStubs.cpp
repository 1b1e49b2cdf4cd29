// SPDX-License-Identifier: Apache-2.0
//
// Libraries that this build does not call yet.

#include "runtime/device/cuda/LibraryCall.h"

namespace minic::runtime {

static absl::Status notBuiltIn(const char *library) {
  return absl::UnimplementedError(std::string("unsupported: ") + library +
                                  " is not built into this runtime");
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnConvolution(const format::CudnnConvolution &,
                       const LibraryCallOptions &) {
  return notBuiltIn("cuDNN");
}

absl::StatusOr<std::unique_ptr<LibraryCall>>
createCudnnMatmul(const format::CudnnMatmul &, const LibraryCallOptions &) {
  return notBuiltIn("cuDNN");
}

} // namespace minic::runtime
