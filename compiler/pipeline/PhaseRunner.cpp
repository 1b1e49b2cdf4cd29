// SPDX-License-Identifier: Apache-2.0
//
// What happens around a phase.

#include "compiler/pipeline/PhaseRunner.h"

#include "compiler/tune/process/Interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace mlir;

namespace minic {

void printElided(ModuleOp module, llvm::raw_ostream &os) {
  OpPrintingFlags flags;
  // Both limits count printed elements or characters; small constants are part
  // of what the IR says.
  flags.elideLargeElementsAttrs(16);
  flags.elideLargeResourceString(0);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  // With every resource left out, MLIR still prints an empty section for them.
  StringRef ir = text;
  os << ir.take_front(ir.find("\n{-#")).rtrim() << '\n';
}

LogicalResult PhaseRunner::print(ModuleOp module, StringRef path) const {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error) {
    return emitError(UnknownLoc::get(module.getContext()))
           << "cannot write '" << path << "': " << error.message();
  }
  printElided(module, file.os());
  file.os().flush();
  if (file.os().has_error()) {
    std::string message = file.os().error().message();
    file.os().clear_error();
    return emitError(UnknownLoc::get(module.getContext()))
           << "cannot write '" << path << "': " << message;
  }
  file.keep();
  return success();
}

/// Written before the phase, so that it is there even if the phase aborts.
static void writeReproducer(StringRef path, ModuleOp module, Phase phase) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << "// IR before phase " << toString(phase) << '\n';
    printElided(module, os);
  }
}

LogicalResult PhaseRunner::run(Phase phase, ModuleOp module,
                               const PipelineInputs &inputs) {
  bool wantsReproducer = !options.crashReproducer.empty();
  if (wantsReproducer) {
    writeReproducer(options.crashReproducer, module, phase);
  }
  return run(phase, [&]() -> FailureOr<ModuleOp> {
    if (failed(runPhase(phase, module, inputs))) {
      return failure();
    }
    if (wantsReproducer) {
      (void)llvm::sys::fs::remove(options.crashReproducer);
    }
    return module;
  });
}

LogicalResult PhaseRunner::run(Phase phase,
                               llvm::function_ref<FailureOr<ModuleOp>()> body) {
  phase_ = phase;
  auto start = std::chrono::steady_clock::now();
  FailureOr<ModuleOp> module = body();
  if (failed(module) || interrupted()) {
    return failure();
  }
  double ms = std::chrono::duration<double, std::milli>(
                  std::chrono::steady_clock::now() - start)
                  .count();
  times_.push_back({phase, ms});
  options.log.line(LogTopic::Phases, llvm::formatv("phase {0,-16} {1,9:F1} ms",
                                                   toString(phase), ms));
  if (llvm::is_contained(options.dumpIrAfter, phase)) {
    llvm::errs() << "// IR after phase " << toString(phase) << '\n';
    printElided(*module, llvm::errs());
  }
  return success();
}

std::string PhaseRunner::reproducerHint() const {
  std::string where = " (phase " + toString(phase_).str();
  return options.crashReproducer.empty()
             ? where + "; --crash-reproducer=FILE keeps the IR that shows it)"
             : where + "; the IR that shows it is in " +
                   options.crashReproducer + ")";
}

} // namespace minic
