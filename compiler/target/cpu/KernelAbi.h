// SPDX-License-Identifier: Apache-2.0
//
// How CPU kernels are called, and how their code reads and writes tensors.
//
// An entry is void(const Arg *args, int64_t begin, int64_t end, void *scratch):
// it computes tiles [begin, end) of a one-dimensional grid. An Arg is 8 bytes,
// a pointer or an integer. Kernels of a fusion get the addresses of its
// operands, then of its results, in order. `scratch` belongs to the thread.
//
// Vectors have rank 1. Values are in compute type: f32 for every float dtype,
// i1 for predicates (one byte in memory), integers as declared.

#ifndef MINIC_COMPILER_TARGET_CPU_KERNELABI_H
#define MINIC_COMPILER_TARGET_CPU_KERNELABI_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace minic::cpu {

/// An entry being built. The body ends in llvm.return already; the builder that
/// created it stands before that.
struct KernelEntry {
  mlir::LLVM::LLVMFuncOp function;
  mlir::Value args, begin, end, scratch;

  /// Adds the exported function `name` to `device` and moves `builder` into it.
  static KernelEntry create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ModuleOp device, llvm::StringRef name);
};

/// Adds an internal function that is never inlined and moves `builder` into
/// its body, which ends in llvm.return of nothing.
mlir::LLVM::LLVMFuncOp
createInternalFunction(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ModuleOp device, llvm::StringRef name,
                       llvm::ArrayRef<mlir::Type> arguments);

/// Builds arithmetic, loads and stores at one location.
class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// The pointer number `index` of an entry's arguments.
  mlir::Value argPointer(mlir::Value args, int64_t index);

  /// i64 constants and arithmetic; constants fold.
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs) { return add(lhs, i64(rhs)); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  /// Quotient and remainder of non-negative integers.
  mlir::Value div(mlir::Value lhs, int64_t rhs);
  mlir::Value rem(mlir::Value lhs, int64_t rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);

  /// `pointer` advanced by elements of `storage` (i1 takes a byte).
  mlir::Value advance(mlir::Value pointer, mlir::Value elements,
                      mlir::Type storage);
  mlir::Value advance(mlir::Value pointer, int64_t elements,
                      mlir::Type storage);

  /// The type values of dtype `storage` are computed in.
  static mlir::Type computeType(mlir::Type storage);
  /// The type of an element in memory: i8 for i1.
  static mlir::Type memoryType(mlir::Type storage);

  /// Lanes [0, remaining) of a mask; `remaining` may be negative or above.
  mlir::Value tailMask(mlir::Value remaining, int64_t lanes);

  /// Loads `lanes` consecutive elements, or one, converted to compute type.
  /// Lanes that `mask` excludes are zero and not read; null reads all.
  mlir::Value loadVector(mlir::Value pointer, mlir::Type storage, int64_t lanes,
                         mlir::Value mask = {});
  mlir::Value loadScalar(mlir::Value pointer, mlir::Type storage);
  /// Stores compute-type `value`, rounded to `storage`.
  void storeVector(mlir::Value value, mlir::Value pointer, mlir::Type storage,
                   mlir::Value mask = {});

  /// Loads or stores a value of any LLVM type as it is, aligned to
  /// `alignment` bytes.
  mlir::Value loadRaw(mlir::Type type, mlir::Value pointer, int64_t alignment);
  void storeRaw(mlir::Value value, mlir::Value pointer, int64_t alignment);

  /// The same for vectors, of whose lanes `mask` (null: all) are accessed;
  /// other lanes of a loaded vector are zero. Aligned to an element.
  mlir::Value loadRawMasked(mlir::VectorType type, mlir::Value pointer,
                            mlir::Value mask);
  void storeRawMasked(mlir::Value value, mlir::Value pointer, mlir::Value mask);

  /// A vector of `lanes` times `scalar`; or of a constant.
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Value zeroVector(mlir::Type element, int64_t lanes);

  /// scf.for from `lower` to `upper`; `body` gets the induction variable (i64)
  /// and the carried values, and returns the next ones.
  llvm::SmallVector<mlir::Value>
  forLoop(mlir::Value lower, mlir::Value upper, int64_t step,
          mlir::ValueRange carried,
          llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                            mlir::ValueRange)>
              body);
  /// The same, carrying nothing.
  void forLoop(mlir::Value lower, mlir::Value upper, int64_t step,
               llvm::function_ref<void(mlir::Value)> body);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Value toCompute(mlir::Value value);
  mlir::Value toStorage(mlir::Value value, mlir::Type storage);
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_KERNELABI_H
