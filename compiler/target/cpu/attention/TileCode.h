// SPDX-License-Identifier: Apache-2.0
//
// TileCode: what the kernels of one tile shape share: their arithmetic, and
// where they find what another one left in the thread's memory.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_TILECODE_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_TILECODE_H

#include "compiler/target/codegen/MathArithmetic.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/attention/TileShape.h"

namespace minic::cpu {

struct TileCode {
  TileCode(mlir::OpBuilder &builder, mlir::Location loc,
           const AttentionFusion &body, const TileShape &shape)
      : k(builder, loc), body(body), shape(shape) {}

  mlir::Type f32() { return k.b.getF32Type(); }
  mlir::VectorType f32s() {
    return mlir::VectorType::get(shape.lanes, k.b.getF32Type());
  }
  MathArithmetic math() { return {k.b, k.loc, f32s()}; }
  mlir::Value constants(double value) { return math().constant(f32s(), value); }

  /// Vectors of f32, or of i32, `elements` behind `pointer`.
  mlir::Value load(mlir::Value pointer, int64_t elements);
  mlir::Value loadIntegers(mlir::Value pointer, int64_t elements);
  void store(mlir::Value vector, mlir::Value pointer, int64_t elements);
  /// The f32 there, in all lanes.
  mlir::Value loadSplat(mlir::Value pointer, int64_t elements);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value sum) {
    return mlir::LLVM::FMAOp::create(k.b, k.loc, f32s(), x, y, sum);
  }

  /// The greater of two; `y` where `x` is NaN.
  mlir::Value greater(mlir::Value x, mlir::Value y);
  /// `value`, but 0 where it is -infinity: what may be subtracted from scores
  /// that are all -infinity.
  mlir::Value finite(mlir::Value value);
  /// 2^x of x <= 0 within two units of the last place; 0 from -127 down.
  mlir::Value exp2(mlir::Value x);

  KernelBuilder k;
  const AttentionFusion &body;
  const TileShape &shape;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_TILECODE_H
