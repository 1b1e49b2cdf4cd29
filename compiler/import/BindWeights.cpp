// SPDX-License-Identifier: Apache-2.0
//
// Entries become DenseResourceElementsAttr blobs without a copy.

#include "compiler/import/BindWeights.h"

#include "compiler/import/CastWeights.h"
#include "compiler/import/RoundWeights.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/NearestName.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>

using namespace mlir;

namespace minic {

/// The format's name of an element type; empty where it has none.
static StringRef dtypeName(Type type) {
  if (type.isF32()) {
    return "F32";
  }
  if (type.isBF16()) {
    return "BF16";
  }
  if (type.isF16()) {
    return "F16";
  }
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return "BOOL";
    case 8:
      return integer.isUnsigned() ? "U8" : "I8";
    case 32:
      return "I32";
    case 64:
      return "I64";
    }
  }
  return "";
}

static std::string typeText(StringRef dtype, ArrayRef<int64_t> dims) {
  std::string text = dtype.str() + " [";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(dims[i]);
  }
  return text + "]";
}

/// A blob over `data`, which formats align to nothing.
static AsmResourceBlob
makeBlob(ArrayRef<char> data, const std::shared_ptr<const WeightSource> &file) {
  return AsmResourceBlob(
      data, /*dataAlignment=*/1, [file](void *, size_t, size_t) {}, false);
}

bool needsWeights(ModuleOp module) {
  return module
      ->walk([](graph::ConstantOp op) {
        return op.getValue() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Whether a module whose castWeightsAttrName is `casts` has constants of
/// `element` rounded.
static bool mayRound(StringAttr casts, Type element) {
  return casts && (casts.getValue() != "f32" || element.isF32());
}

/// The bytes of `entry` as `type`: where they are mapped, or rounded.
static FailureOr<AsmResourceBlob>
bytesFor(graph::ConstantOp op, const WeightSource::Entry &entry,
         StringAttr casts, const std::shared_ptr<const WeightSource> &file) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  StringRef dtype = dtypeName(element), name = *op.getSource();
  bool isNarrower = canRoundWeights(entry.dtype, element);
  if (type.getShape() != ArrayRef<int64_t>(entry.dims) ||
      (entry.dtype != dtype && !(isNarrower && mayRound(casts, element)))) {
    InFlightDiagnostic diagnostic = op.emitError("constant @");
    diagnostic << name << ": expected " << typeText(dtype, type.getShape())
               << ", got " << typeText(entry.dtype, entry.dims) << " in "
               << file->path();
    if (type.getShape() == ArrayRef<int64_t>(entry.dims) && isNarrower) {
      diagnostic << "; --cast-weights=" << dtypeName(element).lower()
                 << " rounds it";
    }
    return diagnostic;
  }
  if (entry.dtype == dtype) {
    return makeBlob(entry.data, file);
  }
  if (auto blob = roundWeights(entry.data, entry.dtype, element)) {
    file->dropPages();
    return *std::move(blob);
  }
  return op.emitError("constant @")
         << name << ": a value of " << entry.dtype << " is greater than all of "
         << dtype << ", in " << file->path();
}

FailureOr<size_t> bindWeights(ModuleOp module,
                              const std::shared_ptr<const WeightSource> &file) {
  llvm::DenseMap<std::pair<Attribute, Type>, DenseResourceElementsAttr> bound;
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(module.getContext());
  auto casts = module->getAttrOfType<StringAttr>(castWeightsAttrName);
  size_t rounded = 0;
  WalkResult result = module->walk([&](graph::ConstantOp op) {
    if (op.getValue()) {
      return WalkResult::advance();
    }
    StringRef name = *op.getSource();
    auto type = cast<RankedTensorType>(op.getType());
    const WeightSource::Entry *entry = file->find(name);
    if (!entry) {
      InFlightDiagnostic diagnostic = op.emitError("no tensor '")
                                      << name << "' in " << file->path();
      if (StringRef similar = graph::nearestName(name, file->names());
          !similar.empty()) {
        diagnostic << "; did you mean '" << similar << "'?";
      }
      return WalkResult::interrupt();
    }
    DenseResourceElementsAttr &value = bound[{op.getSourceAttr(), type}];
    if (!value) {
      FailureOr<AsmResourceBlob> blob = bytesFor(op, *entry, casts, file);
      if (failed(blob)) {
        return WalkResult::interrupt();
      }
      rounded += entry->dtype != dtypeName(type.getElementType());
      value = DenseResourceElementsAttr::get(
          type, manager.insert(name, *std::move(blob)));
    }
    op.setValueAttr(value);
    return WalkResult::advance();
  });
  if (result.wasInterrupted()) {
    return failure();
  }
  return rounded;
}

} // namespace minic
