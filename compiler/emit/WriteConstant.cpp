// SPDX-License-Identifier: Apache-2.0
//
// Packs with the runtime's packer.

#include "compiler/emit/WriteConstant.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/kernel/Kernel.h"
#include "runtime/format/Packer.h"

#include <cstring>

using namespace mlir;

namespace minic {

LogicalResult writeConstant(RankedTensorType type, ElementsAttr value,
                            void *destination) {
  FailureOr<graph::ConstantBytes> source = graph::ConstantBytes::get(value);
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
