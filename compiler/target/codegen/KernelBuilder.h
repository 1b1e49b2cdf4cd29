// SPDX-License-Identifier: Apache-2.0
//
// KernelBuilder: how generated kernels of every target compute addresses, read
// and write tensors, and loop.
//
// Vectors have rank 1. Values are in compute type: f32 for every float dtype,
// i1 for predicates (one byte in memory), integers as declared.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_KERNELBUILDER_H
#define MINIC_COMPILER_TARGET_CODEGEN_KERNELBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// Builds arithmetic, loads and stores at one location.
class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// The pointer number `index` of an entry's arguments.
  mlir::Value argPointer(mlir::Value args, int64_t index);

  /// Integer constants and arithmetic on operands of one type; constants fold
  /// and plain numbers take the other operand's type.
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value i64(int64_t value) { return integer(b.getI64Type(), value); }
  mlir::Value i32(int64_t value) { return integer(b.getI32Type(), value); }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs) {
    return add(lhs, integer(lhs.getType(), rhs));
  }
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

  /// Values or vectors as they lie in memory to compute type, and back
  /// (rounded to `storage`).
  mlir::Value toCompute(mlir::Value value, mlir::Type storage);
  mlir::Value toStorage(mlir::Value value, mlir::Type storage);

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

  /// The sum of two floats or integers, or vectors of them; and of each two.
  mlir::Value sum(mlir::Value lhs, mlir::Value rhs);
  llvm::SmallVector<mlir::Value> addAll(mlir::ValueRange lhs,
                                        mlir::ValueRange rhs);
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
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_KERNELBUILDER_H
