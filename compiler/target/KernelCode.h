// SPDX-License-Identifier: Apache-2.0
//
// KernelCode: the code of one generated kernel and its figures, for people.

#ifndef MINIC_COMPILER_TARGET_KERNELCODE_H
#define MINIC_COMPILER_TARGET_KERNELCODE_H

#include <cstdint>
#include <string>

namespace minic {

/// Texts of one kernel generated on its own. Counts are -1 if they are unknown.
struct KernelCode {
  std::string entry;    // its symbol
  std::string arch;     // "x86-64-v4", "sm_90a"
  std::string deviceIr; // what its family wrote, MLIR
  std::string llvmIr;
  std::string assembly;
  std::string assemblyKind; // "s" or "ptx"
  int64_t codeBytes = -1, instructions = -1;
  /// GPU: of a thread. CPU: how many vector registers occur.
  int64_t registers = -1;
  /// Stored and loaded; GPU: per thread. CPU: in the text of the code.
  int64_t spillBytes = -1;
  int64_t sharedBytes = -1; // GPU: of a block, static and of the launch
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_KERNELCODE_H
