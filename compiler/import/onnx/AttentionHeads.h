// SPDX-License-Identifier: Apache-2.0
//
// AttentionHeads: what the attentions of ONNX and of ONNX Runtime share.

#ifndef MINIC_COMPILER_IMPORT_ONNX_ATTENTIONHEADS_H
#define MINIC_COMPILER_IMPORT_ONNX_ATTENTIONHEADS_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// [B, length, heads * size] as [B, heads, length, size].
Value splitHeads(Node &n, const Value &x, int64_t heads);

/// [B, heads, length, size] as [B, length, heads * size].
Value joinHeads(Node &n, const Value &x);

/// Of one graph.attention; operands are [B, heads, length, size].
struct AttentionTerms {
  Value query, key, value;
  /// False where there is none. A float is cast to the query's dtype.
  Value mask = {}, keyLength = {};
  double scale = 1;
  /// 0 for none.
  double softCap = 0;
  graph::Causal causal = graph::Causal::None;
};

Value attend(Node &n, AttentionTerms terms);

/// Which keys a query may attend, [queries, keys], or [B, 1, queries, keys]
/// where there is a key length. Query t is at position t + `past`, or, with a
/// key length, the last one at that of the last key. It sees keys from `left`
/// before it, or all, to `right` after it, or all; both negative for all.
struct AttentionWindow {
  int64_t queries, keys;
  int64_t past = 0;
  Value keyLength = {};
  int64_t left = -1, right = -1;
};

Value windowMask(Node &n, const AttentionWindow &window);

/// What cos and sin caches say of x, [B, heads, T, D]: the caches are
/// [B, T, P], or [1, T, P].
Value rotate(Node &n, const Value &x, const Value &cosine, const Value &sine,
             bool interleaved);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_ATTENTIONHEADS_H
