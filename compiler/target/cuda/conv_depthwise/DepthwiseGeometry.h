// SPDX-License-Identifier: Apache-2.0
//
// DepthwiseGeometry: the numbers that follow from a depthwise convolution and a
// schedule.

#ifndef MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISEGEOMETRY_H
#define MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISEGEOMETRY_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/cuda/conv_depthwise/DepthwiseSchedule.h"
#include "dialects/kernel/FusionShape.h"

namespace minic::cuda {

/// Threads run through channels first in NHWC, through pixels first in NCHW, so
/// that neighbours read neighbours.
struct DepthwiseGeometry {
  kernel::ConvShape conv;
  DepthwiseSchedule schedule;
  bool isNhwc = true;
  /// Results of an input channel.
  int64_t multiplier = 1;
  /// Threads with work along channels and along a line.
  int64_t channelSteps = 0, lineSteps = 0;
  /// Of the fusion's body, for each result, roughly.
  int64_t epilogueInstructions = 0;

  const graph::Conv2dGeometry &g() const { return conv.geometry; }
  /// Fails with a reason where `schedule` cannot implement `shape`.
  static mlir::FailureOr<DepthwiseGeometry>
  get(const kernel::FusionShape &shape, const DepthwiseSchedule &schedule,
      std::string *reason);

  /// Threads with work, and blocks; 0 where there is no result.
  int64_t items() const {
    return g().batch * g().outputHeight * lineSteps * channelSteps;
  }
  int64_t blocks() const;
  /// Elements from one pixel of the input, and of the filter, to the next.
  int64_t pixelStride() const { return isNhwc ? g().inputChannels : 1; }
  int64_t tapStride() const { return isNhwc ? g().outputChannels : 1; }
  /// Columns of the input that a thread loads for a line of taps.
  int64_t columns() const;
  /// The filter's layout: taps of all channels one after the other in NHWC,
  /// dense in NCHW.
  mlir::Attribute filterLayout() const;
  /// Registers that hold what is loaded of a line of taps.
  int64_t registersOfLine() const;
  /// Whether lines of taps, or columns of one, are no loop.
  bool unrollsLines() const;
  bool unrollsColumns() const { return g().filterWidth <= 16; }
  /// Blocks per SM that the assembler is to keep to, 0 for as it likes.
  int64_t minBlocksPerSm() const;
  /// A rough time: the device's memory, and instructions.
  double estimateUs(const DeviceProfile &profile) const;
};

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_CONV_DEPTHWISE_DEPTHWISEGEOMETRY_H
