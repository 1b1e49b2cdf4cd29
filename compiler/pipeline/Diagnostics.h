// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics: what went wrong, in one line for people, and whose fault it was.

#ifndef MINIC_COMPILER_PIPELINE_DIAGNOSTICS_H
#define MINIC_COMPILER_PIPELINE_DIAGNOSTICS_H

#include "runtime/base/ExitCode.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace minic {

using runtime::ExitCode;

/// Keeps the first error while it lives: what follows it is a consequence.
/// Warnings and remarks go to stderr at once. Not thread-safe.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// "file:line:col: message"; empty if there was no error.
  const std::string &firstError() const { return error; }
  /// What the message starts with decides: "unsupported: ..." is the user's to
  /// change, "internal error: ..." is ours, a file that "cannot" be opened or
  /// written is input, anything else is `otherwise`.
  ExitCode exitCode(ExitCode otherwise) const;

private:
  mlir::ScopedDiagnosticHandler handler;
  std::string error;
  ExitCode kind = ExitCode::Success;
};

/// "file:line:col: " of the innermost place in a file, else "'name': " of what
/// has a name; empty for neither.
std::string locationPrefix(mlir::Location location);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_DIAGNOSTICS_H
