// SPDX-License-Identifier: Apache-2.0
//
// convolve: the convolution that a node's attributes describe.

#ifndef MINIC_COMPILER_IMPORT_ONNX_CONVOLVE_H
#define MINIC_COMPILER_IMPORT_ONNX_CONVOLVE_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// Of floats x, [N, C, L] or [N, C, H, W], and `filter`, with a bias per
/// channel or a false value. The node fails where minic lacks it.
Value convolve(Node &n, const Value &x, const Value &filter, const Value &bias);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_CONVOLVE_H
