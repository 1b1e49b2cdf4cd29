// SPDX-License-Identifier: Apache-2.0
//
// CountCode: figures of machine code, from its object and its text.

#ifndef MINIC_COMPILER_TARGET_COUNTCODE_H
#define MINIC_COMPILER_TARGET_COUNTCODE_H

#include "compiler/target/KernelCode.h"

#include "llvm/ADT/StringRef.h"

namespace minic {

/// Bytes of the code of kernel `entry` in `object`: an x86 object that holds it
/// alone, or a cubin, which has a section for each. -1 where it has none.
int64_t countCodeBytes(llvm::StringRef object, llvm::StringRef entry);

/// Instructions, vector registers and spilled bytes of code.assembly, which is
/// LLVM's text of x86 code with its comments.
void countAssembly(KernelCode &code);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_COUNTCODE_H
