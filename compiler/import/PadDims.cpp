// SPDX-License-Identifier: Apache-2.0
//
// The axes of results by a proof for each bucket.

#include "compiler/import/PadDims.h"

#include "dialects/graph/Dims.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/IndependentRows.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace minic {

/// The size of `dim` in the bucket that `function` is; 0 where it has none. A
/// model may bring any attribute: one without an entry is refused later.
static int64_t sizeOf(func::FuncOp function, StringRef dim) {
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  if (!bucket || !bucket.getAs<StringAttr>("entry")) {
    return 0;
  }
  auto sizes = bucket.getAs<DictionaryAttr>("sizes");
  auto size = sizes ? sizes.getAs<IntegerAttr>(dim) : IntegerAttr();
  return size ? size.getInt() : 0;
}

static StringRef entryOf(func::FuncOp function) {
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  return bucket.getAs<StringAttr>("entry").getValue();
}

static void setPads(func::FuncOp function, StringRef dim,
                    ArrayRef<int64_t> axes) {
  Builder builder(function.getContext());
  NamedAttrList bucket(
      function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName));
  NamedAttrList pads(dyn_cast_or_null<DictionaryAttr>(bucket.get("pads")));
  pads.set(dim, builder.getDenseI64ArrayAttr(axes));
  bucket.set("pads", pads.getDictionary(builder.getContext()));
  function->setAttr(graph::bucketAttrName,
                    bucket.getDictionary(builder.getContext()));
}

static LogicalResult padDim(ModuleOp module, StringRef dim) {
  // By entry. A bucket of one row is nothing that a run is padded to.
  llvm::StringMap<SmallVector<int64_t>> axes;
  bool varies = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    int64_t size = sizeOf(function, dim);
    varies |= size != 0;
    if (size < 2) {
      continue;
    }
    FailureOr<SmallVector<int64_t>> found =
        graph::findIndependentRows(function, dim);
    if (failed(found)) {
      return failure();
    }
    for (auto [result, axis] : llvm::enumerate(*found)) {
      if (axis >= 0 && function.getResultAttr(result, graph::inPlaceAttrName)) {
        return function.emitError("--pad: result ")
               << result << " has rows of '" << dim
               << "' and updates an input in place, so it cannot be padded";
      }
    }
    auto [known, isNew] = axes.try_emplace(entryOf(function), *found);
    if (!isNew && known->second != *found) {
      return function.emitError("--pad: results have rows of '")
             << dim << "' along other axes than for other sizes";
    }
  }
  if (!varies) {
    return emitError(UnknownLoc::get(module.getContext()))
           << "--pad: no dimension called '" << dim << "' has several sizes";
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    if (sizeOf(function, dim) != 0 && axes.contains(entryOf(function))) {
      setPads(function, dim, axes[entryOf(function)]);
    }
  }
  return success();
}

LogicalResult padDims(ModuleOp module, const std::vector<std::string> &dims) {
  for (const std::string &dim : dims) {
    if (failed(padDim(module, dim))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
