// SPDX-License-Identifier: Apache-2.0
//
// Parsing, the checks that make a module a model, and finding its weights.

#include "compiler/import/ImportModel.h"

#include "compiler/import/BindWeights.h"
#include "compiler/import/ExplainParseErrors.h"
#include "compiler/import/FillProblem.h"
#include "compiler/import/RecognizeFile.h"
#include "dialects/graph/Graph.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace minic {

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// MLIR forgets SSA names; those of a function's arguments are what people call
/// its inputs, so they are kept as `graph.name`.
static void nameArguments(const AsmParserState &state) {
  for (const auto &definition : state.getBlockDefs()) {
    auto function =
        dyn_cast_or_null<func::FuncOp>(definition.block->getParentOp());
    if (!function || !definition.block->isEntryBlock()) {
      continue;
    }
    for (auto [i, argument] : llvm::enumerate(definition.arguments)) {
      StringRef name(argument.loc.Start.getPointer(),
                     argument.loc.End.getPointer() -
                         argument.loc.Start.getPointer());
      name.consume_front("%");
      if (!name.empty() && !function.getArgAttr(i, "graph.name")) {
        function.setArgAttr(i, "graph.name",
                            StringAttr::get(function.getContext(), name));
      }
    }
  }
}

static OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                   MLIRContext &context) {
  StringRef name = buffer->getBufferIdentifier();
  Location file = FileLineColLoc::get(&context, name, 1, 1);
  if (StringRef other = recognizeFile(name, buffer->getBuffer());
      !other.empty()) {
    emitError(UnknownLoc::get(&context))
        << "cannot read '" << name << "': " << expectedModelText << ", got "
        << other;
    return {};
  }
  ParserConfig config(&context);
  Block block;
  if (isBytecode(buffer->getMemBufferRef())) {
    if (failed(readBytecodeFile(buffer->getMemBufferRef(), &block, config))) {
      return {};
    }
  } else {
    AsmParserState state;
    ExplainParseErrors explained(&context, buffer->getBuffer());
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    if (failed(parseAsmSourceFile(sources, &block, config, &state))) {
      return {};
    }
    nameArguments(state);
  }
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, file);
}

//===----------------------------------------------------------------------===//
// What makes a module a model
//===----------------------------------------------------------------------===//

/// Resources in the text may have any size; all others trust it.
static LogicalResult checkResource(graph::ConstantOp op) {
  auto resource =
      dyn_cast_or_null<DenseResourceElementsAttr>(op.getValueAttr());
  if (!resource) {
    return success();
  }
  auto type = cast<RankedTensorType>(op.getType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!type.getElementType().isIntOrFloat()) {
    return success(); // checkType reports it
  }
  int64_t bytes =
      type.getNumElements() *
      llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
  if (!blob || int64_t(blob->getData().size()) != bytes) {
    return op.emitError("expected a resource of ")
           << bytes << " bytes for " << type << ", got "
           << (blob ? std::to_string(blob->getData().size()) : "none");
  }
  return success();
}

static LogicalResult checkType(Location loc, StringRef what, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return emitError(loc) << what << ": expected a ranked tensor, got " << type;
  }
  Type element = tensor.getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16() &&
      !element.isSignlessInteger(1) && !element.isSignlessInteger(8) &&
      !element.isSignlessInteger(32) && !element.isSignlessInteger(64)) {
    return emitError(loc) << "unsupported: " << what << " has dtype " << element
                          << ", expected f32, bf16, f16, i1, i8, i32 or i64";
  }
  if (tensor.getEncoding()) {
    return emitError(loc) << "unsupported: " << what << " has an encoding";
  }
  if (llvm::is_contained(tensor.getShape(), 0)) {
    return emitError(loc) << "unsupported: " << what << " is empty: " << type;
  }
  return success();
}

static LogicalResult checkFunction(func::FuncOp function) {
  if (function.isExternal()) {
    return function.emitError("unsupported: function @")
           << function.getName() << " has no body";
  }
  if (!function.getBody().hasOneBlock()) {
    return function.emitError("unsupported: function @")
           << function.getName() << " has control flow";
  }
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (failed(checkType(function.getArgument(i).getLoc(),
                         "argument " + std::to_string(i), type))) {
      return failure();
    }
  }
  if (function.getNumResults() == 0) {
    return function.emitError("unsupported: function @")
           << function.getName() << " returns nothing";
  }
  for (Operation &op : function.getBody().front()) {
    if (isa<func::ReturnOp>(op)) {
      continue;
    }
    if (!isa<graph::GraphDialect>(op.getDialect())) {
      return op.emitError("unsupported: op '")
             << op.getName() << "'; " << modelOpsText;
    }
    for (Type type : op.getResultTypes()) {
      if (failed(checkType(op.getLoc(), "the result", type))) {
        return failure();
      }
    }
    if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
      if (!cast<RankedTensorType>(constant.getType()).hasStaticShape()) {
        return op.emitError("expected a constant of static shape, got ")
               << constant.getType();
      }
      if (failed(checkResource(constant))) {
        return failure();
      }
    }
  }
  return success();
}

/// Erases what is not asked for, and checks the rest.
static LogicalResult keepFunctions(ModuleOp module,
                                   ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    if (!module.lookupSymbol<func::FuncOp>(name)) {
      return module.emitError("no function @") << name << " in the model";
    }
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      return op.emitError("unsupported: op '")
             << op.getName() << "' beside the functions of a model";
    }
    bool wanted = names.empty() ? function.isPublic()
                                : llvm::is_contained(names, function.getName());
    if (!wanted) {
      function.erase();
    } else if (failed(checkFunction(function))) {
      return failure();
    }
  }
  if (module.getBody()->empty()) {
    return module.emitError(
        "expected a model with a public function, got none");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

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
                                   const ImportOptions &options) {
  // A file that was asked for is opened even if nothing needs it, so that a
  // wrong --weights= never passes silently.
  if (!needsWeights(*model.module) && options.weights.empty()) {
    return success();
  }
  FailureOr<std::string> path = weightsPath(*model.module, name, options);
  if (failed(path)) {
    return failure();
  }
  std::string error;
  auto file = SafetensorsFile::open(*path, error);
  if (!file) {
    return emitError(UnknownLoc::get(model.module->getContext()))
           << "weights: " << error;
  }
  model.weightsPath = *path;
  model.weightsHash = file->hash();
  return bindWeights(*model.module, file);
}

static FailureOr<ImportedModel>
importBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name,
             MLIRContext &context, const ImportOptions &options) {
  ImportedModel model;
  model.module = parse(std::move(buffer), context);
  if (!model.module ||
      failed(keepFunctions(*model.module, options.functions)) ||
      failed(fillProblem(*model.module)) ||
      failed(attachWeights(model, name, options))) {
    return failure();
  }
  return model;
}

FailureOr<ImportedModel> importModel(StringRef path, MLIRContext &context,
                                     const ImportOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
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
