// SPDX-License-Identifier: Apache-2.0
//
// Attentions of ONNX Runtime, in the domain com.microsoft.

#include "compiler/import/onnx/AttentionHeads.h"
#include "compiler/import/onnx/OpTable.h"

#include <cmath>

namespace minic {

using graph::Causal;
using graph::ComparePredicate;
using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// What a mask adds to scores, 0 or the filter value, as [B, 1, queries or 1,
/// keys]. A mask has a 1 for each key that takes part, per row or per query; or
/// it is the number of keys per row, or these followed by first keys.
static Value additiveMask(Node &n, const Value &mask, const Value &query,
                          int64_t queries, int64_t keys) {
  if (!mask) {
    return {};
  }
  if (mask.isFloat()) {
    return n.fail("a mask of floats");
  }
  int64_t batch = query.dims[0];
  Value allowed;
  if (mask.rank() == 1 &&
      (mask.dims[0] == batch || mask.dims[0] == 2 * batch)) {
    Value column = n.e.iota(mask.dataType, {1, 1, 1, keys}, 3);
    auto bounds = [&](int64_t begin) {
      return n.e.reshape(n.e.sliceAxis(mask, 0, begin, begin + batch),
                         {batch, 1, 1, 1});
    };
    allowed = n.e.compare(ComparePredicate::Lt, column, bounds(0));
    if (mask.dims[0] == 2 * batch) {
      allowed = n.e.bitAnd(
          allowed, n.e.compare(ComparePredicate::Ge, column, bounds(batch)));
    }
  } else {
    Value whole = mask;
    if (mask.rank() == 2 && mask.dims[1] == keys) {
      whole = n.e.reshape(mask, {mask.dims[0], 1, 1, keys});
    } else if (mask.rank() == 3 && mask.dims[1] == queries &&
               mask.dims[2] == keys) {
      whole = n.e.reshape(mask, {mask.dims[0], 1, queries, keys});
    } else {
      return n.fail("a mask of " + llvm::Twine(mask.rank()) + " dimensions");
    }
    allowed = n.e.compare(ComparePredicate::Gt, whole, n.e.scalar(0, whole));
  }
  Value zero = n.e.scalar(0, query);
  return n.e.select(allowed, zero,
                    n.e.scalar(n.floatOf("mask_filter_value", -10000), zero));
}

/// The sum of what is there.
static Value sumOf(Node &n, const Value &x, const Value &y) {
  return x && y ? n.e.add(x, y) : x ? x : y;
}

//===----------------------------------------------------------------------===//
// Attention with its projections, MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Attention of heads [B, heads, length, size], whose past comes first.
static void attendHeads(Node &n, AttentionTerms terms, int64_t past) {
  if (n.failed()) {
    return;
  }
  terms.scale = n.floatOf("scale", 0);
  if (terms.scale == 0) {
    terms.scale = 1 / std::sqrt(double(terms.query.dims[3]));
  }
  if (n.intOf("unidirectional", 0)) {
    bool isSelf = terms.key.dims[2] == past + terms.query.dims[2];
    if (!isSelf) {
      n.fail("unidirectional with other keys than those of the queries");
      return;
    }
    terms.causal = past ? Causal::LowerRight : Causal::UpperLeft;
  }
  if (Value result = attend(n, terms)) {
    n.set(0, joinHeads(n, result));
  }
}

/// Projects with [hidden, queries + keys + values]; the past and the present
/// are [2, B, heads, length, size].
static void attention(Node &n) {
  Value x = n.operand(0), weights = n.operand(1);
  int64_t heads = n.intOf("num_heads", 0);
  if (n.failed() || x.rank() != 3 || weights.rank() != 2 || n.has(6) ||
      n.intOf("do_rotary", 0) || n.intOf("past_present_share_buffer", 0)) {
    n.fail("past_sequence_length, do_rotary or operands of these ranks");
    return;
  }
  Dims sizes =
      n.intsOf("qkv_hidden_sizes").value_or(Dims(3, weights.dims[1] / 3));
  auto isPart = [&](int64_t size) {
    return size >= 1 && size <= weights.dims[1];
  };
  if (sizes.size() != 3 || !llvm::all_of(sizes, isPart) ||
      sizes[0] + sizes[1] + sizes[2] != weights.dims[1]) {
    n.fail("expected weights for queries, keys and values");
    return;
  }
  mlir::Value lhs = n.e.graph(x), rhs = n.e.graph(weights);
  if (n.failed()) {
    return;
  }
  Value all = n.e.emit<graph::MatmulOp>(lhs, rhs, false, false);
  all = n.has(2) ? n.e.add(all, n.operand(2)) : all;
  auto part = [&](int64_t begin, int64_t size) {
    return splitHeads(n, n.e.sliceAxis(all, 2, begin, begin + size), heads);
  };
  AttentionTerms terms{part(0, sizes[0]), part(sizes[0], sizes[1]),
                       part(sizes[0] + sizes[1], sizes[2])};
  int64_t past = 0;
  if (n.has(4) && !n.failed()) {
    Value given = n.operand(4);
    if (given.rank() != 5 || given.dims[0] != 2) {
      n.fail("expected a past of [2, B, heads, length, size]");
      return;
    }
    past = given.dims[3];
    auto half = [&](int64_t i) {
      return n.e.reshape(
          n.e.sliceAxis(given, 0, i, i + 1),
          Dims(llvm::ArrayRef<int64_t>(given.dims).drop_front()));
    };
    terms.key = n.e.concat({half(0), terms.key}, 2);
    terms.value = n.e.concat({half(1), terms.value}, 2);
  }
  if (n.failed()) {
    return;
  }
  if (n.wants(1)) {
    auto line = [&](const Value &value) {
      Dims dims = {1};
      llvm::append_range(dims, value.dims);
      return n.e.reshape(value, dims);
    };
    n.set(1, n.e.concat({line(terms.key), line(terms.value)}, 0));
  }
  Value mask = n.has(3) ? additiveMask(n, n.operand(3), terms.query,
                                       terms.query.dims[2], terms.key.dims[2])
                        : Value();
  terms.mask = sumOf(n, mask, n.optionalOperand(5));
  attendHeads(n, terms, past);
}

/// Entry `i` of `count` in the fourth dimension of [B, length, heads, count,
/// size], as heads.
static Value unpack(Node &n, const Value &x, int64_t i, int64_t count) {
  if (x.rank() != 5 || x.dims[3] != count) {
    return n.fail("expected " + llvm::Twine(count) +
                  " packed operands of five dimensions");
  }
  Value part = n.e.reshape(n.e.sliceAxis(x, 3, i, i + 1),
                           {x.dims[0], x.dims[1], x.dims[2], x.dims[4]});
  return n.e.transpose(part, {0, 2, 1, 3});
}

/// The three operands as heads, however they are packed; the bias, one for all
/// three, added where they are not heads yet.
static std::optional<AttentionTerms> multiHeads(Node &n, int64_t heads) {
  Value query = n.operand(0), bias = n.optionalOperand(3);
  int64_t at = 0;
  auto biased = [&](const Value &x) {
    if (!bias || !x) {
      return x;
    }
    int64_t size = x.dims[1] * x.dims[3];
    if (bias.rank() != 1 || size > bias.dims[0] - at) {
      return n.fail("a bias that does not fit");
    }
    Value part = n.e.sliceAxis(bias, 0, at, at + size);
    at += size;
    return n.e.add(x, n.e.reshape(part, {1, x.dims[1], 1, x.dims[3]}));
  };
  auto headsOf = [&](const Value &x) {
    return x && x.rank() == 4 ? x : biased(splitHeads(n, x, heads));
  };
  if (n.failed()) {
    return std::nullopt;
  }
  AttentionTerms terms;
  if (!n.has(1)) {
    terms = {biased(unpack(n, query, 0, 3)), biased(unpack(n, query, 1, 3)),
             biased(unpack(n, query, 2, 3))};
  } else if (!n.has(2)) {
    terms.query = headsOf(query);
    terms.key = biased(unpack(n, n.operand(1), 0, 2));
    terms.value = biased(unpack(n, n.operand(1), 1, 2));
  } else {
    terms.query = headsOf(query);
    terms.key = headsOf(n.operand(1));
    terms.value = headsOf(n.operand(2));
  }
  return n.failed() ? std::nullopt : std::optional(terms);
}

static void multiHeadAttention(Node &n) {
  std::optional<AttentionTerms> terms = multiHeads(n, n.intOf("num_heads", 0));
  if (!terms) {
    return;
  }
  if (n.has(8) || n.has(9) || n.has(6) != n.has(7)) {
    n.fail("past_sequence_length, cache_indirection, or half of a past");
    return;
  }
  int64_t past = 0;
  if (n.has(6)) {
    Value key = n.operand(6), value = n.operand(7);
    if (key.rank() != 4 || value.rank() != 4) {
      n.fail("expected a past of four dimensions");
      return;
    }
    past = key.dims[2];
    terms->key = n.e.concat({key, terms->key}, 2);
    terms->value = n.e.concat({value, terms->value}, 2);
  }
  if (n.failed()) {
    return;
  }
  n.set(1, terms->key);
  n.set(2, terms->value);
  Value mask = n.has(4) ? additiveMask(n, n.operand(4), terms->query,
                                       terms->query.dims[2], terms->key.dims[2])
                        : Value();
  terms->mask = sumOf(n, mask, n.optionalOperand(5));
  attendHeads(n, *terms, past);
}

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

/// Caches are [positions, P]; position_ids are [B, T], or the first one.
static void rotaryEmbedding(Node &n) {
  Value x = n.operand(0), ids = n.operand(1), cosine = n.operand(2),
        sine = n.operand(3);
  if (n.failed()) {
    return;
  }
  if ((x.rank() != 3 && x.rank() != 4) || cosine.rank() != 2 ||
      sine.rank() != 2 || n.intOf("is_packed_batching", 0) ||
      n.floatOf("scale", 1) != 1) {
    n.fail("packed batches, a scale, or operands of these ranks");
    return;
  }
  bool isFlat = x.rank() == 3;
  int64_t heads = n.intOf("num_heads", 0);
  if (isFlat) {
    int64_t size = 2 * cosine.dims[1];
    x = splitHeads(n, x,
                   heads ? heads : x.dims[2] / std::max<int64_t>(size, 1));
  }
  if (n.failed()) {
    return;
  }
  if (ids.elements() == 1) {
    Value steps = n.e.iota(ids.dataType, {1, x.dims[2]}, 1);
    ids = n.e.add(steps, n.e.reshape(ids, {1, 1}));
  }
  Value result = rotate(n, x, n.e.gather(cosine, ids, 0),
                        n.e.gather(sine, ids, 0), n.intOf("interleaved", 0));
  n.set(0, result && isFlat ? joinHeads(n, result) : result);
}

llvm::ArrayRef<OpEntry> contribAttentionOps() {
  static const OpEntry table[] = {
      microsoftOp("Attention", attention),
      microsoftOp("MultiHeadAttention", multiHeadAttention),
      microsoftOp("RotaryEmbedding", rotaryEmbedding),
  };
  return table;
}

} // namespace minic
