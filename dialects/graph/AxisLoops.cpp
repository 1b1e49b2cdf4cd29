// SPDX-License-Identifier: Apache-2.0
//
// Other dimensions first, then the axis.

#include "dialects/graph/AxisLoops.h"

using namespace mlir;

namespace minic::graph {

IterationSpace loopsAlongAxis(RankedTensorType type, int64_t axis) {
  ArrayRef<int64_t> shape = type.getShape();
  IterationSpace space;
  SmallVector<unsigned> dims;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    bool isAxis = int64_t(dim) == axis;
    dims.push_back(isAxis ? shape.size() - 1 : space.rank());
    if (!isAxis) {
      space.kinds.push_back(IteratorKind::Parallel);
      space.extents.push_back(extent);
    }
  }
  space.addReduction(IteratorKind::Reduction, shape[axis]);
  auto map = AffineMap::getMultiDimMapWithTargets(space.rank(), dims,
                                                  type.getContext());
  space.operandMaps = {map};
  space.resultMaps = {map};
  return space;
}

} // namespace minic::graph
