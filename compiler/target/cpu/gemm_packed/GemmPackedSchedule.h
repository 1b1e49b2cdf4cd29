// SPDX-License-Identifier: Apache-2.0
//
// GemmPackedSchedule: what can be chosen about a packed GEMM kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDSCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cpu {

/// How elements of K are multiplied: one at a time, widened to f32; or words
/// whose products one instruction adds up, as which rhs is packed then. Pairs
/// are of bf16 (AVX512-BF16), or of i8 widened to 16 bits; quads of i8
/// (AVX512-VNNI).
enum class GemmDot { Fma, Pairs, Quads };

struct GemmPackedSchedule {
  /// Rows of a register tile at most (1..16): M is split evenly into tiles of
  /// `mr` rows or fewer, of two neighbouring heights.
  int64_t mr = 8;
  /// Columns of a register tile and of a panel of the packed rhs: a multiple
  /// of 16.
  int64_t nr = 32;
  /// Steps of K per iteration of the inner loop.
  int64_t ku = 4;
  /// Whether tiles of lhs are first copied to scratch as [K][rows].
  bool packLhs = false;
  /// M tiles that a panel of rhs meets before the next one; 0: all.
  int64_t tc = 0;
  /// Inside such a block: panels outside, tiles inside, or the reverse.
  bool panelsOutside = true;
  /// What threads divide: the panels (N), or the tiles (M).
  bool splitN = true;
  GemmDot dot = GemmDot::Fma;
  /// One thread takes all, in the order of splitN: work that is shorter than a
  /// team takes to wake and join.
  bool alone = false;
  /// While the tiles of a block meet a panel, they fetch the next one into L2.
  bool prefetch = false;

  bool operator==(const GemmPackedSchedule &) const = default;
};

/// The attribute {mr = 8, nr = 32, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const GemmPackedSchedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<GemmPackedSchedule>
parseGemmPackedSchedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "gemm_packed 8x32 ku=4 a=trans tc=20 order=jt split=n dot=fma", and " pf=l2"
/// where it prefetches.
std::string toString(const GemmPackedSchedule &schedule);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMPACKEDSCHEDULE_H
