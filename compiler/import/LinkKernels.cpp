// SPDX-License-Identifier: Apache-2.0
//
// Files to attributes, functions to regions: a kernel then stands for itself.

#include "compiler/import/LinkKernels.h"

#include "dialects/graph/KernelOp.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace minic {

using graph::KernelOp;

/// Far above any kernel; what is larger was not meant.
static constexpr size_t kMaxSourceBytes = size_t(16) << 20;

static LogicalResult readFiles(KernelOp op, StringRef model) {
  if (!op.getFiles() || op.getSources()) {
    return success();
  }
  SmallVector<Attribute> sources, names;
  Builder b(op.getContext());
  for (Attribute file : op.getFilesAttr()) {
    SmallString<128> path(cast<StringAttr>(file).getValue());
    if (llvm::sys::path::is_relative(path)) {
      SmallString<128> folder(llvm::sys::path::parent_path(model));
      llvm::sys::path::append(folder, path);
      path = folder;
    }
    // A pipe or a device may never end.
    bool isOther =
        llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path);
    if (isOther) {
      return op.emitError("kernel ")
             << op.getShownName() << ": '" << path << "' is no regular file";
    }
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      return op.emitError("kernel ")
             << op.getShownName() << ": cannot open '" << path
             << "': " << buffer.getError().message();
    }
    if ((*buffer)->getBufferSize() > kMaxSourceBytes) {
      return op.emitError("kernel ")
             << op.getShownName() << ": '" << path << "' is larger than 16 MiB";
    }
    sources.push_back(b.getStringAttr((*buffer)->getBuffer()));
    // Where it lay says nothing about what is computed.
    names.push_back(b.getStringAttr(llvm::sys::path::filename(path)));
  }
  op.setSourcesAttr(b.getArrayAttr(sources));
  op.setFilesAttr(b.getArrayAttr(names));
  return success();
}

/// Whether a value of type `given` can be used where `wanted` is said.
static bool fits(Type given, Type wanted) {
  auto a = cast<RankedTensorType>(given);
  auto b = dyn_cast<RankedTensorType>(wanted);
  return b && a.getElementType() == b.getElementType() &&
         succeeded(verifyCompatibleShape(a, b));
}

static LogicalResult checkBody(KernelOp op, func::FuncOp function) {
  std::string name = op.getShownName();
  auto wrong = [&] {
    return op.emitError("kernel ")
           << name << ": reference @" << function.getName() << ' ';
  };
  if (function.isExternal() || !function.getBody().hasOneBlock()) {
    return wrong() << "expected a body of one block";
  }
  FunctionType type = function.getFunctionType();
  if (type.getNumInputs() != op.getInputs().size() ||
      type.getNumResults() != op.getNumResults()) {
    return wrong() << "takes " << type.getNumInputs() << " and returns "
                   << type.getNumResults() << " tensors, expected "
                   << op.getInputs().size() << " and " << op.getNumResults();
  }
  for (auto [given, wanted] :
       llvm::zip_equal(op.getOperandTypes(), type.getInputs())) {
    if (!fits(given, wanted)) {
      return wrong() << "takes " << wanted << ", got " << given;
    }
  }
  for (auto [given, wanted] :
       llvm::zip_equal(op.getResultTypes(), type.getResults())) {
    if (!fits(given, wanted)) {
      return wrong() << "returns " << wanted << ", expected " << given;
    }
  }
  for (Operation &inner : function.getBody().front().without_terminator()) {
    auto constant = dyn_cast<graph::ConstantOp>(inner);
    if (!isa<graph::GraphDialect>(inner.getDialect()) || isa<KernelOp>(inner)) {
      return wrong() << "holds '" << inner.getName()
                     << "', expected graph ops other than graph.kernel";
    }
    if (constant && !constant.getValueAttr()) {
      return wrong() << "holds a constant without a value, expected it as an "
                        "operand";
    }
  }
  return success();
}

static LogicalResult linkBody(KernelOp op, ModuleOp module) {
  if (op.isLinked()) {
    return success();
  }
  auto function = module.lookupSymbol<func::FuncOp>(*op.getReference());
  if (!function) {
    return op.emitError("kernel ") << op.getShownName() << ": no function @"
                                   << *op.getReference() << " in the model";
  }
  if (op->getParentOfType<func::FuncOp>() == function) {
    return op.emitError("kernel ")
           << op.getShownName() << " refers to the function that it is in";
  }
  if (failed(checkBody(op, function))) {
    return failure();
  }
  OpBuilder builder(op.getContext());
  Block *body = builder.createBlock(&op.getBody());
  IRMapping mapping;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), op.getInputs())) {
    mapping.map(argument, body->addArgument(input.getType(), input.getLoc()));
  }
  for (Operation &inner : function.getBody().front().without_terminator()) {
    builder.clone(inner, mapping);
  }
  Operation *end = function.getBody().front().getTerminator();
  graph::YieldOp::create(
      builder, op.getLoc(),
      llvm::map_to_vector(end->getOperands(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      }));
  op.removeReferenceAttr();
  return success();
}

LogicalResult linkKernels(ModuleOp module, StringRef path) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp op) { kernels.push_back(op); });
  for (KernelOp op : kernels) {
    if (failed(readFiles(op, path)) || failed(linkBody(op, module))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
