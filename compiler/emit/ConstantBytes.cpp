// SPDX-License-Identifier: Apache-2.0
//
// Reads attributes, packs with the runtime's packer.

#include "compiler/emit/ConstantBytes.h"

#include "dialects/kernel/Kernel.h"
#include "runtime/format/Packer.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace minic {

FailureOr<ConstantBytes> ConstantBytes::get(ElementsAttr value) {
  ConstantBytes result;
  size_t elements = value.getNumElements();
  size_t elementBytes = kernel::getElementBytes(value.getElementType());
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

LogicalResult writeConstant(RankedTensorType type, ElementsAttr value,
                            void *destination) {
  FailureOr<ConstantBytes> source = ConstantBytes::get(value);
  if (failed(source)) {
    return failure();
  }
  kernel::LayoutAttr layout = kernel::getLayout(type);
  if (!layout) {
    std::memcpy(destination, source->bytes().data(), source->bytes().size());
    return success();
  }
  runtime::BlockedLayout blocked;
  blocked.order = layout.getOrder().vec();
  blocked.blockDims = layout.getBlockDims().vec();
  blocked.blockSizes = layout.getBlockSizes().vec();
  blocked.padded = layout.getPadded().vec();
  runtime::pack(source->bytes().data(),
                absl::MakeConstSpan(type.getShape().data(), type.getRank()),
                kernel::getElementBytes(type.getElementType()), blocked,
                destination);
  return success();
}

} // namespace minic
