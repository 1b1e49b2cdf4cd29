// SPDX-License-Identifier: Apache-2.0
//
// ExplainParseErrors: MLIR's parse errors in the words of minic's users.

#ifndef MINIC_COMPILER_IMPORT_EXPLAINPARSEERRORS_H
#define MINIC_COMPILER_IMPORT_EXPLAINPARSEERRORS_H

#include "mlir/IR/Diagnostics.h"

namespace minic {

/// How error lines name the format of a model, and its ops.
inline constexpr llvm::StringLiteral expectedModelText =
    "expected a model as ONNX, or as MLIR text or bytecode in the graph "
    "dialect "
    "(docs/ops.md lists its ops)";
inline constexpr llvm::StringLiteral modelOpsText =
    "a model is made of graph ops (docs/ops.md lists them)";

/// While it lives, errors about unknown ops and about text that is no MLIR from
/// its first word on say what minic reads; all others pass unchanged.
class ExplainParseErrors {
public:
  /// `text` is what is parsed; it is only read here.
  ExplainParseErrors(mlir::MLIRContext *context, llvm::StringRef text);

private:
  llvm::LogicalResult explain(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext *context;
  /// Its first word, and where that is, counted from 1.
  std::string firstWord;
  unsigned firstLine = 1;
  unsigned firstColumn = 1;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_EXPLAINPARSEERRORS_H
