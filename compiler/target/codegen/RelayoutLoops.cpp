// SPDX-License-Identifier: Apache-2.0
//
// Chooses which physical dimensions become vectors.

#include "compiler/target/codegen/RelayoutLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic {

int64_t RelayoutLoops::groups() const {
  int64_t count = 1;
  for (const Loop &loop : loops) {
    count *= loop.extent;
  }
  return count;
}

int64_t RelayoutLoops::tiles() const {
  return llvm::divideCeil(groups(), kGroupsPerTile);
}

RelayoutLoops RelayoutLoops::get(RankedTensorType packed) {
  kernel::LayoutAttr layout = kernel::getLayout(packed);
  RelayoutLoops result;
  result.shape = llvm::to_vector(packed.getShape());
  result.padded = llvm::to_vector(layout.getPadded());
  result.strides.assign(result.shape.size(), 1);
  for (size_t d = result.shape.size(); d-- > 1;) {
    result.strides[d - 1] = result.strides[d] * result.shape[d];
  }

  // A dimension's blocks are its innermost digits, in order.
  SmallVector<int64_t> step(result.shape.size(), 1);
  for (auto [dim, size] :
       llvm::zip_equal(layout.getBlockDims(), layout.getBlockSizes())) {
    step[dim] *= size;
  }
  SmallVector<int64_t> outerStep = step;
  for (int64_t dim : layout.getOrder()) {
    result.loops.push_back(
        {dim, outerStep[dim], result.padded[dim] / outerStep[dim]});
  }
  for (auto [dim, size] :
       llvm::zip_equal(layout.getBlockDims(), layout.getBlockSizes())) {
    step[dim] /= size;
    result.loops.push_back({dim, step[dim], size});
  }

  auto popLanes = [&] {
    Loop last = result.loops.pop_back_val();
    return last;
  };
  if (result.loops.empty()) {
    result.lanes = {-1, 1, 1}; // a scalar
    return result;
  }
  result.lanes = popLanes();
  if (result.lanes.extent == 2 && !result.loops.empty() &&
      result.loops.back().step == 1 &&
      result.loops.back().dim != result.lanes.dim) {
    result.pair = result.lanes;
    result.lanes = popLanes();
  }
  return result;
}

} // namespace minic
