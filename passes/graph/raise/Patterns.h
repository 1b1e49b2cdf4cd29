// SPDX-License-Identifier: Apache-2.0
//
// The patterns of graph-raise, one function for each file beside this one. A
// pattern replaces the last op of what it matches. What others still read of
// the rest stays, so a match never changes another result.

#ifndef MINIC_PASSES_GRAPH_RAISE_PATTERNS_H
#define MINIC_PASSES_GRAPH_RAISE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace minic::graph {

/// Two products with a softmax between them.
void populateRaiseAttention(mlir::RewritePatternSet &patterns);

/// One constant a channel, of an f32 convolution or linear by constants, goes
/// into its filter or its bias: a batch norm disappears.
void populateRaiseChannelAffine(mlir::RewritePatternSet &patterns);

/// relu, clamp, hard_sigmoid, hard_swish.
void populateRaiseClamp(mlir::RewritePatternSet &patterns);

/// Pointwise ops of flattened images.
void populateRaiseFlatPixels(mlir::RewritePatternSet &patterns);

/// Linears between reshapes.
void populateRaiseFlatRows(mlir::RewritePatternSet &patterns);

/// Gathers that are slices.
void populateRaiseGather(mlir::RewritePatternSet &patterns);

/// gelu, with erf and with tanh.
void populateRaiseGelu(mlir::RewritePatternSet &patterns);

/// group_norm.
void populateRaiseGroupNorm(mlir::RewritePatternSet &patterns);

/// Products with constant matrices, and their biases.
void populateRaiseLinear(mlir::RewritePatternSet &patterns);

/// Rotary embeddings.
void populateRaiseRotary(mlir::RewritePatternSet &patterns);

/// rms_norm and layer_norm.
void populateRaiseRowNorms(mlir::RewritePatternSet &patterns);

/// Constants of one element.
void populateRaiseScalars(mlir::RewritePatternSet &patterns);

/// sigmoid, silu, softplus, mish.
void populateRaiseSigmoid(mlir::RewritePatternSet &patterns);

/// softmax and log_softmax.
void populateRaiseSoftmax(mlir::RewritePatternSet &patterns);

/// One form of every attention: masks, heads, scale.
void populateSimplifyAttention(mlir::RewritePatternSet &patterns);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_RAISE_PATTERNS_H
