// SPDX-License-Identifier: Apache-2.0
//
// Entries become DenseResourceElementsAttr blobs without a copy.

#include "compiler/import/BindWeights.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/NearestName.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/StringMap.h"
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
      return "I8";
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

/// A blob over `data`. The format aligns tensors to nothing; where an element
/// would straddle its natural alignment the bytes are copied instead.
static AsmResourceBlob
makeBlob(ArrayRef<char> data, size_t elementBytes,
         const std::shared_ptr<const WeightSource> &file) {
  if (reinterpret_cast<uintptr_t>(data.data()) % elementBytes != 0) {
    return HeapAsmResourceBlob::allocateAndCopyWithAlign(
        data, elementBytes,
        /*dataIsMutable=*/false);
  }
  return AsmResourceBlob(
      data, elementBytes, [file](void *, size_t, size_t) {}, false);
}

bool needsWeights(ModuleOp module) {
  return module
      ->walk([](graph::ConstantOp op) {
        return op.getValue() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

LogicalResult bindWeights(ModuleOp module,
                          const std::shared_ptr<const WeightSource> &file) {
  llvm::StringMap<DenseResourceElementsAttr> bound;
  auto &manager =
      DenseResourceElementsHandle::getManagerInterface(module.getContext());
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
    StringRef dtype = dtypeName(type.getElementType());
    if (entry->dtype != dtype ||
        type.getShape() != ArrayRef<int64_t>(entry->dims)) {
      op.emitError("constant @")
          << name << ": expected " << typeText(dtype, type.getShape())
          << ", got " << typeText(entry->dtype, entry->dims) << " in "
          << file->path();
      return WalkResult::interrupt();
    }
    DenseResourceElementsAttr &value = bound[name];
    if (!value) {
      size_t elementBytes =
          entry->data.empty() ? 1 : entry->data.size() / type.getNumElements();
      auto handle =
          manager.insert(name, makeBlob(entry->data, elementBytes, file));
      value = DenseResourceElementsAttr::get(type, handle);
    }
    op.setValueAttr(value);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace minic
