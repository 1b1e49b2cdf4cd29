# SPDX-License-Identifier: Apache-2.0
"""Cases of contrib_tests.py: attentions and rotary embeddings."""

import math

import numpy

from contrib_cases import Case, integers, random, single


def split(x, heads):
    batch, length, hidden = x.shape
    return x.reshape(batch, length, heads, hidden // heads).swapaxes(1, 2)


def join(x):
    batch, heads, length, size = x.shape
    return x.swapaxes(1, 2).reshape(batch, length, heads * size)


def attend(query, key, value, added=0.0, scale=None):
    """Of heads; `added` goes to the scores."""
    query, key, value = (x.astype(float) for x in (query, key, value))
    group = query.shape[1] // key.shape[1]
    key, value = key.repeat(group, 1), value.repeat(group, 1)
    scores = query @ key.swapaxes(2, 3)
    scores = scores * (scale or 1 / math.sqrt(query.shape[3])) + added
    weights = numpy.exp(scores - scores.max(3, keepdims=True))
    return join(single(weights / weights.sum(3, keepdims=True) @ value))


def where(allowed, otherwise=-10000.0):
    return numpy.where(allowed, 0.0, otherwise)


def causal(queries, keys):
    row = numpy.arange(queries)[:, None] + keys - queries
    return where(numpy.arange(keys)[None] <= row, -numpy.inf)


def projections():
    batch, length, hidden, heads = 2, 5, 12, 3
    x, weights, bias = random(batch, length, hidden), \
        random(hidden, 36, scale=0.5), random(36)
    query, key, value = (split(part, heads) for part in
                         numpy.split(x @ weights + bias, 3, 2))
    fixed = {"weights": [1, 2], "num_heads": heads}
    column = numpy.arange(length)
    yield Case("attention", "Attention", [x, weights, bias],
               [attend(query, key, value)], **fixed)
    yield Case("attention_causal", "Attention", [x, weights, bias],
               [attend(query, key, value, causal(length, length))],
               unidirectional=1, **fixed)
    mask = (column[None] < [[5], [3]]).astype(numpy.int32)
    added = where(mask)[:, None, None]
    yield Case("attention_mask", "Attention", [x, weights, bias, mask],
               [attend(query, key, value, added)], **fixed)
    yield Case("attention_filter", "Attention", [x, weights, bias, mask],
               [attend(query, key, value, added / 5000)],
               mask_filter_value=-2.0, **fixed)
    ends = numpy.array([4, 2], numpy.int32)
    yield Case("attention_lengths", "Attention", [x, weights, bias, ends],
               [attend(query, key, value,
                       where(column < ends[:, None])[:, None, None])], **fixed)
    bounds = numpy.array([5, 4, 1, 2], numpy.int32)
    allowed = (column < bounds[:2, None]) & (column >= bounds[2:, None])
    yield Case("attention_bounds", "Attention", [x, weights, bias, bounds],
               [attend(query, key, value, where(allowed)[:, None, None])],
               **fixed)
    each = integers(2, batch, length, length)
    each[:, :, 0] = 1
    yield Case("attention_mask_3d", "Attention", [x, weights, bias, each],
               [attend(query, key, value, where(each)[:, None])], **fixed)
    bias4 = random(1, heads, length, length)
    yield Case("attention_bias", "Attention",
               [x, weights, bias, None, None, bias4],
               [attend(query, key, value, bias4)], **fixed)
    past = random(2, batch, heads, 4, 4)
    present = numpy.stack([numpy.concatenate([past[0], key], 2),
                           numpy.concatenate([past[1], value], 2)])
    yield Case("attention_past", "Attention",
               [x, weights, bias, None, past],
               [attend(query, *present, causal(length, 9)), single(present)],
               unidirectional=1, **fixed)
    sizes = [12, 12, 6]
    wide = random(hidden, 30, scale=0.5)
    parts = numpy.split(x @ wide, [12, 24], 2)
    yield Case("attention_sizes", "Attention", [x, wide, None],
               [attend(*(split(part, heads) for part in parts), scale=0.3)],
               weights=[1], num_heads=heads, qkv_hidden_sizes=sizes, scale=0.3)


def multi_head():
    batch, heads, size, queries, keys = 2, 3, 4, 5, 7
    hidden = heads * size
    q, k, v = random(batch, queries, hidden), random(batch, keys, hidden), \
        random(batch, keys, hidden)
    bias = random(3 * hidden)
    biased = [split(x + part, heads) for x, part in
              zip((q, k, v), numpy.split(bias, 3))]
    plain = [split(x, heads) for x in (q, k, v)]
    op, fixed = "MultiHeadAttention", {"num_heads": heads}
    yield Case("multi_head", op, [q, k, v], [attend(*plain)], **fixed)
    yield Case("multi_head_bias", op, [q, k, v, bias], [attend(*biased)],
               weights=[3], **fixed)
    mask = (numpy.arange(keys)[None] < [[7], [3]]).astype(numpy.int32)
    added = where(mask)[:, None, None]
    yield Case("multi_head_mask", op, [q, k, v, None, mask],
               [attend(*plain, added)], **fixed)
    bias4 = random(batch, heads, queries, keys)
    yield Case("multi_head_attention_bias", op,
               [q, k, v, None, mask, bias4],
               [attend(*plain, added + bias4)], **fixed)
    lengths = numpy.array([6, 2], numpy.int32)
    allowed = numpy.arange(keys) < lengths[:, None]
    yield Case("multi_head_lengths", op, [q, k, v, None, lengths],
               [attend(*plain, where(allowed)[:, None, None])], **fixed)
    yield Case("multi_head_cross", op, [q, plain[1].copy(), plain[2].copy()],
               [attend(*plain, scale=0.3)], scale=0.3, **fixed)
    packed = random(batch, keys, heads, 2, size)
    yield Case("multi_head_packed_keys", op, [q, packed],
               [attend(plain[0], *(packed[:, :, :, i].swapaxes(1, 2)
                                   for i in range(2)))], **fixed)
    packed = random(batch, queries, heads, 3, size)
    yield Case("multi_head_packed", op, [packed],
               [attend(*(packed[:, :, :, i].swapaxes(1, 2)
                         for i in range(3)))], **fixed)
    own = [split(x, heads) for x in (q, k[:, :queries], v[:, :queries])]
    yield Case("multi_head_causal", op,
               [q, k[:, :queries].copy(), v[:, :queries].copy()],
               [attend(*own, causal(queries, queries))], unidirectional=1,
               **fixed)
    past = [random(batch, heads, 3, size) for _ in range(2)]
    present = [numpy.concatenate([old, new], 2)
               for old, new in zip(past, own[1:])]
    yield Case("multi_head_past", op,
               [q, k[:, :queries].copy(), v[:, :queries].copy(), None, None,
                None, *past],
               [attend(own[0], *present), *present], **fixed)


def rotated(x, cosine, sine, interleaved=False):
    """x is [B, heads, T, D]; cosine and sine [B, T, P]."""
    pairs = cosine.shape[-1]
    cosine, sine = cosine[:, None], sine[:, None]
    first = slice(0, 2 * pairs, 2) if interleaved else slice(0, pairs)
    second = slice(1, 2 * pairs, 2) if interleaved else slice(pairs, 2 * pairs)
    result = x.copy()
    result[..., first] = x[..., first] * cosine - x[..., second] * sine
    result[..., second] = x[..., first] * sine + x[..., second] * cosine
    return result


def rotary():
    batch, heads, length, size = 2, 3, 5, 8
    x = random(batch, heads, length, size)
    cosine, sine = random(16, 4), random(16, 4)
    ids = integers(16, batch, length).astype(numpy.int64)
    op, fixed = "RotaryEmbedding", {"weights": [2, 3]}
    yield Case("rotary", op, [x, ids, cosine, sine],
               [rotated(x, cosine[ids], sine[ids])], **fixed)
    yield Case("rotary_interleaved", op, [x, ids, cosine, sine],
               [rotated(x, cosine[ids], sine[ids], True)], interleaved=1,
               **fixed)
    start = numpy.array([3], numpy.int64)
    places = numpy.tile(numpy.arange(3, 3 + length), (batch, 1))
    turned = join(rotated(x, cosine[places], sine[places]))
    yield Case("rotary_flat", op, [join(x), start, cosine, sine], [turned],
               **fixed)
    half = [cosine[:, :2].copy(), sine[:, :2].copy()]
    yield Case("rotary_part", op, [join(x), ids, *half],
               [join(rotated(x, half[0][ids], half[1][ids]))],
               num_heads=heads, rotary_embedding_dim=4, **fixed)


def grouped():
    """Sequences have lengths of their own; the cache is longer than they are."""
    batch, heads, groups, size = 2, 4, 2, 16
    op = "GroupQueryAttention"
    fixed = {"num_heads": heads, "kv_num_heads": groups}

    def operands(length):
        return (random(batch, length, heads * size),
                random(batch, length, groups * size),
                random(batch, length, groups * size))

    # A prompt of 6, all of it there.
    q, k, v = operands(6)
    parts = split(q, heads), split(k, groups), split(v, groups)
    last = numpy.full(batch, 5, numpy.int32)
    total = numpy.array(6, numpy.int32)
    prompt = [attend(*parts, causal(6, 6)), parts[1].copy(), parts[2].copy()]
    yield Case("grouped_prompt", op, [q, k, v, None, None, last, total], prompt,
               weights=[6], **fixed)
    packed = numpy.concatenate([q, k, v], 2)
    yield Case("grouped_packed", op,
               [packed, None, None, None, None, last, total], prompt,
               weights=[6], **fixed)
    row, column = numpy.arange(6)[:, None], numpy.arange(6)[None]
    near = where((column <= row) & (column > row - 3), -numpy.inf)
    yield Case("grouped_window", op, [q, k, v, None, None, last, total],
               [attend(*parts, near), *prompt[1:]], weights=[6],
               local_window_size=3, **fixed)
    cosine, sine = random(16, 8), random(16, 8)
    places = numpy.tile(numpy.arange(6), (batch, 1))
    turned = [rotated(x, cosine[places], sine[places]) for x in parts[:2]]
    yield Case("grouped_rotary", op,
               [q, k, v, None, None, last, total, cosine, sine],
               [attend(*turned, parts[2], causal(6, 6)), turned[1], parts[2]],
               weights=[6, 7, 8], do_rotary=1, **fixed)
    # A step: 9 places, of which the sequences have used 7 and 4 with this one.
    q, k, v = operands(1)
    parts = split(q, heads), split(k, groups), split(v, groups)
    last = numpy.array([6, 3], numpy.int32)
    total = numpy.array(7, numpy.int32)
    past = [random(batch, groups, 9, size) for _ in range(2)]
    for x in past:
        for i in range(batch):
            x[i, :, last[i]:] = 0  # what ONNX Runtime leaves there
    turned = [rotated(x, cosine[last[:, None]], sine[last[:, None]])
              for x in parts[:2]]
    present = [x.copy() for x in past]
    for i in range(batch):
        present[0][i, :, last[i]] = turned[1][i, :, 0]
        present[1][i, :, last[i]] = parts[2][i, :, 0]
    added = where(numpy.arange(9) <= last[:, None], -numpy.inf)[:, None, None]
    yield Case("grouped_step", op,
               [q, k, v, *past, last, total, cosine, sine],
               [attend(turned[0], *present, added), *present],
               weights=[6, 7, 8], do_rotary=1, **fixed)


def cases():
    return [*projections(), *multi_head(), *rotary(), *grouped()]
