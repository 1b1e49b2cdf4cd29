// SPDX-License-Identifier: Apache-2.0
//
// GroupNormFusion: a body with one group norm of images whose result lies in
// NHWC, and pointwise ops behind it.

#ifndef MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFUSION_H
#define MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFUSION_H

#include "dialects/kernel/FusionShape.h"

namespace minic::cuda {

/// The norm's input is an operand [N, ..., C] that a transpose brings to
/// [N, C, ...], or one that is [N, C, ...]; a transpose brings its result to
/// [N, ..., C].
struct GroupNormFusion {
  graph::GroupNormOp norm;
  mlir::BlockArgument input;
  bool readsPlanes = false;        ///< the input is [N, C, ...]
  mlir::BlockArgument scale, bias; ///< [C], null where the norm has none
  int64_t images = 1, pixels = 1, channels = 1, groups = 1;
  double epsilon = 0;
  mlir::Type dtype; ///< the input's
  /// What follows the norm; the anchor is the transpose behind it.
  kernel::FusionShape after;

  /// Fails with a reason, for people, for any other body.
  static mlir::FailureOr<GroupNormFusion> get(kernel::FusionOp fusion,
                                              std::string *reason);
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_GROUP_NORM_GROUPNORMFUSION_H
