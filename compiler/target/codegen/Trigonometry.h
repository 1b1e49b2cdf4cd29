// SPDX-License-Identifier: Apache-2.0
//
// Trigonometry: sine and cosine of f32 as arithmetic, for operands of any size.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_TRIGONOMETRY_H
#define MINIC_COMPILER_TARGET_CODEGEN_TRIGONOMETRY_H

#include "compiler/target/codegen/MathArithmetic.h"

namespace minic {

struct Trigonometry : MathArithmetic {
  /// sin(x + quartersAhead * pi / 2): the cosine is one quarter ahead. NaN for
  /// NaN and infinities.
  mlir::Value sine(mlir::Value x, int quartersAhead) const;

private:
  /// x = quarter * pi / 2 + rest with |rest| about pi / 4 or less; only the two
  /// lowest bits of the integer `quarter` count.
  struct Angle {
    mlir::Value quarter, rest;
  };
  Angle reduceSmall(mlir::Value x) const;
  Angle reduceLarge(mlir::Value x) const;
  mlir::Value isAny(mlir::Value predicate) const;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_TRIGONOMETRY_H
