// SPDX-License-Identifier: Apache-2.0
//
// ScalarText: arithmetic on scalars as statements of C or CUDA C++, for code
// that a user's compiler is to see.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_SCALARTEXT_H
#define MINIC_COMPILER_TARGET_CODEGEN_SCALARTEXT_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

namespace minic {

enum class CLanguage { C, Cuda };

/// Prints ops of arith and math, and scf.if. CUDA C++ has functions for all of
/// math; in C only those that are instructions have a text: exp and others are
/// to be lowered first (MathLowering.h).
class ScalarText {
public:
  explicit ScalarText(CLanguage language) : language_(language) {}

  /// What the text relies on: functions that convert and reinterpret. Their
  /// names begin with "minic_".
  static llvm::StringRef prelude(CLanguage language);
  /// A value's type: float and double, _Bool, integers by their sizes. f16 and
  /// bf16 are the bits, an unsigned short. Empty for other types.
  llvm::StringRef typeName(mlir::Type type) const;

  /// `value`, an argument, is called `name`.
  void name(mlir::Value value, std::string name) {
    names_[value] = std::move(name);
  }
  std::string nameOf(mlir::Value value) const { return names_.lookup(value); }
  /// Appends a statement for each op of `block` but its terminator. Fails at an
  /// op that has no text, whose name `unknown` then is.
  mlir::LogicalResult print(mlir::Block &block, llvm::raw_ostream &os,
                            std::string &unknown);

private:
  /// The expression of `op`, which has one result; empty for one without text.
  std::string expression(mlir::Operation *op) const;
  std::string mathCall(mlir::Operation *op) const;
  mlir::LogicalResult printIf(mlir::Operation *op, llvm::raw_ostream &os,
                              std::string &unknown);

  CLanguage language_;
  llvm::DenseMap<mlir::Value, std::string> names_;
  unsigned count_ = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_SCALARTEXT_H
