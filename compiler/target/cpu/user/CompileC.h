// SPDX-License-Identifier: Apache-2.0
//
// CompileC: a user's C as LLVM IR, by a clang that is found when it is needed.

#ifndef MINIC_COMPILER_TARGET_CPU_USER_COMPILEC_H
#define MINIC_COMPILER_TARGET_CPU_USER_COMPILEC_H

#include "compiler/target/DeviceProfile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cpu {

struct CSource {
  std::string name; // for messages: "scale.c"
  std::string text;
  llvm::ArrayRef<std::pair<std::string, int64_t>> macros;
  llvm::ArrayRef<std::string> flags; // of the user
  std::string prelude = {};          // minic's own, in front of the text
};

/// LLVM IR as text, optimized for `profile`. The error is one line: what clang
/// said first, with the user's line, or that there is no clang. What was
/// compiled once is not compiled again by this process. Thread-safe.
llvm::Expected<std::string> compileC(const CSource &source,
                                     const DeviceProfile &profile);

/// The first line of `clang --version`; empty where there is no clang.
const std::string &getClangVersion();

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_USER_COMPILEC_H
