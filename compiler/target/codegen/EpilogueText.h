// SPDX-License-Identifier: Apache-2.0
//
// EpilogueText: the function that a user's source calls on each element of its
// result, as text to stand in front of that source.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_EPILOGUETEXT_H
#define MINIC_COMPILER_TARGET_CODEGEN_EPILOGUETEXT_H

#include "compiler/target/codegen/ScalarText.h"
#include "dialects/graph/KernelOp.h"

#include "llvm/Support/Error.h"

namespace minic {

/// What follows a kernel of the user's in its fusion's body.
struct KernelEpilogue {
  mutable graph::KernelOp kernel;
  llvm::ArrayRef<mlir::Operation *> ops; // pointwise, in order
  /// The fusion's operands that they read, by number.
  llvm::ArrayRef<unsigned> inputs;
};

/// Two macros for a kernel that declares the epilogue NAME, whose result has
/// rank R: `NAME(value, i0, ..., iR-1)` is what to store at that index in the
/// place of `value`, both floats; it may stand wherever the entry's parameters
/// are known. `NAME_operands` declares, with a comma ahead, the parameters of
/// the entry that the epilogue reads, and is nothing where it reads none.
///
/// Empty for a kernel without an epilogue. `lowerMath` rewrites what is no
/// function of the language in a module of one llvm.func. The error is one
/// line: `source` does not say both names, or an op has no text.
llvm::Expected<std::string> writeEpilogue(
    const KernelEpilogue &epilogue, llvm::StringRef source, CLanguage language,
    llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> lowerMath);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_EPILOGUETEXT_H
