// SPDX-License-Identifier: Apache-2.0
//
// Finds the model, makes its inputs, evaluates, writes.

#include "compiler/driver/EvaluateModel.h"

#include "compiler/driver/StoredWeights.h"
#include "compiler/import/ArgumentValues.h"
#include "compiler/import/ImportModel.h"
#include "compiler/reference/Evaluator.h"
#include "dialects/plan/DTypes.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/measure/NpyFile.h"
#include "runtime/measure/RandomData.h"

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
                     {options.weights, {options.function}, options.dims});
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// `graph.name` of an argument or result, else `prefix` and its position: what
/// the plan calls it.
static std::string nameOf(DictionaryAttr attributes, StringRef prefix,
                          unsigned index) {
  if (attributes) {
    if (auto name = attributes.getAs<StringAttr>("graph.name")) {
      return name.getValue().str();
    }
  }
  return (prefix + Twine(index)).str();
}

static FailureOr<runtime::AlignedBuffer>
makeInput(const EvaluateOptions &options, const std::string &name,
          RankedTensorType type,
          const std::optional<runtime::OperandValues> &values,
          MLIRContext &context) {
  format::DType dtype = *plan::toDType(type.getElementType());
  int64_t bytes = type.getNumElements() * runtime::elementBytes(dtype);
  auto file = options.inputs.find(name);
  if (file == options.inputs.end()) {
    absl::StatusOr<runtime::AlignedBuffer> buffer =
        runtime::AlignedBuffer::create(bytes);
    if (failed(report(context, buffer.status()))) {
      return failure();
    }
    runtime::fillRandom(
        buffer->data(), dtype,
        absl::MakeConstSpan(type.getShape().data(), type.getShape().size()),
        options.seed, name, /*scaleByFanIn=*/false, values);
    return *std::move(buffer);
  }
  absl::StatusOr<runtime::NpyArray> array =
      runtime::readNpy(file->second, dtype == format::DType::bf16);
  if (failed(report(context, array.status()))) {
    return failure();
  }
  if (array->dtype != dtype ||
      ArrayRef<int64_t>(array->dims) != type.getShape()) {
    return error(context) << "input " << name << ": expected " << type
                          << ", got "
                          << RankedTensorType::get(
                                 array->dims,
                                 plan::fromDType(array->dtype, &context))
                          << " in " << file->second;
  }
  return std::move(array->data);
}

LogicalResult evaluateModel(const EvaluateOptions &options,
                            MLIRContext &context) {
  FailureOr<ImportedModel> model = import(options, context);
  if (failed(model)) {
    return failure();
  }
  auto function = model->module->lookupSymbol<func::FuncOp>(options.function);
  std::vector<runtime::AlignedBuffer> buffers;
  reference::Inputs inputs;
  std::map<std::string, std::string> unused = options.inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!type.hasStaticShape()) {
      return function.emitError("unsupported: dynamic shape ") << type;
    }
    unsigned index = argument.getArgNumber();
    std::string name = nameOf(function.getArgAttrDict(index), "arg", index);
    FailureOr<runtime::AlignedBuffer> buffer = makeInput(
        options, name, type, getArgumentValues(function, index), context);
    if (failed(buffer)) {
      return failure();
    }
    inputs.arguments.push_back(buffer->data());
    buffers.push_back(std::move(*buffer));
    unused.erase(name);
  }
  if (!unused.empty()) {
    return error(context) << "@" << options.function << " has no input '"
                          << unused.begin()->first << "'";
  }
  Block &body = function.getBody().front();
  reference::EvaluationOptions evaluation;
  evaluation.fillsUnbounded = true;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    evaluation.outputNames.push_back(
        nameOf(function.getResultAttrDict(i), "result", i));
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
