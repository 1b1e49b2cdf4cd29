// SPDX-License-Identifier: Apache-2.0
//
// cudnn-frontend as minic uses it: its descriptors' builders, without its graph
// interface, which would bring CUDA's runtime library and everything else it
// has. Only a few sources include it, and they let none of its exceptions out.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDNN_FRONTEND_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDNN_FRONTEND_H

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"

#include "absl/strings/str_cat.h"

#include <unordered_map> // which its headers lack

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define NV_CUDNN_FRONTEND_DISABLE_LOGGING
#define CUDNN_FRONTEND_SKIP_JSON_LIB
// The headers' functions are inline and depend on the macros above: the
// namespace keeps them apart from functions of the same names that a program
// has.
#define cudnn_frontend minic_cudnn_frontend
#include "cudnn_frontend_ExecutionPlan.h"
#include "cudnn_frontend_Heuristics.h"
#include "cudnn_frontend_VariantPack.h"
// Needs the headers above.
#include "cudnn_frontend/backend/plan_helpers.h"

namespace minic::runtime {

namespace fe = minic_cudnn_frontend;

/// Has the frontend look its functions up in `library`, which must be the only
/// one of the process: it keeps what it has found.
absl::Status useLibrary(const CudnnLibrary &library);

/// Lets nothing that the frontend throws past it.
template <typename Body>
auto guarded(const CudnnLibrary &library, absl::string_view what, Body body)
    -> decltype(body()) {
  try {
    return body();
  } catch (fe::cudnnException &error) {
    return library.error(error.getCudnnStatus(), what, error.what());
  } catch (const std::exception &error) {
    return absl::InternalError(absl::StrCat(
        "cuDNN ", library.version, " cannot ", what, ": ", error.what()));
  }
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDNN_FRONTEND_H
