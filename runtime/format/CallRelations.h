// SPDX-License-Identifier: Apache-2.0
//
// Relations between operands of a library call, whichever library computes it.

#ifndef MINIC_RUNTIME_FORMAT_CALLRELATIONS_H
#define MINIC_RUNTIME_FORMAT_CALLRELATIONS_H

#include "runtime/format/CallDescription.h"

namespace minic::format {

/// lhs * rhs has result's shape; their ranks agree, and batch dimensions of lhs
/// and rhs are result's or 1.
absl::Status relateProduct(const CallDescription &call);
/// input and filter with strides, pads, dilations and groups give result's
/// shape.
absl::Status relateConvolution(const CallDescription &call);
/// `axis` is one of input's dimensions.
absl::Status relateSoftmax(const CallDescription &call);
/// `epsilon` is finite in f32.
absl::Status relateLayerNorm(const CallDescription &call);
/// result has the dimensions of input, or 1.
absl::Status relateReduction(const CallDescription &call);
/// query [B, H, T, D], key [B, G, S, D], value [B, G, S, E] and result
/// [B, H, T, E], G a divisor of H; bias broadcasts to [B, H, T, S]. `scale` is
/// finite in f32.
absl::Status relateAttention(const CallDescription &call);
/// `compute` tf32 is arithmetic of f32 operands; the first one tells.
absl::Status relateCompute(const CallDescription &call);
/// aux is there for gelu_tanh alone.
absl::Status relateAux(const CallDescription &call);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLRELATIONS_H
