// SPDX-License-Identifier: Apache-2.0
//
// The importer of MLIR text and bytecode in the graph dialect.

#include "compiler/import/CheckNesting.h"
#include "compiler/import/ExplainParseErrors.h"
#include "compiler/import/Importer.h"
#include "compiler/import/LinkKernels.h"
#include "compiler/import/RecognizeFile.h"
#include "dialects/graph/Graph.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace minic {

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

/// The results of graph ops by their SSA names.
static std::vector<NamedTensor> namedTensors(const AsmParserState &state) {
  std::vector<NamedTensor> tensors;
  for (const auto &definition : state.getOpDefs()) {
    Operation *op = definition.op;
    auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
    if (!function) {
      continue;
    }
    for (const auto &group : definition.resultGroups) {
      const llvm::SMRange &range = group.definition.loc;
      StringRef name(range.Start.getPointer(),
                     range.End.getPointer() - range.Start.getPointer());
      name.consume_front("%");
      name = name.split(':').first;
      NamedTensor tensor;
      tensor.function = function.getName().str();
      tensor.name = name.str();
      if (isa<NameLoc>(op->getLoc())) {
        tensor.node = namesIn(op->getLoc()).front();
      }
      tensor.op = op->getName().stripDialect().str();
      tensor.value = op->getResult(group.startIndex);
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

static OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                   MLIRContext &context,
                                   std::vector<NamedTensor> *tensors) {
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
    if (NestingProblem problem = checkNesting(buffer->getBuffer());
        !problem.message.empty()) {
      emitError(
          FileLineColLoc::get(&context, name, problem.line, problem.column))
          << problem.message;
      return {};
    }
    AsmParserState state;
    ExplainParseErrors explained(&context, buffer->getBuffer());
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    if (failed(parseAsmSourceFile(sources, &block, config, &state))) {
      return {};
    }
    nameArguments(state);
    if (tensors) {
      *tensors = namedTensors(state);
    }
  }
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, file);
}

namespace {

class GraphTextImporter : public Importer {
public:
  bool accepts(StringRef, StringRef) const override { return true; }
  FailureOr<Result> import(std::unique_ptr<llvm::MemoryBuffer> buffer,
                           const ImportOptions &options,
                           const graph::DimSizes &,
                           MLIRContext &context) const override {
    Result result;
    std::string name = buffer->getBufferIdentifier().str();
    result.hasOpenDims = true;
    result.module = parse(std::move(buffer), context,
                          options.namesTensors ? &result.tensors : nullptr);
    if (!result.module || failed(linkKernels(*result.module, name))) {
      return failure();
    }
    return result;
  }
  void listOps(llvm::raw_ostream &os, MLIRContext &context) const override {
    os << "MLIR (.mlir, bytecode), docs/ops.md\ngraph\n";
    for (RegisteredOperationName op : context.getRegisteredOperations()) {
      if (op.getDialectNamespace() ==
          graph::GraphDialect::getDialectNamespace()) {
        os << "  " << op.getStringRef() << '\n';
      }
    }
  }
};

} // namespace

const Importer &graphTextImporter() {
  static const GraphTextImporter importer;
  return importer;
}

} // namespace minic
