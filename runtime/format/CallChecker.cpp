// SPDX-License-Identifier: Apache-2.0
//
// From the union to the check of its member.

#include "runtime/format/CallChecker.h"

#include "absl/strings/str_cat.h"

namespace minic::format {

/// Where the library of `call` runs.
static std::string_view targetOf(LibraryCall call) {
  return call == LibraryCall::OnednnMatmul ||
                 call == LibraryCall::OnednnConvolution
             ? "cpu"
             : "cuda";
}

absl::Status checkCall(const Call &call, std::string_view target,
                       const AddressSpace &space) {
  if (call.call_type() == LibraryCall::NONE ||
      call.call_type() > LibraryCall::MAX) {
    return absl::DataLossError(
        absl::StrCat("damaged artifact: call: unknown library call ",
                     int(call.call_type())));
  }
  if (targetOf(call.call_type()) != target) {
    std::string name(target);
    return absl::DataLossError(absl::StrCat(
        "damaged artifact: call: ", EnumNameLibraryCall(call.call_type()),
        " in a plan for ", name));
  }
  switch (call.call_type()) {
  case LibraryCall::OnednnMatmul:
    return checkOnednnMatmul(*call.call_as_OnednnMatmul(), space);
  case LibraryCall::CublasGemm:
    return checkCublasGemm(*call.call_as_CublasGemm(), space);
  case LibraryCall::CublasltMatmul:
    return checkCublasltMatmul(*call.call_as_CublasltMatmul(), space);
  case LibraryCall::CudnnConvolution:
    return checkCudnnConvolution(*call.call_as_CudnnConvolution(), space);
  case LibraryCall::CudnnMatmul:
    return checkCudnnMatmul(*call.call_as_CudnnMatmul(), space);
  case LibraryCall::OnednnConvolution:
    return checkOnednnConvolution(*call.call_as_OnednnConvolution(), space);
  case LibraryCall::NONE:
    break;
  }
  return absl::OkStatus();
}

} // namespace minic::format
