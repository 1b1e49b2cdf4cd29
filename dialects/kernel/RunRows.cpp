// SPDX-License-Identifier: Apache-2.0
//
// A discardable attribute: who does not know it computes everything.

#include "dialects/kernel/RunRows.h"

using namespace mlir;

namespace minic::kernel {

std::optional<RunRows> RunRows::get(FusionOp fusion) {
  auto said = fusion->getAttrOfType<DictionaryAttr>(runRowsAttrName);
  auto dim = said ? said.getAs<StringAttr>("dim") : StringAttr();
  auto size = said ? said.getAs<IntegerAttr>("size") : IntegerAttr();
  if (!dim || !size || size.getInt() < 2) {
    return std::nullopt;
  }
  for (Type type : fusion.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape() || tensor.getEncoding() ||
        tensor.getNumElements() % size.getInt() != 0) {
      return std::nullopt;
    }
  }
  return RunRows{dim, size.getInt()};
}

void RunRows::set(FusionOp fusion) const {
  Builder builder(fusion.getContext());
  fusion->setAttr(
      runRowsAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("dim", dim),
           builder.getNamedAttr("size", builder.getI64IntegerAttr(size))}));
}

} // namespace minic::kernel
