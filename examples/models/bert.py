# SPDX-License-Identifier: Apache-2.0
"""BERT's encoder (Devlin et al., 2018): token ids and an attention mask to
hidden states."""

import dataclasses

from layers import (PEAKED, embedding, layer_norm, linear, merge_heads,
                    split_heads)
from model_files import Integers, Values

EPSILON = 1e-12


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int
    heads: int
    hidden: int
    vocabulary: int
    positions: int


SIZES = {"base": Size(12, 768, 12, 3072, 30522, 512),
         "tiny": Size(2, 36, 3, 52, 101, 32)}
SEQUENCE = {"base": 128, "tiny": 11}


def token_inputs(f, batch, sequence, vocabulary):
    """Ids, and a mask [B, 1, 1, S]: from all of the sequence down to half of
    it are tokens, the rest is padding."""
    ids = f.input("input_ids", (batch, sequence), Integers(vocabulary), "i64")
    lengths = [sequence - i * (sequence // 2) // max(batch - 1, 1)
               for i in range(batch)]
    mask = f.input("attention_mask", (batch, sequence), Values(tuple(
        int(s < length) for length in lengths for s in range(sequence))),
        "i64")
    mask = f.reshape(f.cast(mask, "i1"), batch, 1, 1, sequence)
    return ids, mask


def attention(f, x, name, size, mask):
    query, key, value = (
        split_heads(f, linear(f, x, f"{name}.{part}", size.width, gain=gain),
                    size.heads)
        for part, gain in (("query", PEAKED), ("key", PEAKED), ("value", 1)))
    y = merge_heads(f, f.attention(query, key, value, mask))
    return linear(f, y, f"{name}.out", size.width)


def build(module, size, batch, sequence, _):
    f = module.function("main")
    ids, mask = token_inputs(f, batch, sequence, size.vocabulary)
    words = embedding(f, "embeddings.word", size.vocabulary, size.width)
    positions = embedding(f, "embeddings.position", size.positions, size.width)
    kinds = embedding(f, "embeddings.token_type", 2, size.width)
    x = f.add(f.gather(words, ids), f.slice(positions, 0, 0, sequence))
    x = f.add(x, f.slice(kinds, 0, 0, 1))
    x = layer_norm(f, x, "embeddings.norm", EPSILON)
    for i in range(size.layers):
        f.comment(f"layer {i}")
        name = f"layer.{i}"
        y = attention(f, x, f"{name}.attention", size, mask)
        x = layer_norm(f, f.add(x, y), f"{name}.norm1", EPSILON)
        y = f.unary("gelu", linear(f, x, f"{name}.up", size.hidden))
        y = linear(f, y, f"{name}.down", size.width)
        x = layer_norm(f, f.add(x, y), f"{name}.norm2", EPSILON)
    f.output("last_hidden_state", x)
