// SPDX-License-Identifier: Apache-2.0
//
// Arguments to constants.

#include "compiler/import/FillProblem.h"

#include "compiler/import/ArgumentValues.h"
#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/DTypes.h"
#include "runtime/measure/RandomData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace minic {

/// More than the weights of any problem.
static constexpr int64_t maxFilledBytes = int64_t(1) << 34;

/// Values under the seed and the name that they have while a problem is tuned.
static DenseResourceElementsAttr
randomValues(RankedTensorType type, format::DType dtype,
             const std::string &name,
             const std::optional<runtime::OperandValues> &values) {
  constexpr uint64_t seed = 2;
  // Of the widest element: what carries the model aligns it to no more.
  constexpr size_t alignment = 8;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(kernel::getBytes(type), alignment);
  runtime::fillRandom(
      blob.getMutableData().data(), dtype,
      absl::MakeConstSpan(type.getShape().data(), type.getShape().size()), seed,
      name, /*scaleByFanIn=*/true, values);
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(type.getContext());
  return DenseResourceElementsAttr::get(type,
                                        manager.insert(name, std::move(blob)));
}

static LogicalResult fill(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  llvm::BitVector filled(function.getNumArguments());
  int64_t bytes = 0;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = function.getArgAttrOfType<StringAttr>(index, "kernel.role");
    if (!role || role.getValue() != "constant") {
      continue;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    std::optional<format::DType> dtype = plan::toDType(type.getElementType());
    if (!dtype || !type.hasStaticShape()) {
      return function.emitError("expected a constant of static shape, got ")
             << type << " for argument " << index;
    }
    // A few words of a model must not take all memory.
    bytes += kernel::getBytes(type);
    if (bytes > maxFilledBytes) {
      return function.emitError("unsupported: more than ")
             << maxFilledBytes << " bytes of constants to make up";
    }
    auto constant = graph::ConstantOp::create(
        builder, argument.getLoc(), type, /*source=*/nullptr,
        randomValues(type, *dtype, "arg" + std::to_string(index),
                     getArgumentValues(function, index)));
    argument.replaceAllUsesWith(constant);
    filled.set(index);
  }
  return function.eraseArguments(filled);
}

LogicalResult fillProblem(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(fill(function))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
