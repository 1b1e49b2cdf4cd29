// SPDX-License-Identifier: Apache-2.0
//
// One line per diagnostic.

#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace minic {

std::string locationPrefix(Location location) {
  std::string prefix;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file) {
      return WalkResult::advance();
    }
    prefix = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
              ":" + Twine(file.getColumn()) + ": ")
                 .str();
    return WalkResult::interrupt();
  });
  if (!prefix.empty()) {
    return prefix;
  }
  // Models that are no text have nodes with names.
  location->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (!name) {
      return WalkResult::advance();
    }
    prefix = ("'" + name.getName().getValue() + "': ").str();
    return WalkResult::interrupt();
  });
  return prefix;
}

/// Several lines (a printed op, say) become one.
static std::string oneLine(std::string text) {
  size_t end = text.find('\n');
  if (end != std::string::npos) {
    text.resize(end);
  }
  return text;
}

/// Success where the words do not tell.
static ExitCode kindOf(StringRef message) {
  if (message.contains("unsupported: ")) {
    return ExitCode::Unsupported;
  }
  if (message.starts_with("internal error")) {
    return ExitCode::Internal;
  }
  if (message.starts_with("cannot write '") ||
      message.starts_with("cannot open '")) {
    return ExitCode::BadInput;
  }
  return ExitCode::Success;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        std::string message = oneLine(diagnostic.str());
        std::string line = locationPrefix(diagnostic.getLocation()) + message;
        if (diagnostic.getSeverity() == DiagnosticSeverity::Warning ||
            diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
          llvm::errs() << "minic: "
                       << (diagnostic.getSeverity() ==
                                   DiagnosticSeverity::Warning
                               ? "warning: "
                               : "remark: ")
                       << line << '\n';
        } else if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                   error.empty()) {
          error = line;
          kind = kindOf(message);
        }
        return success();
      }) {}

ExitCode DiagnosticCollector::exitCode(ExitCode otherwise) const {
  return kind == ExitCode::Success ? otherwise : kind;
}

} // namespace minic
