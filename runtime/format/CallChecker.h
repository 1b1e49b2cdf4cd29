// SPDX-License-Identifier: Apache-2.0
//
// CallChecker: the checks of library calls, one file per library.

#ifndef MINIC_RUNTIME_FORMAT_CALLCHECKER_H
#define MINIC_RUNTIME_FORMAT_CALLCHECKER_H

#include "runtime/format/MetadataChecker.h"

namespace minic::format {

absl::Status checkOnednnMatmul(const OnednnMatmul &call,
                               const AddressSpace &space);
absl::Status checkOnednnConvolution(const OnednnConvolution &call,
                                    const AddressSpace &space);
absl::Status checkCublasGemm(const CublasGemm &call, const AddressSpace &space);
absl::Status checkCublasltMatmul(const CublasltMatmul &call,
                                 const AddressSpace &space);
absl::Status checkCudnnConvolution(const CudnnConvolution &call,
                                   const AddressSpace &space);
absl::Status checkCudnnMatmul(const CudnnMatmul &call,
                              const AddressSpace &space);

/// Checks the call that `call` holds, and that `target` has its library.
absl::Status checkCall(const Call &call, std::string_view target,
                       const AddressSpace &space);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLCHECKER_H
