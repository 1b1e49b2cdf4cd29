// SPDX-License-Identifier: Apache-2.0
//
// LibrarySchedule: what is decided about a call of cuBLAS, cuBLASLt or cuDNN.

#ifndef MINIC_COMPILER_TARGET_CUDA_LIBRARYSCHEDULE_H
#define MINIC_COMPILER_TARGET_CUDA_LIBRARYSCHEDULE_H

#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace minic::cuda {

/// What a library's schedules may say.
struct LibraryGrammar {
  llvm::StringRef library;
  llvm::StringRef forms[2];
  /// Checks the text that follows the version in an algorithm.
  bool (*isAlgorithm)(llvm::StringRef);
  llvm::StringRef algorithm; // what it is, for messages
};

/// Forms: "dense", or "padded" with operands in the layouts of GemmPadding.
/// Algorithms are cuBLASLt's: "13.1.0:<64 bytes in hexadecimal>".
extern const LibraryGrammar cublasGrammar;
/// Forms, of convolutions alone: "nhwc", the filter's channels are next to each
/// other in memory, as engines of tensor cores want them; or "nchw", it is
/// dense as it is. Algorithms: "9.19.0:eng38_k2=5_k13=1".
extern const LibraryGrammar cudnnGrammar;

struct LibrarySchedule {
  /// Of the operands; empty: as they come, where there is no other form.
  std::string form;
  /// f32 operands are rounded to tf32.
  bool isTf32 = false;
  int64_t scratchBytes = 0;
  /// The library's version, a colon, and how that version knows the algorithm;
  /// empty: its own first choice.
  std::string algorithm;

  /// {form, compute = "f32" | "tf32", scratch_bytes, algorithm}, without form
  /// and algorithm where they are empty.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Emits a diagnostic at `loc` for what `grammar` does not know.
  static mlir::FailureOr<LibrarySchedule> parse(mlir::DictionaryAttr attribute,
                                                const LibraryGrammar &grammar,
                                                mlir::Location loc);

  /// "f32" or "tf32".
  llvm::StringRef compute() const { return isTf32 ? "tf32" : "f32"; }
  /// The two parts of `algorithm`.
  llvm::StringRef version() const;
  llvm::StringRef versionsAlgorithm() const;
};

/// A diagnostic where an operand of `fusion` has a layout: `library`'s calls
/// take dense ones.
mlir::LogicalResult checkDenseOperands(kernel::FusionOp fusion,
                                       llvm::StringRef library);

/// Workspace that a library may ask for, within the user's limit.
int64_t libraryScratchBytes(const DeviceProfile &profile);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_LIBRARYSCHEDULE_H
