// SPDX-License-Identifier: Apache-2.0
//
// GemmAmxSchedule: what can be chosen about a GEMM kernel of AMX tiles.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXSCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cpu {

/// Blocks of 32 rows and 32 columns are computed by 2x2 tiles, all of K at a
/// time. A step is 32 elements of K.
struct GemmAmxSchedule {
  /// Whether rows of lhs are first copied to scratch as tiles.
  bool packLhs = true;
  /// Blocks of rows that a panel of rhs meets before the next one; 0: all.
  int64_t mc = 0;
  /// Of a panel, the steps that are kept in L1 while blocks of rows pass; other
  /// tiles pass L1 by. 0: what passes is rhs, and rows of lhs are kept.
  int64_t resident = 18;
  /// Rows of a finished block that one step of the next block writes.
  int64_t rowsPerStep = 2;
  /// Whether steps bring the next panel of rhs into L2.
  bool prefetch = false;
  /// What threads divide: the panels (N), or the blocks of rows (M).
  bool splitN = true;
  /// One thread takes all, in the order of splitN.
  bool alone = false;

  bool operator==(const GemmAmxSchedule &) const = default;
};

/// The attribute {a = "pack", mc = 8, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const GemmAmxSchedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<GemmAmxSchedule>
parseGemmAmxSchedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "gemm_amx 32x32 a=pack mc=8 res=18 per=2 pf=l2 split=n".
std::string toString(const GemmAmxSchedule &schedule);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_AMX_GEMMAMXSCHEDULE_H
