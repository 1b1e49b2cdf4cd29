// SPDX-License-Identifier: Apache-2.0
//
// ImageFusion: a body with one pool2d or resize, and pointwise ops before and
// after it.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_IMAGEFUSION_H
#define MINIC_COMPILER_TARGET_CODEGEN_IMAGEFUSION_H

#include "dialects/kernel/FusionShape.h"

namespace minic {

struct ImageFusion {
  /// One of them is set.
  graph::Pool2dOp pool;
  graph::ResizeOp resize;
  /// What computes the op's input, over the input's shape, and what computes
  /// the results, over the op's. Their anchors are null and the op.
  kernel::FusionShape before, after;

  static mlir::FailureOr<ImageFusion> get(kernel::FusionOp fusion,
                                          std::string &reason);

  bool isNhwc() const { return layout() == graph::ImageLayout::NHWC; }
  graph::ImageLayout layout() const;
  /// Of a pool.
  bool isMax() const;
  bool isAverage() const;
  bool countsPads() const;
  /// Windows of a pool along the height (0) and the width (1).
  graph::WindowLine window(unsigned side) const;
  graph::ResizeLine line(unsigned side) const;
  bool isNearest() const;
  /// How many results successive elements along the width of a resize have
  /// each, if every `lanes` results begin at one of them and are made alike;
  /// 0 otherwise.
  int64_t widthFactor(int64_t lanes) const;
  /// Results of NHWC are computed pixel by pixel, those of NCHW line by line.
  int64_t units() const;
};

/// Sets what computes `results` from values of the fusion and from `anchor`
/// (null for none). Fails with a reason where that is more than pointwise ops,
/// and where results have different shapes.
mlir::LogicalResult setPointwiseShape(kernel::FusionShape &shape,
                                      kernel::FusionOp fusion,
                                      mlir::ValueRange results,
                                      mlir::Operation *anchor,
                                      std::string &reason);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_IMAGEFUSION_H
