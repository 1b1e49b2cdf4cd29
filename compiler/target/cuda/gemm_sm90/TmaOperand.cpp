// SPDX-License-Identifier: Apache-2.0
//
// Dimensions and strides as cuTensorMapEncodeTiled wants them.

#include "compiler/target/cuda/gemm_sm90/TmaOperand.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// What strides are multiples of, and most dimensions, of a tensor map.
constexpr int64_t strideUnit = 16;
constexpr size_t maxRank = 5;
constexpr int64_t maxStride = (int64_t(1) << 40) - 1;

TmaOperand::TmaOperand(const GemmOperand &operand, ArrayRef<int64_t> batch,
                       int64_t boxRows, int64_t boxK)
    : argument(operand.argument), type(operand.type),
      dims({operand.k, operand.rows}), box({boxK, boxRows}) {
  if (operand.k == 0 || operand.rows == 0 || llvm::is_contained(batch, 0)) {
    why = "TMA copies no operand without elements";
    return;
  }
  int64_t bytes = operand.elementBytes();
  // Nothing steps over a single row.
  strides.push_back(
      operand.rows > 1 ? operand.pitch * bytes
                       : int64_t(llvm::alignTo(operand.k * bytes, strideUnit)));
  int64_t divisor = 1;
  for (size_t d = operand.batchStrides.size(); d-- > 0;) {
    int64_t extent = batch[d], stride = operand.batchStrides[d] * bytes;
    if (extent > 1 && stride != 0) {
      bool goesOn =
          !batchDims.empty() &&
          batchDims.back().divisor * batchDims.back().extent == divisor &&
          strides.back() * dims.back() == stride;
      if (goesOn) {
        batchDims.back().extent = dims.back() *= extent;
      } else {
        batchDims.push_back({divisor, extent});
        dims.push_back(extent);
        strides.push_back(stride);
        box.push_back(1);
      }
    }
    divisor *= extent;
  }
  if (dims.size() > maxRank) {
    why = "TMA has fewer dimensions than the operand's batches";
  }
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (stride % strideUnit != 0 || stride > maxStride) {
      why = "TMA needs rows of a multiple of 16 bytes";
    } else if (i > 0 && stride % strides[i - 1] != 0) {
      why = "TMA needs batches of a multiple of rows";
    }
  }
}

plan::TensorMapAttr TmaOperand::map() const {
  Builder b(type.getContext());
  return plan::TensorMapAttr::get(
      type.getContext(), argument, type, b.getDenseI64ArrayAttr(dims),
      b.getDenseI64ArrayAttr(strides), b.getDenseI64ArrayAttr(box), 128);
}

} // namespace minic::cuda
