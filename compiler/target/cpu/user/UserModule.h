// SPDX-License-Identifier: Apache-2.0
//
// UserModule: a user's LLVM IR, checked and ready to be linked beside minic's
// kernels.

#ifndef MINIC_COMPILER_TARGET_CPU_USER_USERMODULE_H
#define MINIC_COMPILER_TARGET_CPU_USER_USERMODULE_H

#include "compiler/target/DeviceProfile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cpu {

struct UserModule {
  std::string symbol; // of the entry: unique to the text
  std::string text;   // LLVM IR in which all else is internal
};

/// What an entry takes: pointers, then i64.
struct EntryParameters {
  unsigned pointers = 0, integers = 0;
  std::string pointersText = "its operands, then its results";
};

/// Reads `ir` (`name` is its file, for messages), whose function `entry` takes
/// `parameters` and returns nothing. The error
/// is one line: what cannot be read, a missing or different entry, something
/// that is imported, a variable (kernels keep no state).
llvm::Expected<UserModule>
makeUserModule(llvm::StringRef ir, llvm::StringRef name, llvm::StringRef entry,
               const EntryParameters &parameters, const DeviceProfile &profile);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_USER_USERMODULE_H
