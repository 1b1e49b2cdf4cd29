// SPDX-License-Identifier: Apache-2.0
//
// CudnnSchedule: what is decided about a call of cuDNN.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace minic::cuda {

struct CudnnSchedule {
  /// Of a convolution: the filter's channels are next to each other in memory,
  /// as engines of tensor cores want them; else it is dense as it is.
  bool isFilterNhwc = false;
  /// f32 operands are rounded to tf32.
  bool isTf32 = false;
  int64_t scratchBytes = 0;
  /// "9.19.0:eng38_k2=5_k13=1", the library's version and its engine; empty:
  /// its own first choice.
  std::string algorithm;

  /// {form = "nchw" | "nhwc", compute = "f32" | "tf32", scratch_bytes,
  /// algorithm}; a matmul's has no form.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context,
                                   bool isConvolution) const;
  /// Emits a diagnostic at `loc` for what it does not know.
  static mlir::FailureOr<CudnnSchedule> parse(mlir::DictionaryAttr attribute,
                                              mlir::Location loc);

  /// The two parts of `algorithm`.
  llvm::StringRef version() const;
  llvm::StringRef engine() const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUDNN_CUDNNSCHEDULE_H
