// SPDX-License-Identifier: Apache-2.0
//
// The kernel of an ImageFusion: units of its result one after another.

#ifndef MINIC_COMPILER_TARGET_CPU_IMAGES_EMITIMAGES_H
#define MINIC_COMPILER_TARGET_CPU_IMAGES_EMITIMAGES_H

#include "compiler/target/codegen/ImageFusion.h"
#include "compiler/target/codegen/RunBound.h"
#include "compiler/target/cpu/EpilogueEmitter.h"

namespace minic::cpu {

inline constexpr int64_t kImageLanes = 16;

/// Adds the kernel `name` to `device`: tiles of `tile` units. With a `bound`
/// units behind the images of a run are left out.
void emitImages(mlir::ModuleOp device, mlir::Location loc, llvm::StringRef name,
                kernel::FusionOp fusion, const ImageFusion &image, int64_t tile,
                const std::optional<RunBound> &bound = std::nullopt);

/// Bytes of scratch that a thread needs.
int64_t imageScratchBytes(const ImageFusion &image);

/// What both layouts emit with.
struct ImageEmitter {
  KernelBuilder &k;
  const ImageFusion &image;
  EpilogueEmitter before, after;
  mlir::Value scratch;

  mlir::Value toFloat(mlir::Value integer) const;
  /// Of a pool: what an empty window is (f32), and a state with one more
  /// element.
  mlir::Value neutral() const;
  mlir::Value combine(mlir::Value state, mlir::Value element) const;
  /// x * xWeight + y * yWeight
  mlir::Value weighed(mlir::Value x, mlir::Value xWeight, mlir::Value y,
                      mlir::Value yWeight) const;
};

/// A place in one dimension, of a window that may begin or end outside.
struct ImageWindow {
  ImageWindow(KernelBuilder &k, const graph::WindowLine &line,
              mlir::Value output);
  mlir::Value countBelow(KernelBuilder &k, int64_t bound) const;
  /// The divisor's part of this dimension, i64.
  mlir::Value count(KernelBuilder &k, bool countsPads) const;

  graph::WindowLine line;
  mlir::Value start, first, last;
};

/// Where in one dimension an element of a resize comes from. Weights are null
/// where it comes from one element.
struct ImageSource {
  ImageSource(KernelBuilder &k, const ImageFusion &image, unsigned side,
              mlir::Value output);
  mlir::Value first, second, firstWeight, secondWeight;
};

/// NHWC: result pixel number `pixel`, vectors over channels.
void emitPixel(ImageEmitter &emitter, mlir::Value pixel);

/// NCHW: lines of the result through a line in scratch.
int64_t lineScratchBytes(const ImageFusion &image);
/// What all lines share; once per call of the kernel.
void emitLineTables(ImageEmitter &emitter);
/// Result line number `line`, vectors over its width.
void emitLine(ImageEmitter &emitter, mlir::Value line);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_IMAGES_EMITIMAGES_H
