# SPDX-License-Identifier: Apache-2.0
"""GPT-2 for generating text: the layers and weights of gpt2.py, with the keys
and values of each layer in caches of the caller's.

@prefill takes a prompt, padded to a fixed length, and writes its keys and values
into the caches, in place. @decode takes one token at a position, writes its own
and attends to those up to it. Both return the logits of the token that follows.
"""

from caches import Caches
from gpt2 import EPSILON, SIZES  # the same weights for the same seed
from layers import (PEAKED, embedding, layer_norm, linear, merge_heads,
                    split_heads)
from model_files import Integers, Values

SEQUENCE = {"base": 128, "tiny": 7}
CACHE = {"base": 1024, "tiny": 13}


def embed(f, size, ids, positions):
    """Ids as vectors, with those of their positions."""
    words = embedding(f, "word", size.vocabulary, size.width)
    table = embedding(f, "position", size.positions, size.width)
    return f.add(f.gather(words, ids), positions(table))


def caches_of(f, size, batch, length):
    return Caches(f, size.layers,
                  (batch, size.heads, length, size.width // size.heads))


def block(f, x, name, size, attend):
    """As layers.pre_norm_block, with attention by `attend`(query, key, value)."""
    y = layer_norm(f, x, f"{name}.norm1", EPSILON)
    y = linear(f, y, f"{name}.attention.qkv", 3 * size.width, gain=PEAKED)
    query, key, value = (
        split_heads(f, f.slice(y, 2, i * size.width, (i + 1) * size.width),
                    size.heads) for i in range(3))
    y = merge_heads(f, attend(query, key, value))
    x = f.add(x, linear(f, y, f"{name}.attention.out", size.width))
    y = layer_norm(f, x, f"{name}.norm2", EPSILON)
    y = f.unary("gelu", linear(f, y, f"{name}.up", size.hidden),
                " {approximate = #graph.approximation<tanh>}")
    return f.add(x, linear(f, y, f"{name}.down", size.width))


def logits(f, x, size):
    words = embedding(f, "word", size.vocabulary, size.width)
    f.output("logits", f.linear(layer_norm(f, x, "norm", EPSILON), words))


def prefill(module, size, batch, sequence, cache):
    f = module.function("prefill")
    ids = f.input("input_ids", (batch, sequence), Integers(size.vocabulary),
                  "i64")
    last = f.input("last", (), Values((sequence - 1,)), "i64")
    caches = caches_of(f, size, batch, cache)
    x = embed(f, size, ids, lambda table: f.slice(table, 0, 0, sequence))
    first = f.scalar("0", "i64")
    for i in range(size.layers):
        f.comment(f"block {i}")

        def attend(query, key, value, layer=i):
            caches.update(layer, key, value, first)
            return f.attention(query, key, value,
                               attributes="causal = #graph.causal<upper_left>")
        x = block(f, x, f"block.{i}", size, attend)
    # What stands behind the last token of the prompt is padding.
    x = f.gather(f.transpose(x, 1, 0, 2), last)
    logits(f, x, size)
    caches.output()


def decode(module, size, batch, cache):
    f = module.function("decode")
    ids = f.input("input_ids", (batch, 1), Integers(size.vocabulary), "i64")
    position = f.input("position", (), Values((cache - 1,)), "i64")
    caches = caches_of(f, size, batch, cache)
    x = embed(f, size, ids, lambda table: f.gather(table, position))
    length = f.add(position, f.scalar("1", "i64"))
    for i in range(size.layers):
        f.comment(f"block {i}")

        def attend(query, key, value, layer=i):
            keys, values = caches.update(layer, key, value, position)
            return f.attention(query, keys, values, key_length=length)
        x = block(f, x, f"block.{i}", size, attend)
    logits(f, f.reshape(x, batch, size.width), size)
    caches.output()


def build(module, size, batch, sequence, cache):
    prefill(module, size, batch, sequence, cache)
    decode(module, size, batch, cache)
