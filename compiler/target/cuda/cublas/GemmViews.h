// SPDX-License-Identifier: Apache-2.0
//
// GemmViews: a contraction's operands as views for a library, and what the
// library's calls have in common.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/FusionLowering.h"

namespace minic::cuda {

/// The layouts in which lhs and rhs have pitches and a K that are multiples of
/// 16 bytes, with zeros in between; null for an operand that already has them
/// when dense. Long rows of others are padded to multiples of 128 bytes.
/// Without this libraries are several times slower.
struct GemmPadding {
  kernel::LayoutAttr lhs, rhs;
  /// Fails where nothing is to be padded, or where an operand that would be is
  /// also read by others of the body.
  static mlir::FailureOr<GemmPadding> get(const kernel::FusionShape &shape);
};

/// A library's product: null where none of them computes `shape`'s contraction,
/// whatever follows it.
std::optional<std::string> rejectProduct(const kernel::FusionShape &shape);

/// Microseconds that a product by a library takes. `isPadded`: with operands
/// in the layouts of GemmPadding, without the time of bringing them there.
double estimateProductUs(const kernel::FusionShape &shape,
                         const DeviceProfile &profile, bool isPadded);

/// Microseconds of the relayouts of those padded operands that are not
/// constants.
double estimatePaddingUs(kernel::FusionOp fusion,
                         const kernel::FusionShape &shape,
                         const GemmPadding &padding,
                         const DeviceProfile &profile);

/// Collects the operands of a call and the views of them.
class CallBuilder {
public:
  CallBuilder(kernel::FusionOp fusion, const kernel::FusionShape &shape,
              plan::PlanBuilder &plan)
      : fusion(fusion), shape(shape), plan(plan) {}

  /// The views of the contraction's operands, in the layouts that the fusion's
  /// operands have; [batch..., M, K] and [batch..., K, N].
  plan::TensorViewAttr lhs();
  plan::TensorViewAttr rhs();
  /// N values.
  plan::TensorViewAttr columns(mlir::Value argument);
  /// As the result.
  plan::TensorViewAttr full(mlir::Value argument);
  /// The dense [batch..., M, N] that result number `index` is.
  plan::TensorViewAttr result(unsigned index = 0);

  /// The call, with workspace where `scratchBytes` is not 0.
  void create(mlir::Attribute descriptor, int64_t scratchBytes,
              llvm::StringRef version, llvm::StringRef name);

private:
  mlir::Value outer(mlir::Value argument);
  int64_t operand(mlir::Value tensor, plan::Access access);
  plan::TensorViewAttr matrix(mlir::Value argument,
                              llvm::ArrayRef<int64_t> batchStrides,
                              int64_t rows, int64_t columns, int64_t rowStride,
                              int64_t columnStride);
  plan::TensorViewAttr dense(int64_t operand, mlir::Type dtype);

  kernel::FusionOp fusion;
  const kernel::FusionShape &shape;
  plan::PlanBuilder &plan;
  llvm::SmallVector<mlir::Value> addresses;
  llvm::SmallVector<mlir::Attribute> accesses;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H
