// SPDX-License-Identifier: Apache-2.0
//
// CublasSchedule: what is decided about a call of cuBLAS or cuBLASLt.

#ifndef MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASSCHEDULE_H

#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace minic::cuda {

struct CublasSchedule {
  /// Operands in the layouts of GemmPadding.
  bool isPadded = false;
  /// f32 operands are rounded to tf32.
  bool isTf32 = false;
  int64_t scratchBytes = 0;
  /// Of cuBLASLt: "13.1.0:<hex>", the library's version and the bytes of its
  /// algorithm; empty: its own first choice.
  std::string algorithm;

  /// {form = "dense" | "padded", compute = "f32" | "tf32", scratch_bytes,
  /// algorithm}.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Emits a diagnostic at `loc` for what it does not know.
  static mlir::FailureOr<CublasSchedule> parse(mlir::DictionaryAttr attribute,
                                               mlir::Location loc);

  /// "", "padded", "tf32", "padded tf32": what people see.
  std::string toString() const;
  /// The two parts of `algorithm`.
  llvm::StringRef version() const;
  llvm::StringRef hex() const;
};

/// Workspace that a library may ask for, within the user's limit.
int64_t libraryScratchBytes(const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CUBLAS_CUBLASSCHEDULE_H
