// SPDX-License-Identifier: Apache-2.0
//
// ForeignCode: PTX and cubins that others wrote, checked before they are
// launched. All errors are one line.

#ifndef MINIC_COMPILER_TARGET_CUDA_USER_FOREIGNCODE_H
#define MINIC_COMPILER_TARGET_CUDA_USER_FOREIGNCODE_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/UserModules.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace minic::cuda {

/// `ptx`, whose kernel `entry` has `parameters`, for launches that call it
/// `name`. Not assembled yet.
llvm::Expected<UserModule> checkPtx(llvm::StringRef ptx, llvm::StringRef entry,
                                    unsigned parameters, llvm::StringRef name);

/// Assembles PTX, where there is an assembler, and throws the result away: what
/// is wrong with it is known before it is offered.
llvm::Error checkAssembles(const UserModule &module,
                           const DeviceProfile &profile);

/// The same for a cubin, which nobody translates for another architecture; its
/// parameters are not looked at.
llvm::Expected<UserModule> checkCubin(llvm::StringRef cubin,
                                      llvm::StringRef entry,
                                      const DeviceProfile &profile,
                                      llvm::StringRef name);

/// What the device has less of than a launch wants; empty where it fits. Up to
/// three numbers each, x first.
std::string excessOf(llvm::ArrayRef<int64_t> grid,
                     llvm::ArrayRef<int64_t> block, int64_t sharedBytes,
                     const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_USER_FOREIGNCODE_H
