// SPDX-License-Identifier: Apache-2.0
//
// EvaluateModel: what a model should compute, by the float64 reference, from
// files to a file.

#ifndef MINIC_COMPILER_DRIVER_EVALUATEMODEL_H
#define MINIC_COMPILER_DRIVER_EVALUATEMODEL_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <map>
#include <string>

namespace minic {

struct EvaluateOptions {
  /// A model (.onnx, .mlir) or an artifact that carries one (.minic).
  std::string model;
  /// The weights file; empty: as import finds it, or what an artifact names.
  std::string weights;
  std::string function = "main";
  /// Sizes of the dimensions that the model gives a name, one of each.
  std::map<std::string, std::vector<int64_t>> dims;
  /// .npy file by name of an input that becomes a constant.
  std::map<std::string, std::string> constantInputs;
  /// "bf16" or "f16" for a model whose weights are rounded; an artifact says it
  /// itself.
  std::string castWeights;
  /// .npy file by input name. Inputs without one are random, as fillRandom
  /// makes them from `seed` and the input's name.
  std::map<std::string, std::string> inputs;
  uint64_t seed = 0;
  /// Roughly how long to evaluate, in seconds: where all rows would take
  /// longer, chosen ones are evaluated. 0 for all rows.
  double budgetSeconds = 10;
  /// The file for the result (runtime/measure/ExpectedOutputs.h).
  std::string expected;
};

/// Writes options.expected. Failure has emitted a diagnostic and written
/// nothing.
mlir::LogicalResult evaluateModel(const EvaluateOptions &options,
                                  mlir::MLIRContext &context);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_EVALUATEMODEL_H
