// SPDX-License-Identifier: Apache-2.0
//
// The checks of all models, of which the first breach is reported.

#include "compiler/import/VerifyModel.h"

#include "compiler/import/ExplainParseErrors.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/KernelOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace minic {

/// Resources in the text may have any size; all others trust it. Values of
/// other kinds are made while compiling, or have no bytes.
static LogicalResult checkValue(graph::ConstantOp op) {
  ElementsAttr value = op.getValueAttr();
  if (!value || isa<DenseElementsAttr>(value)) {
    return success();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource) {
    return op.emitError("expected a constant's value to be dense or a "
                        "dense_resource");
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
      !element.isUnsignedInteger(8) && !element.isSignlessInteger(32) &&
      !element.isSignlessInteger(64)) {
    return emitError(loc)
           << "unsupported: " << what << " has dtype " << element
           << ", expected f32, bf16, f16, i1, i8, ui8, i32 or i64";
  }
  if (tensor.getEncoding()) {
    return emitError(loc) << "unsupported: " << what << " has an encoding";
  }
  // Sizes in bytes are computed in 64 bits, and a process addresses 2^47.
  int64_t elements = 1;
  for (int64_t dim : tensor.getShape()) {
    if (__builtin_mul_overflow(elements, std::max<int64_t>(dim, 1),
                               &elements) ||
        elements > int64_t(1) << 47) {
      return emitError(loc) << "unsupported: " << what
                            << " has more than 2^47 elements: " << type;
    }
  }
  if (llvm::is_contained(tensor.getShape(), 0)) {
    return emitError(loc) << "unsupported: " << what << " is empty: " << type;
  }
  return success();
}

static LogicalResult checkOps(Block &block) {
  for (Operation &op : block) {
    if (isa<func::ReturnOp, graph::YieldOp>(op)) {
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
      if (failed(checkValue(constant))) {
        return failure();
      }
    }
    if (auto kernel = dyn_cast<graph::KernelOp>(op)) {
      if (!kernel.isLinked()) {
        return op.emitError("kernel ")
               << kernel.getShownName() << " has no body";
      }
      if (failed(checkOps(kernel.getBody().front()))) {
        return failure();
      }
    }
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
  return checkOps(function.getBody().front());
}

LogicalResult keepFunctions(ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    if (!module.lookupSymbol<func::FuncOp>(name)) {
      return module.emitError("no function @") << name << " in the model";
    }
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (names.empty() ? !function.isPublic()
                      : !llvm::is_contained(names, function.getName())) {
      function.erase();
    }
  }
  return success();
}

LogicalResult verifyModel(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      return op.emitError("unsupported: op '")
             << op.getName() << "' beside the functions of a model";
    }
    if (failed(checkFunction(function))) {
      return failure();
    }
  }
  if (module.getBody()->empty()) {
    return module.emitError(
        "expected a model with a public function, got none");
  }
  return success();
}

} // namespace minic
