// SPDX-License-Identifier: Apache-2.0
//
// CompileTrace: what `--trace=DIR` keeps of a compilation, told phase by phase,
// and written at its end.

#ifndef MINIC_COMPILER_TRACE_COMPILETRACE_H
#define MINIC_COMPILER_TRACE_COMPILETRACE_H

#include "compiler/trace/GraphJson.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic::trace {

/// What tuning did for one target.
struct TuningTrace {
  /// The text of a tune report (docs/json.md); empty where nobody was asked.
  std::string report;
  /// One line: where the worker's seconds went; empty where it was not asked.
  std::string costs;
};

class CompileTrace {
public:
  /// `model`: the path, for people.
  CompileTrace(std::string folder, std::string model);

  /// Removes the folder again if it was made and nothing was written.
  ~CompileTrace();
  CompileTrace(const CompileTrace &) = delete;
  CompileTrace &operator=(const CompileTrace &) = delete;

  static constexpr const char *jsonName = "trace.json",
                              *pageName = "trace.html";
  /// The path of such a file.
  std::string fileOf(llvm::StringRef name) const;

  /// A diagnostic where it cannot be made.
  mlir::LogicalResult makeFolder(mlir::MLIRContext &context);

  /// After import. Marks the ops.
  void captured(mlir::ModuleOp module);
  /// One target's module with algorithms selected. Marks the fusions.
  void selected(mlir::ModuleOp module,
                const std::vector<FunctionEvidence> &evidence,
                const Target &target, const CompileOptions &options,
                const TuningTrace &tuning);
  /// The same module as a plan.
  void planned(mlir::ModuleOp plan);
  /// Once for each phase that ran; of several targets all.
  void phase(llvm::StringRef name, double ms);

  /// Writes both files, each whole or not at all.
  mlir::LogicalResult write(mlir::MLIRContext &context);

private:
  Json *functionOf(const std::string &name);

  std::string folder;
  std::vector<std::string> made; // folders, outermost first
  Json data;
};

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_COMPILETRACE_H
