// SPDX-License-Identifier: Apache-2.0
//
// exp, log, tanh, erf, sin, cos and pow as arithmetic.
//
// Measured on 4.2 million float32 operands spread over all bit patterns, in
// units in the last place of the exact result, and on 262144 on an H200, where
// some use its power of two. Tests MathLoweringTest and MathGpuTest bound them.
//
//            CPU    GPU
//   exp      1.0    2.5   results below 2^-126 included; MLIR's: 4.6 at 88.7,
//                         and zero below 2^-126
//   log      0.75   0.75  denormals included; MLIR's: 0.81, and log(2^-126) for
//                         them
//   tanh     4.2    1.3   on the CPU MLIR's
//   erf      1.7    1.4   MLIR's, which selects each coefficient: 4.0
//   erfc     of the absolute error, as gelu needs it: within 2e-7 on a CPU; on
//   a
//            GPU gelu is within 2 units in the last place of its operand. With
//            the flag afn within 1e-6, which no test bounds
//
//   sin, cos 1.5          of operands of any size; these on 262144
//   log1p    1.5
//   expm1    1.4
//   rsqrt    1.5          by a square root; on the GPU its instruction, whose
//                         relative error is below 2^-22.9 (PTX ISA)
//   sigmoid  2.1; 0 for x < -88.7, where the result is a denormal
//   pow      1.0 (of 500 000 pairs whose results span the whole range) and all
//            of C's special cases; MLIR's exp(y * log(x)): 118, and NaN where a
//            negative base overflows
//
// NaN and infinities come out as C's functions return them.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_MATHLOWERING_H
#define MINIC_COMPILER_TARGET_CODEGEN_MATHLOWERING_H

#include "mlir/IR/PatternMatch.h"

namespace minic {

/// Rewrites math.exp, expm1, log, log1p, sin, cos, erf, erfc and powf of f32
/// scalars and vectors to arith, scf (sin and cos of large operands) and the
/// math ops that are instructions (fma, roundeven, absf, copysign).
/// `hasExp2Instruction`, on a GPU: so is math.exp2, with a relative error of
/// 2^-22, and math.tanh and quotients by constants and of square roots are
/// rewritten, too; else MLIR has to do that.
void populateMathLoweringPatterns(mlir::RewritePatternSet &patterns,
                                  bool hasExp2Instruction);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_MATHLOWERING_H
