// SPDX-License-Identifier: Apache-2.0
//
// GroupQueryAttention of ONNX Runtime: decoders' attention, with a cache of
// keys and values of which each sequence has used a length of its own.

#include "compiler/import/onnx/AttentionHeads.h"
#include "compiler/import/onnx/OpTable.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minic {

using graph::Causal;
using ::onnx::TensorProto;

/// Sequences whose updates of the cache are written out.
static constexpr int64_t maxRows = 4096;

namespace {

struct Cached {
  /// [B, heads, length, size]; keys and values are those of this call.
  Value query, key, value;
  /// Keys that each sequence has after this call, [B].
  Value lengths;
  /// Elements of the longest sequence, and of the cache.
  int64_t total = 0, capacity = 0;

  int64_t queries() const { return query.dims[2]; }
  /// Whether there is nothing before the queries.
  bool isPrompt() const { return queries() == total; }
};

} // namespace

/// Heads of query, key and value; all of them in the query where it is alone.
static std::optional<Cached> headsOf(Node &n) {
  int64_t heads = n.intOf("num_heads", 0), groups = n.intOf("kv_num_heads", 0);
  Value query = n.operand(0);
  if (n.failed() || query.rank() != 3 || heads < 1 || groups < 1 ||
      heads > query.dims[2] || heads % groups != 0 || n.has(1) != n.has(2)) {
    n.fail("expected [B, length, size] and heads in groups");
    return std::nullopt;
  }
  Cached cached;
  if (n.has(1)) {
    cached.query = splitHeads(n, query, heads);
    cached.key = splitHeads(n, n.operand(1), groups);
    cached.value = splitHeads(n, n.operand(2), groups);
  } else {
    Value all = splitHeads(n, query, heads + 2 * groups);
    cached.query = n.e.sliceAxis(all, 1, 0, heads);
    cached.key = n.e.sliceAxis(all, 1, heads, heads + groups);
    cached.value = n.e.sliceAxis(all, 1, heads + groups, heads + 2 * groups);
  }
  std::optional<double> total = n.knownNumber(6);
  Value last = n.operand(5);
  if (n.failed() || last.elements() != query.dims[0] || *total < 1 ||
      *total > double(1 << 30) || cached.queries() > int64_t(*total)) {
    n.fail("expected a length per sequence and a known total_sequence_length");
    return std::nullopt;
  }
  Value line = n.e.reshape(last, {query.dims[0]});
  cached.lengths = n.e.add(line, n.e.scalar(1, line));
  cached.total = int64_t(*total);
  cached.capacity = cached.total;
  if (n.has(3) && n.operand(3).rank() == 4) {
    cached.capacity = std::max(cached.capacity, n.operand(3).dims[2]);
  }
  return cached;
}

/// Positions of the queries, [B, length].
static Value positions(Node &n, const Cached &cached) {
  if (n.has(9)) {
    return n.operand(9);
  }
  int64_t batch = cached.query.dims[0], length = cached.queries();
  Value steps = n.e.iota(cached.lengths.dataType, {1, length}, 1);
  if (cached.isPrompt()) {
    return n.e.expand(steps, {batch, length});
  }
  Value start =
      n.e.sub(cached.lengths, n.e.scalar(double(length), cached.lengths));
  return n.e.add(n.e.reshape(start, {batch, 1}), steps);
}

/// The cache with `fresh` behind what each sequence has.
static Value updated(Node &n, const Cached &cached, unsigned past,
                     const Value &fresh) {
  int64_t length = cached.queries();
  auto filled = [&](const Value &x) {
    Dims none(4, 0), zeros(4, 0);
    zeros[2] = cached.capacity - (x ? x.dims[2] : 0);
    return n.e.pad(x, none, zeros, 0);
  };
  if (cached.isPrompt()) {
    return filled(fresh);
  }
  Value cache = n.operand(past);
  if (n.failed() || cache.rank() != 4 || cache.dims[0] != fresh.dims[0]) {
    return n.fail("expected a past of four dimensions");
  }
  if (fresh.dims[0] > maxRows) {
    return n.fail(llvm::Twine(fresh.dims[0]) + " sequences, at most " +
                  llvm::Twine(maxRows) + " are written out");
  }
  cache = filled(cache);
  Value starts =
      n.e.sub(cached.lengths, n.e.scalar(double(length), cached.lengths));
  std::vector<Value> rows;
  for (int64_t i = 0; i < fresh.dims[0]; ++i) {
    mlir::Value row = n.e.graph(n.e.sliceAxis(cache, 0, i, i + 1)),
                update = n.e.graph(n.e.sliceAxis(fresh, 0, i, i + 1)),
                at = n.e.graph(
                    n.e.reshape(n.e.sliceAxis(starts, 0, i, i + 1), {}));
    if (n.failed()) {
      return {};
    }
    rows.push_back(
        n.e.emit<graph::CacheUpdateOp>(row, update, at, uint64_t(2)));
  }
  return n.e.concat(rows, 0);
}

static void groupQueryAttention(Node &n) {
  std::optional<Cached> cached = headsOf(n);
  if (!cached) {
    return;
  }
  if (n.intOf("smooth_softmax", 0) > 0 || n.has(11) || n.wants(3)) {
    n.fail("smooth_softmax, head_sink or output_qk");
    return;
  }
  if (n.intOf("do_rotary", 0)) {
    Value at = positions(n, *cached);
    Value cosine = n.e.gather(n.operand(7), at, 0);
    Value sine = n.e.gather(n.operand(8), at, 0);
    bool interleaved = n.intOf("rotary_interleaved", 0);
    cached->query = rotate(n, cached->query, cosine, sine, interleaved);
    cached->key = rotate(n, cached->key, cosine, sine, interleaved);
  }
  if (n.failed()) {
    return;
  }
  Value keys = updated(n, *cached, 3, cached->key),
        values = updated(n, *cached, 4, cached->value);
  if (n.failed()) {
    return;
  }
  n.set(1, keys);
  n.set(2, values);
  // What is behind the longest sequence takes no part.
  AttentionTerms terms{cached->query, n.e.sliceAxis(keys, 2, 0, cached->total),
                       n.e.sliceAxis(values, 2, 0, cached->total)};
  terms.keyLength = cached->lengths;
  terms.softCap = n.floatOf("softcap", 0);
  terms.scale = n.floatOf("scale", 0);
  if (terms.scale == 0) {
    terms.scale = 1 / std::sqrt(double(cached->query.dims[3]));
  }
  int64_t window = n.intOf("local_window_size", -1);
  AttentionWindow seen{cached->queries(), cached->total};
  seen.keyLength = cached->isPrompt() ? Value() : cached->lengths;
  seen.left = window > 0 ? window - 1 : -1;
  seen.right = 0;
  if (cached->isPrompt() && window <= 0) {
    terms.causal = Causal::UpperLeft;
  } else if (cached->queries() > 1 || window > 0) {
    terms.mask = windowMask(n, seen);
  }
  if (n.has(10)) {
    Value bias = n.operand(10);
    terms.mask =
        terms.mask
            ? n.e.select(
                  terms.mask, bias,
                  n.e.scalar(-std::numeric_limits<double>::infinity(), bias))
            : bias;
  }
  if (Value result = attend(n, terms)) {
    n.set(0, joinHeads(n, result));
  }
}

llvm::ArrayRef<OpEntry> groupQueryOps() {
  static const OpEntry table[] = {
      microsoftOp("GroupQueryAttention", groupQueryAttention,
                  "known total_sequence_length"),
  };
  return table;
}

} // namespace minic
