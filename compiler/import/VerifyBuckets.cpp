// SPDX-License-Identifier: Apache-2.0
//
// One function at a time, then against the first of its entry.

#include "compiler/import/VerifyBuckets.h"

#include "dialects/graph/Dims.h"
#include "dialects/graph/InPlace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace minic {

static InFlightDiagnostic wrong(func::FuncOp function, const Twine &expected) {
  return function.emitError("expected ")
         << graph::bucketAttrName << ' ' << expected << ", got "
         << function->getAttr(graph::bucketAttrName);
}

/// Whether an argument names `dim`, and each that does has `size` there.
static bool hasSize(func::FuncOp function, StringAttr dim, int64_t size) {
  bool isNamed = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dims = function.getArgAttrOfType<ArrayAttr>(i, graph::dimsAttrName);
    auto type = dyn_cast<RankedTensorType>(function.getArgument(i).getType());
    if (!dims) {
      continue;
    }
    if (!type || int64_t(dims.size()) != type.getRank()) {
      return false;
    }
    for (auto [axis, name] : llvm::enumerate(dims)) {
      isNamed |= name == dim;
      if (name == dim && type.getDimSize(axis) != size) {
        return false;
      }
    }
  }
  return isNamed;
}

static LogicalResult verifyBucket(func::FuncOp function) {
  auto bucket =
      dyn_cast<DictionaryAttr>(function->getAttr(graph::bucketAttrName));
  auto entry = bucket ? bucket.getAs<StringAttr>("entry") : StringAttr();
  auto sizes =
      bucket ? bucket.getAs<DictionaryAttr>("sizes") : DictionaryAttr();
  if (!entry || !sizes || sizes.empty()) {
    return wrong(function, "with entry and sizes");
  }
  graph::DimSizes named;
  for (NamedAttribute size : sizes) {
    auto number = dyn_cast<IntegerAttr>(size.getValue());
    if (!number || !number.getType().isSignlessInteger(64) ||
        !hasSize(function, size.getName(), number.getInt())) {
      return wrong(function, "with the sizes of " + Twine(graph::dimsAttrName) +
                                 " of arguments");
    }
    named[size.getName().str()] = number.getInt();
  }
  if (function.getName() != graph::bucketName(entry, named)) {
    return wrong(function, "of a function called '" +
                               graph::bucketName(entry, named) + "'");
  }
  return success();
}

/// graph.fill of each argument that has one is an element of it.
static LogicalResult verifyFills(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    Attribute fill = function.getArgAttr(index, graph::fillAttrName);
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    bool isElement = tensor && isa_and_nonnull<IntegerAttr, FloatAttr>(fill) &&
                     cast<TypedAttr>(fill).getType() == tensor.getElementType();
    if (fill && !isElement) {
      return function.emitError("expected ")
             << graph::fillAttrName << " of argument " << index
             << " to be an element of " << argument.getType() << ", got "
             << fill;
    }
  }
  return success();
}

/// Names, dtypes and ranks; sizes differ, and so does what follows from them,
/// such as which lengths make sense.
static bool areAlike(func::FuncOp a, func::FuncOp b) {
  auto alike = [](TypeRange these, TypeRange others) {
    return llvm::equal(these, others, [](Type x, Type y) {
      auto one = dyn_cast<RankedTensorType>(x);
      auto other = dyn_cast<RankedTensorType>(y);
      return one && other && one.getRank() == other.getRank() &&
             one.getElementType() == other.getElementType();
    });
  };
  if (!alike(a.getArgumentTypes(), b.getArgumentTypes()) ||
      !alike(a.getResultTypes(), b.getResultTypes())) {
    return false;
  }
  for (unsigned i = 0; i < a.getNumArguments(); ++i) {
    for (StringRef name : {"graph.name", graph::dimsAttrName.data(),
                           graph::fillAttrName.data()}) {
      if (a.getArgAttr(i, name) != b.getArgAttr(i, name)) {
        return false;
      }
    }
  }
  for (unsigned i = 0; i < a.getNumResults(); ++i) {
    for (StringRef name : {"graph.name", graph::inPlaceAttrName.data()}) {
      if (a.getResultAttr(i, name) != b.getResultAttr(i, name)) {
        return false;
      }
    }
  }
  return true;
}

LogicalResult verifyBuckets(ModuleOp module) {
  llvm::StringMap<func::FuncOp> firsts;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(graph::bucketAttrName)) {
      continue;
    }
    if (failed(verifyBucket(function)) || failed(verifyFills(function))) {
      return failure();
    }
    auto bucket =
        function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
    auto entry = bucket.getAs<StringAttr>("entry");
    if (module.lookupSymbol(entry)) {
      return wrong(function, "of an entry that is no function");
    }
    func::FuncOp first =
        firsts.try_emplace(entry.getValue(), function).first->second;
    auto names = [](func::FuncOp each) {
      auto attribute =
          each->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
      return llvm::map_range(
          attribute.getAs<DictionaryAttr>("sizes"),
          [](NamedAttribute size) { return size.getName(); });
    };
    if (!llvm::equal(names(function), names(first)) ||
        !areAlike(function, first)) {
      return function.emitError("expected what @")
             << first.getName()
             << " takes and returns but for sizes, as of one "
             << "entry";
    }
  }
  return success();
}

} // namespace minic
