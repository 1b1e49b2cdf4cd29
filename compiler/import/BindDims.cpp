// SPDX-License-Identifier: Apache-2.0
//
// Types by names of dimensions, then what follows from them.

#include "compiler/import/BindDims.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/InferShapes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic {

using graph::dimsAttrName;
using graph::DimSizes;

namespace {

class DimBinder {
public:
  explicit DimBinder(const DimSizes &sizes) : sizes(sizes) {}

  /// `type` with the sizes that `dims` names.
  FailureOr<Type> bind(Location location, Type type, Attribute dims);
  LogicalResult bindArguments(func::FuncOp function);
  LogicalResult bindOps(func::FuncOp function);
  /// Once all have been bound.
  LogicalResult checkNames(ModuleOp module) const;

private:
  const DimSizes &sizes;
  llvm::SetVector<StringAttr> names, unbound;
};

} // namespace

FailureOr<Type> DimBinder::bind(Location location, Type type, Attribute dims) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto entries = dyn_cast<ArrayAttr>(dims);
  auto wrong = [&] {
    return emitError(location)
           << "expected " << dimsAttrName << " with a name for each `?` of "
           << type << " and each other size, got " << dims;
  };
  if (!tensor || !entries || int64_t(entries.size()) != tensor.getRank()) {
    return wrong();
  }
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, entry] : llvm::zip_equal(shape, entries)) {
    auto name = dyn_cast<StringAttr>(entry);
    auto number = dyn_cast<IntegerAttr>(entry);
    if (number && number.getInt() == size) {
      continue;
    }
    if (!name || name.empty() || !ShapedType::isDynamic(size)) {
      return wrong();
    }
    names.insert(name);
    auto bound = sizes.find(name.str());
    if (bound == sizes.end()) {
      unbound.insert(name);
    } else {
      size = bound->second;
    }
  }
  int64_t elements = 1;
  for (int64_t size : shape) {
    // Sizes in bytes are computed in 64 bits.
    if (!ShapedType::isDynamic(size) &&
        (__builtin_mul_overflow(elements, std::max<int64_t>(size, 1),
                                &elements) ||
         elements > int64_t(1) << 47)) {
      return emitError(location)
             << "unsupported: more than 2^47 elements: " << tensor.clone(shape);
    }
  }
  return Type(tensor.clone(shape));
}

LogicalResult DimBinder::bindArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    Attribute dims = function.getArgAttr(argument.getArgNumber(), dimsAttrName);
    if (!dims) {
      continue;
    }
    FailureOr<Type> type = bind(argument.getLoc(), argument.getType(), dims);
    if (failed(type)) {
      return failure();
    }
    argument.setType(*type);
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(),
      function.getResultTypes()));
  return success();
}

LogicalResult DimBinder::bindOps(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    Attribute dims = op.getAttr(dimsAttrName);
    if (!dims) {
      continue;
    }
    if (op.getNumResults() != 1) {
      return op.emitError("expected one result for ")
             << dimsAttrName << ", got " << op.getNumResults();
    }
    FailureOr<Type> type = bind(op.getLoc(), op.getResult(0).getType(), dims);
    if (failed(type)) {
      return failure();
    }
    op.getResult(0).setType(*type);
    op.removeAttr(dimsAttrName);
  }
  return success();
}

LogicalResult DimBinder::checkNames(ModuleOp module) const {
  for (const auto &[name, size] : sizes) {
    if (!names.contains(StringAttr::get(module.getContext(), name))) {
      std::string known = llvm::join(
          llvm::map_range(names, [](StringAttr each) { return each.str(); }),
          ", ");
      return emitError(UnknownLoc::get(module.getContext()))
             << "--dim: no dimension of an input is called '" << name << "'; "
             << (known.empty() ? "the model names none" : "there is " + known);
    }
  }
  if (!unbound.empty()) {
    std::string flags =
        llvm::join(llvm::map_range(unbound,
                                   [](StringAttr name) {
                                     return "--dim=" + name.str() + "=SIZE";
                                   }),
                   " ");
    return emitError(UnknownLoc::get(module.getContext()))
           << "inputs have dimensions without a size; add " << flags;
  }
  return success();
}

LogicalResult bindDims(ModuleOp module, const DimSizes &sizes) {
  DimBinder binder(sizes);
  for (auto function : module.getOps<func::FuncOp>()) {
    // verifyModel refuses the first two; the third is bound already.
    if (function.isExternal() || !function.getBody().hasOneBlock() ||
        function->hasAttr(graph::bucketAttrName)) {
      continue;
    }
    if (failed(binder.bindArguments(function)) ||
        failed(binder.bindOps(function))) {
      return failure();
    }
  }
  if (failed(binder.checkNames(module))) {
    return failure();
  }
  if (sizes.empty()) {
    return success();
  }
  // Which of several buckets' sizes do not fit the model, no type says.
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        diagnostic << ", with " << graph::describeSizes(sizes);
        return failure(); // others print it
      });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(graph::inferShapes(function))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
