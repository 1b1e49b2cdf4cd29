// SPDX-License-Identifier: Apache-2.0
//
// Arguments to constants that hold a file's elements.

#include "compiler/import/ConstantInputs.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/NearestName.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/DTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace minic {

static InFlightDiagnostic error(MLIRContext *context) {
  return emitError(UnknownLoc::get(context)) << "--constant-input: ";
}

FailureOr<runtime::NpyArray> readConstantInput(StringRef name, StringRef file,
                                               RankedTensorType type) {
  MLIRContext *context = type.getContext();
  absl::StatusOr<runtime::NpyArray> array =
      runtime::readNpy(file.str(), type.getElementType().isBF16());
  if (!array.ok()) {
    return error(context) << "input '" << name
                          << "': " << std::string(array.status().message());
  }
  auto got = RankedTensorType::get(array->dims,
                                   plan::fromDType(array->dtype, context));
  if (got != type) {
    return error(context) << "input '" << name << "': expected " << type
                          << ", got " << got << " in " << file;
  }
  return *std::move(array);
}

static LogicalResult replace(BlockArgument argument, StringRef name,
                             StringRef file) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.hasStaticShape() ||
      !plan::toDType(type.getElementType())) {
    return error(argument.getContext())
           << "input '" << name << "': expected a tensor of static shape, got "
           << argument.getType();
  }
  FailureOr<runtime::NpyArray> array = readConstantInput(name, file, type);
  if (failed(array)) {
    return failure();
  }
  // An importer may have used what it holds already.
  if (argument.use_empty()) {
    return success();
  }
  ArrayRef<char> bytes(reinterpret_cast<const char *>(array->data.data()),
                       kernel::getBytes(type));
  // Of the widest element: what carries the model aligns it to no more.
  constexpr size_t alignment = 8;
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(type.getContext());
  auto value = DenseResourceElementsAttr::get(
      type, manager.insert(name, HeapAsmResourceBlob::allocateAndCopyWithAlign(
                                     bytes, alignment,
                                     /*dataIsMutable=*/false)));
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  argument.replaceAllUsesWith(graph::ConstantOp::create(
      builder, argument.getLoc(), type, /*source=*/nullptr, value));
  return success();
}

/// Results that update an argument in place count arguments.
static LogicalResult renumberUpdates(func::FuncOp function,
                                     const llvm::BitVector &replaced) {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto updated =
        function.getResultAttrOfType<IntegerAttr>(i, graph::inPlaceAttrName);
    // Who checks these numbers has not seen them yet.
    if (!updated || updated.getInt() < 0 ||
        updated.getInt() >= int64_t(replaced.size())) {
      continue;
    }
    unsigned argument = unsigned(updated.getInt());
    if (replaced.test(argument)) {
      return error(function.getContext())
             << "result " << i << " of @" << function.getName()
             << " updates the input in place, so it cannot be constant";
    }
    auto before = int64_t(llvm::count_if(
        replaced.set_bits(), [&](unsigned other) { return other < argument; }));
    function.setResultAttr(
        i, graph::inPlaceAttrName,
        IntegerAttr::get(updated.getType(), updated.getInt() - before));
  }
  return success();
}

/// `names` gets those of the function's inputs.
static LogicalResult replaceIn(func::FuncOp function,
                               const ConstantInputs &inputs,
                               std::set<std::string> &names) {
  llvm::BitVector replaced(function.getNumArguments());
  if (function.isExternal()) {
    return success();
  }
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto given = function.getArgAttrOfType<StringAttr>(index, "graph.name");
    std::string name = given ? given.str() : "arg" + std::to_string(index);
    names.insert(name);
    auto input = inputs.find(name);
    if (input == inputs.end()) {
      continue;
    }
    if (failed(replace(argument, name, input->second))) {
      return failure();
    }
    replaced.set(index);
  }
  return success(succeeded(renumberUpdates(function, replaced)) &&
                 succeeded(function.eraseArguments(replaced)));
}

LogicalResult makeInputsConstant(ModuleOp module,
                                 const ConstantInputs &inputs) {
  if (inputs.empty()) {
    return success();
  }
  std::set<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(replaceIn(function, inputs, names))) {
      return failure();
    }
  }
  for (const auto &[name, file] : inputs) {
    if (!names.count(name)) {
      return error(module.getContext())
             << "the model has no input '" << name << "'; it has "
             << (names.empty() ? "none" : llvm::join(names, ", "));
    }
  }
  return success();
}

} // namespace minic
