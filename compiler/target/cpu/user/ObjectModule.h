// SPDX-License-Identifier: Apache-2.0
//
// ObjectModule: an ELF object with a kernel, checked and made LLVM IR, so that
// it is linked as the IR of others is.

#ifndef MINIC_COMPILER_TARGET_CPU_USER_OBJECTMODULE_H
#define MINIC_COMPILER_TARGET_CPU_USER_OBJECTMODULE_H

#include "compiler/target/cpu/user/UserModule.h"

namespace minic::cpu {

/// `object`: position-independent, for x86-64; it defines the function `entry`.
/// The error is one line: what is no such object, a missing entry, something
/// that is imported, a variable. What parameters the entry takes is not seen.
llvm::Expected<UserModule> makeObjectModule(llvm::StringRef object,
                                            llvm::StringRef entry);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_USER_OBJECTMODULE_H
