// SPDX-License-Identifier: Apache-2.0
//
// FuseSwitches: what the phase fuse may put together. All of it by default;
// whoever looks for a fault turns one off at a time.

#ifndef MINIC_COMPILER_OPTIONS_FUSESWITCHES_H
#define MINIC_COMPILER_OPTIONS_FUSESWITCHES_H

namespace minic {

struct FuseSwitches {
  /// An anchor (a contraction, convolution, norm, reduction, attention) with
  /// the pointwise ops that follow it.
  bool epilogues = true;
  /// An anchor with what makes its operands, and an update in place with what
  /// makes its new elements.
  bool prologues = true;
  /// Pointwise ops with each other.
  bool pointwise = true;
  /// Transposes, slices, gathers and concats with what reads them.
  bool moves = true;
  /// Attention as one op; else it gives way to its stages before anything is
  /// fused.
  bool attention = true;
};

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_FUSESWITCHES_H
