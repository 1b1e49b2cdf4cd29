// SPDX-License-Identifier: Apache-2.0
//
// lld in process: one object in, one self-contained shared object out.

#ifndef MINIC_COMPILER_TARGET_CPU_LINKSHAREDOBJECT_H
#define MINIC_COMPILER_TARGET_CPU_LINKSHAREDOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace minic::cpu {

/// Links an ELF object. The result imports nothing and has no relocations, so
/// that the runtime can load it by copying segments; an object that needs
/// either is an error that names the symbol. Thread-safe: calls are serialized
/// because lld is not. Its temporary files are gone when it returns.
llvm::Expected<std::string> linkSharedObject(llvm::StringRef object);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_LINKSHAREDOBJECT_H
