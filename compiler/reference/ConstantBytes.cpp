// SPDX-License-Identifier: Apache-2.0
//
// Reads dense and resource attributes without a copy where that is possible.

#include "compiler/reference/ConstantBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

const void *constantBytes(ElementsAttr value, std::vector<char> &storage) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    size_t elementBytes =
        std::max(1u, value.getElementType().getIntOrFloatBitWidth() / 8);
    bool isWhole =
        blob && blob->getData().size() == value.getNumElements() * elementBytes;
    return isWhole ? blob->getData().data() : nullptr;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    return nullptr;
  }
  if (dense.getElementType().isInteger(1)) {
    storage.assign(dense.value_begin<bool>(), dense.value_end<bool>());
    storage.push_back(0); // never null, even when empty
    return storage.data();
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    return raw.data();
  }
  storage.reserve(raw.size() * dense.getNumElements());
  for (int64_t i = 0; i < dense.getNumElements(); ++i) {
    storage.insert(storage.end(), raw.begin(), raw.end());
  }
  return storage.data();
}

} // namespace minic::reference
