// SPDX-License-Identifier: Apache-2.0
//
// Reads dense and resource attributes, without a copy where that is possible.

#include "dialects/graph/ConstantBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;

namespace minic::graph {

static size_t elementBytesOf(ElementsAttr value) {
  return llvm::divideCeil(value.getElementType().getIntOrFloatBitWidth(), 8);
}

FailureOr<ConstantBytes> ConstantBytes::get(ElementsAttr value) {
  FailureOr<ConstantBytes> result = getUnaligned(value);
  if (succeeded(result) && result->owned.empty() &&
      reinterpret_cast<uintptr_t>(result->view.data()) %
              elementBytesOf(value) !=
          0) {
    result->owned.assign(result->view.begin(), result->view.end());
  }
  return result;
}

FailureOr<ConstantBytes> ConstantBytes::getUnaligned(ElementsAttr value) {
  ConstantBytes result;
  size_t elements = value.getNumElements();
  size_t elementBytes = elementBytesOf(value);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != elements * elementBytes) {
      return failure();
    }
    result.view = blob->getData();
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    return failure();
  }
  if (dense.getElementType().isInteger(1)) {
    result.owned.reserve(elements);
    for (bool bit : dense.getValues<bool>()) {
      result.owned.push_back(bit);
    }
    return result;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    result.view = raw;
    return result;
  }
  result.owned.resize(elements * elementBytes);
  for (size_t i = 0; i < elements; ++i) {
    std::memcpy(result.owned.data() + i * elementBytes, raw.data(),
                elementBytes);
  }
  return result;
}

} // namespace minic::graph
