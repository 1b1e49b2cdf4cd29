// SPDX-License-Identifier: Apache-2.0
//
// UserPtx: a user's PTX, checked and under a name of minic's.

#ifndef MINIC_COMPILER_TARGET_CUDA_USER_USERPTX_H
#define MINIC_COMPILER_TARGET_CUDA_USER_USERPTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cuda {

/// `ptx`, in which the kernel `entry` has `parameters` parameters, with the
/// kernel called `name`. The error is one line.
llvm::Expected<std::string> renameEntry(llvm::StringRef ptx,
                                        llvm::StringRef entry,
                                        unsigned parameters,
                                        llvm::StringRef name);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_USER_USERPTX_H
