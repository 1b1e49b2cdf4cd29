// SPDX-License-Identifier: Apache-2.0
//
// An importer reads the file; what it made is verified and gets its weights.

#include "compiler/import/ImportModel.h"

#include "compiler/import/ArgumentValues.h"
#include "compiler/import/BindDims.h"
#include "compiler/import/BindWeights.h"
#include "compiler/import/CastWeights.h"
#include "compiler/import/FillProblem.h"
#include "compiler/import/Importer.h"
#include "compiler/import/PadDims.h"
#include "compiler/import/RecognizeFile.h"
#include "compiler/import/VerifyBuckets.h"
#include "compiler/import/VerifyModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <functional>

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

/// How many weights were rounded.
static FailureOr<size_t>
attachWeights(ImportedModel &model, StringRef name,
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
    return size_t(0);
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
  model.weights = weights;
  return bindWeights(*model.module, weights);
}

static void stateCasts(size_t rounded, StringRef dtype, MLIRContext &context) {
  emitWarning(UnknownLoc::get(&context))
      << "--cast-weights=" << dtype << " changes the numerics: " << rounded
      << " weights are rounded, and "
      << (dtype == "f32" ? "float64 is read as float32"
                         : "what products, convolutions and gathers read "
                           "besides");
}

static LogicalResult setArgumentValues(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(minic::setArgumentValues(function))) {
      return failure();
    }
  }
  return success();
}

/// Opens the model anew: some importers keep its bytes.
using OpenModel = std::function<std::unique_ptr<llvm::MemoryBuffer>()>;

/// The functions of `read` that are asked for, for each of `buckets`.
static FailureOr<OwningOpRef<ModuleOp>>
specialize(Importer::Result &read, ArrayRef<graph::DimSizes> buckets,
           const ImportOptions &options, const Importer &importer,
           const OpenModel &open, MLIRContext &context) {
  if (buckets.size() == 1) {
    if (read.hasOpenDims && failed(bindDims(*read.module, buckets.front()))) {
      return failure();
    }
    return std::move(read.module);
  }
  std::vector<std::string> varying;
  for (const auto &[name, size] : buckets.front()) {
    if (llvm::any_of(buckets, [&](const graph::DimSizes &bucket) {
          return bucket.at(name) != size;
        })) {
      varying.push_back(name);
    }
  }
  OwningOpRef<ModuleOp> merged =
      cast<ModuleOp>((*read.module)->cloneWithoutRegions());
  merged->getBodyRegion().emplaceBlock();
  for (const graph::DimSizes &sizes : buckets) {
    OwningOpRef<ModuleOp> module;
    if (read.hasOpenDims) {
      module = read.module->clone();
      if (failed(bindDims(*module, sizes))) {
        return failure();
      }
    } else if (sizes == buckets.front()) {
      module = std::move(read.module);
    } else {
      FailureOr<Importer::Result> again =
          importer.import(open(), options, sizes, context);
      if (failed(again) ||
          failed(keepFunctions(*again->module, options.functions))) {
        return failure();
      }
      module = std::move(again->module);
    }
    mergeBucket(*module, sizes, varying, *merged);
  }
  return merged;
}

/// Reads the model for its first set of sizes, or for none yet; `buckets` gets
/// all sets.
static FailureOr<Importer::Result> read(const Importer &importer,
                                        const OpenModel &open,
                                        const ImportOptions &options,
                                        MLIRContext &context,
                                        std::vector<graph::DimSizes> &buckets) {
  DimOptions dims = options.dims;
  FailureOr<std::vector<graph::DimSizes>> asked = expandBuckets(dims, context);
  if (failed(asked)) {
    return failure();
  }
  FailureOr<Importer::Result> result =
      importer.import(open(), options, asked->front(), context);
  if (failed(result) ||
      failed(keepFunctions(*result->module, options.functions))) {
    return failure();
  }
  if (result->hasOpenDims) {
    DimOptions declared;
    if (failed(readBuckets(*result->module, declared))) {
      return failure();
    }
    // What is asked for wins.
    for (auto &[name, sizes] : declared.sizes) {
      if (!asked->front().count(name)) {
        dims.sizes.insert({name, std::move(sizes)});
      }
    }
    asked = expandBuckets(dims, context);
    if (failed(asked)) {
      return failure();
    }
    (*result->module)->removeAttr(graph::bucketsAttrName);
  }
  buckets = std::move(*asked);
  if (buckets.size() > 1 && !options.takesBuckets) {
    return emitError(UnknownLoc::get(&context))
           << "--dim: expected one size of each dimension here, got "
           << graph::bucketName("", buckets.front()) << " and "
           << graph::bucketName("", buckets[1]);
  }
  return result;
}

/// Names of dimensions that do not vary have done their work.
static void forgetNames(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (!function->hasAttr(graph::bucketAttrName)) {
        function.removeArgAttr(i, graph::dimsAttrName);
      }
    }
  }
}

static FailureOr<ImportedModel>
importBuffer(const OpenModel &open, const Importer &importer, StringRef name,
             MLIRContext &context, const ImportOptions &options) {
  std::vector<graph::DimSizes> buckets;
  FailureOr<Importer::Result> result =
      read(importer, open, options, context, buckets);
  if (failed(result)) {
    return failure();
  }
  FailureOr<OwningOpRef<ModuleOp>> module =
      specialize(*result, buckets, options, importer, open, context);
  if (failed(module)) {
    return failure();
  }
  ImportedModel model;
  model.module = std::move(*module);
  for (NamedTensor &tensor : result->tensors) {
    if (model.module->lookupSymbol(tensor.function)) {
      model.tensors.push_back(std::move(tensor));
    }
  }
  if (failed(makeInputsConstant(*model.module, options.constantInputs)) ||
      failed(verifyModel(*model.module)) ||
      failed(verifyBuckets(*model.module)) ||
      failed(setArgumentValues(*model.module)) ||
      failed(fillProblem(*model.module))) {
    return failure();
  }
  if (failed(padDims(*model.module, options.dims.padded, model.unprovedPads))) {
    return failure();
  }
  forgetNames(*model.module);
  if (!options.castWeights.empty()) {
    castWeights(*model.module, options.castWeights);
  }
  FailureOr<size_t> rounded =
      attachWeights(model, name, std::move(result->weights), options);
  if (failed(rounded)) {
    return failure();
  }
  if (!options.castWeights.empty()) {
    stateCasts(*rounded, options.castWeights, context);
  }
  return model;
}

FailureOr<ImportedModel> importModel(StringRef path, MLIRContext &context,
                                     const ImportOptions &options) {
  // An ONNX model is mapped, whatever its size; text has to end with a zero.
  auto start = llvm::MemoryBuffer::getFileSlice(path, /*MapSize=*/64,
                                                /*Offset=*/0);
  bool isOnnx = start && looksLikeOnnx(path, (*start)->getBuffer());
  auto map = [&] {
    return llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                       /*RequiresNullTerminator=*/!isOnnx);
  };
  auto buffer = map();
  if (!buffer) {
    return emitError(UnknownLoc::get(&context))
           << "cannot open '" << path << "': " << buffer.getError().message();
  }
  const Importer &importer = findImporter(path, (*buffer)->getBuffer());
  OpenModel open = [&] {
    if (*buffer) {
      return std::move(*buffer);
    }
    auto again = map();
    return again ? std::move(*again)
                 : llvm::MemoryBuffer::getMemBuffer("", path);
  };
  return importBuffer(open, importer, path, context, options);
}

FailureOr<ImportedModel> importModelBuffer(StringRef text, StringRef name,
                                           MLIRContext &context,
                                           const ImportOptions &options) {
  OpenModel open = [&] {
    return llvm::MemoryBuffer::getMemBufferCopy(text, name);
  };
  return importBuffer(open, findImporter(name, text), name, context, options);
}

} // namespace minic
