// SPDX-License-Identifier: Apache-2.0
//
// Window: what convolutions and pooling say of spatial dimensions.

#ifndef MINIC_COMPILER_IMPORT_ONNX_WINDOW_H
#define MINIC_COMPILER_IMPORT_ONNX_WINDOW_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// One value per spatial dimension.
struct Window {
  Dims kernel, strides, dilations, before, after;
};

/// Adds a dimension of 1 before the others.
void addUnitDim(Window &window);

/// [N, C, ...] without the first two.
Dims spatialOf(const Value &x);

/// Attribute `name` with `count` values; each `otherwise` where it is missing.
std::optional<Dims> perDim(Node &n, llvm::StringRef name, size_t count,
                           int64_t otherwise);

/// Strides, dilations and pads; these from auto_pad where it says so.
std::optional<Window> windowOf(Node &n, llvm::ArrayRef<int64_t> extents,
                               llvm::ArrayRef<int64_t> kernel);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_WINDOW_H
