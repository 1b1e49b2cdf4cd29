// SPDX-License-Identifier: Apache-2.0
//
// Attention of opset 23 on, and rotary embeddings.

#include "compiler/import/onnx/AttentionHeads.h"
#include "compiler/import/onnx/OpTable.h"

#include <cmath>
#include <limits>

namespace minic {

using graph::Causal;
using graph::ComparePredicate;
using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {

/// The operands of one Attention, as [B, heads, length, size].
struct Heads {
  Value query, key, value;
  /// Whether they came as [B, length, heads * size].
  bool isFlat = false;
  int64_t pastLength = 0;

  int64_t queries() const { return query.dims[2]; }
  int64_t keys() const { return key.dims[2]; }
};

} // namespace

static std::optional<Heads> headsOf(Node &n) {
  Heads heads{n.operand(0), n.operand(1), n.operand(2)};
  if (n.failed()) {
    return std::nullopt;
  }
  int64_t rank = heads.query.rank();
  if ((rank != 3 && rank != 4) || heads.key.rank() != rank ||
      heads.value.rank() != rank) {
    n.fail("expected query, key and value of 3 or 4 dimensions");
    return std::nullopt;
  }
  heads.isFlat = rank == 3;
  if (heads.isFlat) {
    int64_t ofKeys = n.intOf("kv_num_heads", 0);
    heads.query = splitHeads(n, heads.query, n.intOf("q_num_heads", 0));
    heads.key = splitHeads(n, heads.key, ofKeys);
    heads.value = splitHeads(n, heads.value, ofKeys);
  }
  if (n.has(4) != n.has(5)) {
    n.fail("expected past_key and past_value together");
  }
  if (n.has(4) && !n.failed()) {
    if (n.operand(4).rank() != 4) {
      n.fail("expected past_key and past_value of 4 dimensions");
      return std::nullopt;
    }
    heads.pastLength = n.operand(4).dims[2];
    heads.key = n.e.concat({n.operand(4), heads.key}, 2);
    heads.value = n.e.concat({n.operand(5), heads.value}, 2);
  }
  return n.failed() ? std::nullopt : std::optional<Heads>(heads);
}

/// The mask that was given, as long as there are keys; one that is shorter
/// leaves out the rest.
static Value givenMask(Node &n, int64_t keys) {
  if (!n.has(3)) {
    return {};
  }
  Value mask = n.operand(3);
  if (!mask || mask.rank() == 0) {
    return n.fail("a mask that is a scalar");
  }
  int64_t missing = keys - mask.dims.back();
  if (missing <= 0 || mask.dims.back() == 1) {
    return mask;
  }
  Dims before(mask.rank(), 0), after(mask.rank(), 0);
  after.back() = missing;
  if (mask.dataType != TensorProto::BOOL) {
    return n.e.pad(mask, before, after,
                   -std::numeric_limits<double>::infinity());
  }
  Dims rest = mask.dims;
  rest.back() = missing;
  return n.e.concat({mask, n.e.splat(TensorProto::BOOL, rest, 0)},
                    mask.rank() - 1);
}

/// `mask` and what `allowed` allows, as one mask.
static Value both(Node &n, const Value &mask, const Value &allowed) {
  if (!mask) {
    return allowed;
  }
  if (mask.dataType == TensorProto::BOOL) {
    return n.e.bitAnd(mask, allowed);
  }
  return n.e.select(allowed, mask,
                    n.e.scalar(-std::numeric_limits<double>::infinity(), mask));
}

/// The scores that ONNX calls qk_matmul_output: products, then with soft cap
/// and mask, or as probabilities.
static Value scores(Node &n, const Heads &heads, const Value &mask,
                    double scale, double softCap, int64_t mode) {
  Value key = heads.key;
  int64_t group = heads.query.dims[1] / std::max<int64_t>(key.dims[1], 1);
  if (group > 1) {
    Dims dims = key.dims;
    key = n.e.reshape(key, {dims[0], dims[1], 1, dims[2], dims[3]});
    key = n.e.expand(key, {dims[0], dims[1], group, dims[2], dims[3]});
    key = n.e.reshape(key, {dims[0], dims[1] * group, dims[2], dims[3]});
  }
  mlir::Value lhs = n.e.graph(heads.query), rhs = n.e.graph(key);
  if (!lhs || !rhs) {
    return {};
  }
  Value score = n.e.emit<graph::MatmulOp>(lhs, rhs, false, true);
  score = n.e.mul(score, n.e.scalar(scale, score));
  auto cap = [&] {
    if (softCap > 0) {
      Value bound = n.e.scalar(softCap, score);
      Value ratio = n.e.div(score, bound);
      score = n.e.mul(bound, n.e.unary<graph::TanhOp>(ratio, nullptr));
    }
  };
  auto add = [&] {
    if (!mask) {
      return;
    }
    double infinity = std::numeric_limits<double>::infinity();
    score = mask.dataType == TensorProto::BOOL
                ? n.e.select(mask, score, n.e.scalar(-infinity, score))
                : n.e.add(score, n.e.cast(mask, score.dataType));
  };
  if (mode >= 1) {
    cap();
  }
  if (mode >= 2) {
    add();
  }
  if (mode < 3) {
    return score;
  }
  mlir::Value operand = n.e.graph(score);
  if (!operand) {
    return {};
  }
  // A query without keys has no probabilities: 0, where softmax has NaN.
  Value soft = n.e.emit<graph::SoftmaxOp>(operand, uint64_t(3));
  Value isNan = n.e.compare(ComparePredicate::Ne, soft, soft);
  return mask ? n.e.select(isNan, n.e.scalar(0, soft), soft) : soft;
}

static void attention(Node &n) {
  std::optional<Heads> heads = headsOf(n);
  if (!heads) {
    return;
  }
  double scale =
      n.floatOf("scale", 1 / std::sqrt(double(heads->query.dims[3])));
  double softCap = n.floatOf("softcap", 0);
  Value keyLength = n.optionalOperand(6);
  int64_t left = n.intOf("left_window_size", -1);
  int64_t right = n.intOf("right_window_size", -1);
  Value mask = givenMask(n, heads->keys());
  Causal causal = Causal::None;
  Value wholeMask = mask;
  if (n.intOf("is_causal", 0)) {
    Value allowed = windowMask(n, {heads->queries(), heads->keys(),
                                   heads->pastLength, keyLength, -1, 0});
    wholeMask = both(n, mask, allowed);
    if (!keyLength && heads->pastLength == 0) {
      causal = Causal::UpperLeft;
    } else if (!keyLength &&
               heads->keys() == heads->pastLength + heads->queries()) {
      causal = Causal::LowerRight;
    } else {
      mask = wholeMask;
    }
  }
  if (left >= 0 || right >= 0) {
    Value allowed = windowMask(n, {heads->queries(), heads->keys(),
                                   heads->pastLength, keyLength, left, right});
    mask = both(n, mask, allowed);
    wholeMask = both(n, wholeMask, allowed);
  }
  Value result = attend(n, {heads->query, heads->key, heads->value, mask,
                            keyLength, scale, softCap, causal});
  if (!result) {
    return;
  }
  n.set(0, heads->isFlat ? joinHeads(n, result) : result);
  n.set(1, heads->key);
  n.set(2, heads->value);
  if (n.wants(3)) {
    if (keyLength) {
      Value column = n.e.iota(TensorProto::INT64, {1, heads->keys()}, 1);
      Value exists =
          n.e.compare(ComparePredicate::Lt, column,
                      n.e.reshape(keyLength, {keyLength.elements(), 1, 1, 1}));
      wholeMask = both(n, wholeMask, exists);
    }
    n.set(3, scores(n, *heads, wholeMask, scale, softCap,
                    n.intOf("qk_matmul_output_mode", 0)));
  }
}

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

/// x is [B, heads, T, D] or [B, T, heads * D]; the caches are [B, T, P], or
/// [positions, P] that position_ids, [B, T], choose from.
static void rotaryEmbedding(Node &n) {
  Value x = n.operand(0), cosine = n.operand(1), sine = n.operand(2);
  if (n.failed()) {
    return;
  }
  bool isFlat = x.rank() == 3;
  if (isFlat) {
    x = splitHeads(n, x, n.intOf("num_heads", 0));
  }
  if (n.has(3)) {
    cosine = n.e.gather(cosine, n.operand(3), 0);
    sine = n.e.gather(sine, n.operand(3), 0);
  }
  if (n.failed() || x.rank() != 4 || cosine.rank() != 3) {
    n.fail("operands of these ranks");
    return;
  }
  int64_t size = n.intOf("rotary_embedding_dim", 0);
  if (2 * cosine.dims[2] != (size ? size : x.dims[3])) {
    n.fail("caches of " + llvm::Twine(cosine.dims[2]) + " pairs");
    return;
  }
  Value result = rotate(n, x, cosine, sine, n.intOf("interleaved", 0));
  n.set(0, result && isFlat ? joinHeads(n, result) : result);
}

llvm::ArrayRef<OpEntry> attentionOps() {
  static const OpEntry table[] = {
      {"Attention", attention, 23},
      {"RotaryEmbedding", rotaryEmbedding, 23},
  };
  return table;
}

} // namespace minic
