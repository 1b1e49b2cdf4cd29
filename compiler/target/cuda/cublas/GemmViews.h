// SPDX-License-Identifier: Apache-2.0
//
// GemmViews: a contraction's operands as views for a library, and what the
// library's calls have in common.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/CallWriter.h"

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

/// Writes the operands of a product's call.
class ProductWriter {
public:
  ProductWriter(kernel::FusionOp fusion, const kernel::FusionShape &shape,
                plan::CallWriter &call)
      : fusion(fusion), shape(shape), call(call) {}

  /// Roles lhs and rhs: the contraction's operands, in the layouts that the
  /// fusion's operands have; [batch..., M, K] and [batch..., K, N].
  void factors();
  /// N values.
  void columns(llvm::StringRef role, mlir::Value argument);
  /// As the result.
  void full(llvm::StringRef role, mlir::Value argument);
  /// The dense [batch..., M, N] that result number `index` is.
  void result(llvm::StringRef role, unsigned index = 0);

private:
  int64_t read(mlir::Value argument);
  plan::TensorViewAttr matrix(mlir::Value argument,
                              llvm::ArrayRef<int64_t> batchStrides,
                              int64_t rows, int64_t columns, int64_t rowStride,
                              int64_t columnStride);
  plan::TensorViewAttr dense(int64_t address, mlir::Type dtype);

  kernel::FusionOp fusion;
  const kernel::FusionShape &shape;
  plan::CallWriter &call;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLAS_GEMMVIEWS_H
