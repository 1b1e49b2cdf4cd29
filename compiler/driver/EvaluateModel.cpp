// SPDX-License-Identifier: Apache-2.0
//
// Finds the model, makes its inputs, evaluates, writes.

#include "compiler/driver/EvaluateModel.h"

#include "compiler/driver/StoredWeights.h"
#include "compiler/import/FunctionInputs.h"
#include "compiler/import/ImportModel.h"
#include "compiler/reference/Evaluator.h"
#include "runtime/format/ArtifactReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace minic {

static InFlightDiagnostic error(MLIRContext &context) {
  return emitError(UnknownLoc::get(&context));
}

static LogicalResult report(MLIRContext &context, const absl::Status &status) {
  if (status.ok()) {
    return success();
  }
  return error(context) << std::string(status.message());
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static FailureOr<ImportedModel>
importFromArtifact(const EvaluateOptions &options, MLIRContext &context) {
  absl::StatusOr<format::ArtifactReader> artifact =
      format::ArtifactReader::open(options.model);
  if (failed(report(context, artifact.status()))) {
    return failure();
  }
  absl::Span<const std::byte> graph =
      artifact->section(format::SectionKind::model);
  if (graph.empty()) {
    return error(context) << "'" << options.model
                          << "' carries no model to evaluate";
  }
  ImportOptions importOptions;
  importOptions.functions = {options.function};
  importOptions.weights =
      options.weights.empty()
          ? findStoredWeights(artifact->metadata(), options.model)
          : options.weights;
  FailureOr<ImportedModel> model = importModelBuffer(
      StringRef(reinterpret_cast<const char *>(graph.data()), graph.size()),
      options.model, context, importOptions);
  if (failed(model)) {
    return failure();
  }
  StringRef compiledWith = artifact->metadata().weights_hash()
                               ? artifact->metadata().weights_hash()->c_str()
                               : "";
  if (model->weightsHash != compiledWith) {
    return error(context) << "weights '" << model->weightsPath
                          << "' are not those that '" << options.model
                          << "' was compiled with: expected xxh3 "
                          << compiledWith << ", got " << model->weightsHash;
  }
  return model;
}

static FailureOr<ImportedModel> import(const EvaluateOptions &options,
                                       MLIRContext &context) {
  if (StringRef(options.model).ends_with(".minic")) {
    return importFromArtifact(options, context);
  }
  return importModel(options.model, context,
                     {options.weights,
                      {options.function},
                      {options.dims},
                      options.constantInputs,
                      options.castWeights});
}

LogicalResult evaluateModel(const EvaluateOptions &options,
                            MLIRContext &context) {
  FailureOr<ImportedModel> model = import(options, context);
  if (failed(model)) {
    return failure();
  }
  auto function = model->module->lookupSymbol<func::FuncOp>(options.function);
  FailureOr<std::vector<FunctionInput>> arguments =
      readInputs(function, options.inputs, options.seed);
  if (failed(arguments)) {
    return failure();
  }
  reference::Inputs inputs;
  for (const FunctionInput &argument : *arguments) {
    inputs.arguments.push_back(argument.data.data());
  }
  Block &body = function.getBody().front();
  reference::EvaluationOptions evaluation;
  evaluation.fillsUnbounded = true;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    evaluation.outputNames.push_back(resultName(function, i));
  }
  if (options.budgetSeconds > 0) {
    reference::RowBudget budget;
    budget.seconds = options.budgetSeconds;
    budget.seed = options.seed;
    evaluation.rows = reference::chooseRows(body, budget);
  }
  auto outputs = reference::evaluate(body, inputs, evaluation);
  if (failed(outputs)) {
    return failure();
  }
  return report(context,
                runtime::writeExpectedOutputs(options.expected, *outputs));
}

} // namespace minic
