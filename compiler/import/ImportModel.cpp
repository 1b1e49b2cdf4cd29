// SPDX-License-Identifier: Apache-2.0
//
// An importer reads the file; what it made is verified and gets its weights.

#include "compiler/import/ImportModel.h"

#include "compiler/import/ArgumentValues.h"
#include "compiler/import/BindWeights.h"
#include "compiler/import/CastWeights.h"
#include "compiler/import/FillProblem.h"
#include "compiler/import/Importer.h"
#include "compiler/import/RecognizeFile.h"
#include "compiler/import/VerifyModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace minic {

static FailureOr<std::string> weightsPath(ModuleOp module, StringRef model,
                                          const ImportOptions &options) {
  if (!options.weights.empty()) {
    return options.weights;
  }
  SmallString<128> path;
  if (Attribute attribute = module->getAttr("graph.weights")) {
    auto text = dyn_cast<StringAttr>(attribute);
    if (!text) {
      return module.emitError("expected graph.weights to be a string, got ")
             << attribute;
    }
    path = text.getValue();
    if (llvm::sys::path::is_relative(path)) {
      path = llvm::sys::path::parent_path(model);
      llvm::sys::path::append(path, text.getValue());
    }
  } else {
    path = model;
    llvm::sys::path::replace_extension(path, ".safetensors");
  }
  return path.str().str();
}

static LogicalResult attachWeights(ImportedModel &model, StringRef name,
                                   std::shared_ptr<const WeightSource> weights,
                                   const ImportOptions &options) {
  Location unknown = UnknownLoc::get(model.module->getContext());
  if (weights && !options.weights.empty()) {
    return emitError(unknown)
           << "weights: '" << name << "' has its own, --weights is for models "
           << "in the graph dialect";
  }
  // A file that was asked for is opened even if nothing needs it, so that a
  // wrong --weights= never passes silently.
  if (!needsWeights(*model.module) && options.weights.empty()) {
    return success();
  }
  if (!weights) {
    FailureOr<std::string> path = weightsPath(*model.module, name, options);
    if (failed(path)) {
      return failure();
    }
    std::string error;
    weights = openWeights(*path, error);
    if (!weights) {
      return emitError(unknown) << "weights: " << error;
    }
  }
  model.weightsPath = weights->path().str();
  model.weightsHash = weights->hash();
  FailureOr<size_t> rounded = bindWeights(*model.module, weights);
  if (succeeded(rounded) && !options.castWeights.empty()) {
    emitWarning(unknown) << "--cast-weights=" << options.castWeights
                         << " changes the numerics: " << *rounded
                         << " weights are rounded, and what products, "
                            "convolutions and gathers read besides";
  }
  return rounded;
}

static LogicalResult setArgumentValues(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(minic::setArgumentValues(function))) {
      return failure();
    }
  }
  return success();
}

static FailureOr<ImportedModel>
importBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name,
             MLIRContext &context, const ImportOptions &options) {
  const Importer &importer = findImporter(name, buffer->getBuffer());
  FailureOr<Importer::Result> read =
      importer.import(std::move(buffer), options, context);
  if (failed(read)) {
    return failure();
  }
  ImportedModel model;
  model.module = std::move(read->module);
  if (failed(keepFunctions(*model.module, options.functions))) {
    return failure();
  }
  for (NamedTensor &tensor : read->tensors) {
    if (model.module->lookupSymbol(tensor.function)) {
      model.tensors.push_back(std::move(tensor));
    }
  }
  if (failed(makeInputsConstant(*model.module, options.constantInputs)) ||
      failed(verifyModel(*model.module)) ||
      failed(setArgumentValues(*model.module)) ||
      failed(fillProblem(*model.module))) {
    return failure();
  }
  if (!options.castWeights.empty()) {
    castWeights(*model.module, options.castWeights);
  }
  if (failed(attachWeights(model, name, std::move(read->weights), options))) {
    return failure();
  }
  return model;
}

FailureOr<ImportedModel> importModel(StringRef path, MLIRContext &context,
                                     const ImportOptions &options) {
  // An ONNX model is mapped, whatever its size; text has to end with a zero.
  auto start = llvm::MemoryBuffer::getFileSlice(path, /*MapSize=*/64,
                                                /*Offset=*/0);
  bool isOnnx = start && looksLikeOnnx(path, (*start)->getBuffer());
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/!isOnnx);
  if (!buffer) {
    return emitError(UnknownLoc::get(&context))
           << "cannot open '" << path << "': " << buffer.getError().message();
  }
  return importBuffer(std::move(*buffer), path, context, options);
}

FailureOr<ImportedModel> importModelBuffer(StringRef text, StringRef name,
                                           MLIRContext &context,
                                           const ImportOptions &options) {
  return importBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), name,
                      context, options);
}

} // namespace minic
