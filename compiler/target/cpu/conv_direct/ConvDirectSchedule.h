// SPDX-License-Identifier: Apache-2.0
//
// ConvDirectSchedule: what can be chosen about a direct convolution kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTSCHEDULE_H
#define MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTSCHEDULE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace minic::cpu {

struct ConvDirectSchedule {
  /// Rows of a register tile at most (1..16): pixels of a line in NHWC, output
  /// channels in NCHW.
  int64_t mr = 8;
  /// Columns of a register tile, a multiple of 16: output channels in NHWC,
  /// pixels in NCHW.
  int64_t nr = 32;
  /// Lines of output pixels that meet a panel of the filter one after another.
  int64_t lines = 1;
  /// Whether what a line reads of the input is first copied to scratch, with
  /// its pads and as f32. Pads and NCHW need it.
  bool pack = true;
  /// Whether tiles, while they run, fetch the next panel of the filter into L2.
  bool prefetch = false;
  /// What threads divide: lines, or the panels of the filter (NHWC), so that
  /// each reads a part of it and all lines.
  bool splitN = false;

  bool operator==(const ConvDirectSchedule &) const = default;
};

/// The attribute {mr = 8, nr = 32, ...} of #kernel.impl.
mlir::DictionaryAttr toAttribute(const ConvDirectSchedule &schedule,
                                 mlir::MLIRContext *context);

/// Reads such an attribute. Missing keys have their default; an unknown key, a
/// wrong type or a value out of range is a diagnostic at `loc`.
mlir::FailureOr<ConvDirectSchedule>
parseConvDirectSchedule(mlir::DictionaryAttr attribute, mlir::Location loc);

/// "conv_direct 8x32 lines=4 x=pack", and " pf=l2" or " split=n" where it is
/// so.
std::string toString(const ConvDirectSchedule &schedule);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CONV_DIRECT_CONVDIRECTSCHEDULE_H
