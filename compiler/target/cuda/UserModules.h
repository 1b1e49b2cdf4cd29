// SPDX-License-Identifier: Apache-2.0
//
// UserModules: code of users' kernels that a device module brings beside its
// own functions.

#ifndef MINIC_COMPILER_TARGET_CUDA_USERMODULES_H
#define MINIC_COMPILER_TARGET_CUDA_USERMODULES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// One kernel, a binary of its own.
struct UserModule {
  std::string launched; // what launches call it
  std::string entry;    // its name in the code
  std::string code;     // PTX, or a cubin
  bool isCubin = false;
  std::string owner = {}; // who is told what an assembler says against it
};

void addUserModule(mlir::ModuleOp device, const UserModule &module);

/// What was added to `device`, by what launches call it.
std::vector<UserModule> getUserModules(mlir::ModuleOp device);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_USERMODULES_H
