# SPDX-License-Identifier: Apache-2.0
"""T5's encoder (Raffel et al., 2019): token ids and an attention mask to hidden
states. Scores are not scaled; each head adds a bias by distance."""

import dataclasses

from bert import token_inputs
from layers import (PEAKED, embedding, linear, merge_heads, rms_norm,
                    split_heads)
from model_files import Uniform, Values

EPSILON = 1e-6
BUCKETS = 32        # of distances, half of them for keys ahead
EXACT = 8           # distances with a bucket each
FARTHEST = 15       # the last bucket of a half


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int
    heads: int
    head_size: int
    hidden: int
    vocabulary: int


SIZES = {"base": Size(12, 768, 12, 64, 3072, 32128),
         "tiny": Size(2, 36, 3, 10, 52, 101)}
SEQUENCE = {"base": 128, "tiny": 21}


def bucket(distance):
    """Of a key `distance` after the query: one each up to 7, then two for
    every doubling, up to 128."""
    ahead = BUCKETS // 2 if distance > 0 else 0
    distance = abs(distance)
    if distance >= EXACT:
        # EXACT + floor(2 * log2(distance / EXACT)), in integers.
        distance = EXACT + (distance**2 // EXACT**2).bit_length() - 1
    return ahead + min(distance, FARTHEST)


def position_bias(f, size, sequence, mask):
    """[B, H, S, S], -infinity for padding."""
    table = f.weight("relative_attention_bias.weight", (BUCKETS, size.heads),
                     Uniform(0, 1))
    buckets = f.weight("relative_attention_buckets", (sequence, sequence),
                       Values(tuple(bucket(key - query)
                                    for query in range(sequence)
                                    for key in range(sequence))), "i32")
    bias = f.transpose(f.gather(table, buckets), 2, 0, 1)
    bias = f.reshape(bias, 1, size.heads, sequence, sequence)
    return f.select(mask, bias, f.minus_infinity())


def attention(f, x, name, size, bias):
    # Small enough for scores without a scale.
    peaked = PEAKED * size.head_size**-0.25
    query, key, value = (
        split_heads(f, linear(f, x, f"{name}.{part}",
                              size.heads * size.head_size, bias=False,
                              gain=gain), size.heads)
        for part, gain in (("query", peaked), ("key", peaked), ("value", 1)))
    y = f.attention(query, key, value, bias, attributes="scale = 1.0 : f64")
    return linear(f, merge_heads(f, y), f"{name}.out", size.width, bias=False)


def build(module, size, batch, sequence, _):
    f = module.function("main")
    ids, mask = token_inputs(f, batch, sequence, size.vocabulary)
    x = f.gather(embedding(f, "shared", size.vocabulary, size.width), ids)
    bias = position_bias(f, size, sequence, mask)
    for i in range(size.layers):
        f.comment(f"layer {i}")
        name = f"layer.{i}"
        y = rms_norm(f, x, f"{name}.norm1", EPSILON)
        x = f.add(x, attention(f, y, f"{name}.attention", size, bias))
        y = rms_norm(f, x, f"{name}.norm2", EPSILON)
        y = f.unary("relu", linear(f, y, f"{name}.up", size.hidden,
                                   bias=False))
        x = f.add(x, linear(f, y, f"{name}.down", size.width, bias=False))
    f.output("last_hidden_state", rms_norm(f, x, "norm", EPSILON))
