// SPDX-License-Identifier: Apache-2.0
//
// Compiler: from a model file to an artifact, as the options say.

#ifndef MINIC_COMPILER_DRIVER_COMPILER_H
#define MINIC_COMPILER_DRIVER_COMPILER_H

#include "compiler/driver/BucketSummary.h"
#include "compiler/explain/Evidence.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace minic {

struct CompileResult {
  ExitCode code = ExitCode::Success;
  /// One line; empty on success.
  std::string error;

  /// Where the artifact or the IR went.
  std::string output;
  uint64_t fileBytes = 0, constantBytes = 0, binaryBytes = 0;
  /// The largest arena of all variants: what a Context allocates.
  uint64_t arenaBytes = 0;
  /// Of the first variant.
  std::vector<FunctionEvidence> evidence;
  /// The same, of functions that are buckets.
  std::vector<BucketSummary> buckets;
  /// What the machine it is for must have, a line per variant; empty where it
  /// is this one.
  std::vector<std::string> needs;
  double seconds = 0;
};

/// A context with every dialect that a compilation uses. Not to be shared by
/// threads.
std::unique_ptr<mlir::MLIRContext> createCompilerContext();

/// May add results to the functions of a module whose algorithms are selected;
/// called once for each target.
using SelectedModuleHook = std::function<void(mlir::ModuleOp)>;

/// Compiles the model file `path` to outputPath(path, options): an artifact,
/// or for an earlier options.compileTo the IR as text, without the bytes of
/// constants. On failure nothing is at the output path that was not there.
CompileResult compileModel(llvm::StringRef path, const CompileOptions &options,
                           mlir::MLIRContext &context,
                           const SelectedModuleHook &onSelected = {});

/// options.output, else the model's path with the extension .minic, else "-"
/// (stdout) for IR.
std::string outputPath(llvm::StringRef model, const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_COMPILER_H
