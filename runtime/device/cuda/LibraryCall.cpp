// SPDX-License-Identifier: Apache-2.0
//
// From an op to who makes its call.

#include "runtime/device/cuda/LibraryCall.h"

#include "runtime/format/CallReader.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::StatusOr<std::vector<LibraryAlgorithm>>
LibraryCall::algorithms(int, uint64_t) const {
  return absl::UnimplementedError("this library call has one algorithm");
}

using Create = absl::StatusOr<std::unique_ptr<LibraryCall>> (*)(
    const format::Call &, const LibraryCallOptions &);

static constexpr struct {
  const char *library, *op;
  Create create;
} kCalls[] = {{"cublas", "gemm", createCublasGemm},
              {"cublaslt", "matmul", createCublasltMatmul},
              {"cudnn", "attention", createCudnnCall},
              {"cudnn", "convolution", createCudnnCall},
              {"cudnn", "matmul", createCudnnCall}};

absl::StatusOr<std::unique_ptr<LibraryCall>>
createLibraryCall(const format::Call &call, const LibraryCallOptions &options) {
  for (const auto &each : kCalls) {
    if (format::CallReader(call).is(each.library, each.op)) {
      return each.create(call, options);
    }
  }
  return absl::UnimplementedError(
      absl::StrCat("unsupported: ", format::callName(call), " on a GPU"));
}

} // namespace minic::runtime
