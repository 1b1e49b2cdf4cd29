// SPDX-License-Identifier: Apache-2.0
//
// TurnedPoints: squares of points, so that a transposed operand is read as wide
// as the result is written.

#ifndef MINIC_COMPILER_TARGET_CUDA_POINTWISE_TURNEDPOINTS_H
#define MINIC_COMPILER_TARGET_CUDA_POINTWISE_TURNEDPOINTS_H

#include "compiler/target/codegen/PointwiseLoops.h"
#include "compiler/target/cuda/KernelAbi.h"

#include <optional>

namespace minic::cuda {

/// A square has `lanes` points along the innermost loop, along which results
/// have neighbours, and as many along the loop `turned`, along which transposed
/// operands do.
class TurnedPoints {
public:
  /// None where some access would be neither way wide, or where no operand is
  /// transposed.
  static std::optional<TurnedPoints> get(const PointwiseLoops &loops,
                                         llvm::ArrayRef<mlir::Type> dtypes,
                                         int64_t lanes);

  int64_t squares() const { return points / (lanes * lanes); }
  /// The first point of square number `square`. Neighbouring squares are a few
  /// along each of the two loops: a warp reads and writes whole sectors.
  mlir::Value firstPoint(CudaKernelBuilder &k, mlir::Value square) const;
  /// Points from one vector of a square to the next.
  int64_t pointStride() const { return strides[turned]; }

  int64_t lanes = 0;
  size_t turned = 0; // number of the loop

private:
  llvm::SmallVector<int64_t> extents, strides; // of loops, in points
  int64_t points = 0;
};

/// Whether `read` is of neighbours along the loop `turned`.
bool isTurned(const PointwiseLoops::Read &read, size_t turned, int64_t lanes);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_POINTWISE_TURNEDPOINTS_H
