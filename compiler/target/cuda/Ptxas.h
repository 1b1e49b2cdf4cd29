// SPDX-License-Identifier: Apache-2.0
//
// ptxas as a subprocess, for machines that have it but not its library.

#ifndef MINIC_COMPILER_TARGET_CUDA_PTXAS_H
#define MINIC_COMPILER_TARGET_CUDA_PTXAS_H

#include "compiler/target/cuda/NvJitLink.h"

#include <optional>

namespace minic::cuda {

/// The program's path: only what MINIC_PTXAS names, if it is set; otherwise a
/// ptxas in CUDA_HOME, PATH or /usr/local/cuda.
std::optional<std::string> findPtxas();

/// Assembles by `program`. Its temporary files are gone when it returns.
llvm::Expected<AssembledBinary>
runPtxas(llvm::StringRef program, llvm::StringRef ptx, llvm::StringRef arch);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_PTXAS_H
