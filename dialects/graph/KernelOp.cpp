// SPDX-License-Identifier: Apache-2.0
//
// Verification of graph.kernel, and its body in its place.

#include "dialects/graph/KernelOp.h"

#include "dialects/graph/KernelConfigs.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic::graph {

StringRef KernelOp::getTargetName() {
  return getLanguage() == "c" || getLanguage() == "llvm" ? "cpu" : "cuda";
}

StringRef KernelOp::getSource(size_t config) {
  ArrayAttr sources = *getSources();
  return cast<StringAttr>(sources[sources.size() == 1 ? 0 : config]).getValue();
}

std::string KernelOp::getShownName() { return "@" + getTitle().str(); }

/// Every element of a result begins as this byte's repetition; none where it
/// does not repeat one byte.
static bool isOneByte(Attribute value, Type element) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    return number.getValue().isPosZero();
  }
  auto number = dyn_cast<IntegerAttr>(value);
  return number && (number.getValue().isZero() ||
                    (number.getValue().isAllOnes() && element.isInteger() &&
                     !element.isInteger(1)));
}

/// What concerns its results' memory.
static LogicalResult verifyMemory(KernelOp op) {
  if (auto updates = op.getUpdates()) {
    if (updates->size() != op.getNumResults()) {
      return op.emitOpError("expects updates of its ")
             << op.getNumResults() << " results, got " << updates->size();
    }
    for (auto [result, operand] : llvm::zip_equal(op.getResults(), *updates)) {
      if (operand == -1) {
        continue;
      }
      if (operand < 0 || operand >= int64_t(op.getInputs().size())) {
        return op.emitOpError("expects updates to be numbers of operands or "
                              "-1, got ")
               << operand;
      }
      Type type = op.getInputs()[operand].getType();
      if (type != result.getType()) {
        return op.emitOpError("expects a result that updates operand ")
               << operand << " to have its type " << type << ", got "
               << result.getType();
      }
    }
  }
  if (auto initial = op.getInitial()) {
    if (initial->size() != op.getNumResults()) {
      return op.emitOpError("expects initial contents of its ")
             << op.getNumResults() << " results, got " << initial->size();
    }
    for (auto [number, value] : llvm::enumerate(*initial)) {
      Type type = cast<RankedTensorType>(op.getResult(number).getType())
                      .getElementType();
      if (!isa<UnitAttr>(value) && !isOneByte(value, type)) {
        return op.emitOpError("expects initial contents that are 0, -1 of "
                              "integers or unit for none, got ")
               << value;
      }
      if (!isa<UnitAttr>(value) && op.getUpdates() &&
          (*op.getUpdates())[number] >= 0) {
        return op.emitOpError("expects a result to begin as an operand or as "
                              "a number, got both for result ")
               << number;
      }
    }
  }
  return success();
}

/// What concerns the function that the source calls on each element.
static LogicalResult verifyEpilogue(KernelOp op) {
  auto name = op.getEpilogue();
  if (!name) {
    return success();
  }
  auto isPartOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name->empty() || llvm::isDigit(name->front()) ||
      !llvm::all_of(*name, isPartOfName)) {
    return op.emitOpError("expects epilogue to be a name of C, got '")
           << *name << "'";
  }
  if (op.getLanguage() != "c" && op.getLanguage() != "cuda") {
    return op.emitOpError("expects an epilogue of sources in c or cuda, which "
                          "minic compiles, got language '")
           << op.getLanguage() << "'";
  }
  if (op.getNumResults() != 1 ||
      !isa<FloatType>(
          cast<RankedTensorType>(op.getResult(0).getType()).getElementType())) {
    return op.emitOpError("expects one result of floats with an epilogue, got ")
           << op.getResultTypes();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (getNumResults() == 0) {
    return emitOpError("expects a result");
  }
  static constexpr StringRef languages[] = {"c", "llvm", "cuda", "ptx",
                                            "cubin"};
  if (!llvm::is_contained(languages, getLanguage())) {
    return emitOpError(
               "expects language to be c, llvm, cuda, ptx or cubin, got '")
           << getLanguage() << "'";
  }
  if (getEntry().empty()) {
    return emitOpError("expects the name of an entry");
  }
  if (bool(getReference()) == isLinked()) {
    return emitOpError("expects either a reference or a body");
  }
  if (!getSources() && !getFiles()) {
    return emitOpError("expects files or sources");
  }
  for (std::optional<ArrayAttr> list : {getSources(), getFiles()}) {
    if (list && list->empty()) {
      return emitOpError("expects at least one source");
    }
  }
  if (getSources() && getFiles() &&
      getSources()->size() != getFiles()->size()) {
    return emitOpError("expects as many sources as files, got ")
           << getSources()->size() << " and " << getFiles()->size();
  }
  if (failed(verifyKernelConfigs(*this)) || failed(verifyMemory(*this)) ||
      failed(verifyEpilogue(*this))) {
    return failure();
  }
  size_t sources = (getSources() ? getSources() : getFiles())->size();
  if (size_t configs = countKernelConfigs(*this);
      sources != 1 && sources != configs) {
    return emitOpError("expects one source or one for each of its ")
           << configs << " configurations, got " << sources;
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (!isLinked()) {
    return success();
  }
  if (!getBody().hasOneBlock()) {
    return emitOpError("expects a body of one block");
  }
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes()) {
    return emitOpError("expects a body that takes ")
           << getInputs().getTypes() << ", got " << block.getArgumentTypes();
  }
  for (Operation &op : block.without_terminator()) {
    if (!isa<GraphDialect>(op.getDialect()) || isa<KernelOp>(op)) {
      return op.emitOpError("is not allowed in the body of a graph.kernel");
    }
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes()) {
    return emitOpError("expects a body that yields ") << getResultTypes();
  }
  return success();
}

SmallVector<Value> KernelOp::expand(OpBuilder &builder) {
  IRMapping mapping;
  Block &block = getBody().front();
  mapping.map(block.getArguments(), getInputs());
  for (Operation &op : block.without_terminator()) {
    builder.clone(op, mapping);
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

void inlineKernel(KernelOp op) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(op.expand(builder));
  op->erase();
}

KernelOp findKernel(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      return kernel;
    }
  }
  return nullptr;
}

} // namespace minic::graph

#define GET_OP_CLASSES
#include "dialects/graph/GraphKernelOps.cpp.inc"
