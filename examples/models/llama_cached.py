# SPDX-License-Identifier: Apache-2.0
"""Llama 3.2 1B for generating text: the blocks of llama.py, with the keys and values
of each in caches of the caller's. The head is the embedding, transposed. Angles are
those of positions without the scaling for long contexts.

@prefill takes a prompt, padded to a fixed length, and writes its keys and values
into the caches, in place. @decode takes one token at a position, writes its own
and attends to those up to it. Both return the logits of the token that follows.
"""

import dataclasses

import llama
from caches import Caches
from layers import embedding, rms_norm
from model_files import Integers, Values


@dataclasses.dataclass(frozen=True)
class Size(llama.Size):
    layers: int = dataclasses.field(kw_only=True)
    vocabulary: int = dataclasses.field(kw_only=True)


SIZES = {"base": Size(2048, 32, 8, 64, 8192, 2048, 500000.0, 1e-5, layers=16,
                      vocabulary=128256),
         "tiny": Size(36, 6, 2, 6, 52, 32, 10000.0, 1e-5, layers=2,
                      vocabulary=101)}
SEQUENCE = {"base": 128, "tiny": 7}
CACHE = {"base": 1024, "tiny": 13}


def caches_of(f, size, batch, length):
    return Caches(f, size.layers,
                  (batch, size.key_heads, length, size.head_size))


def blocks(f, x, size, turn, attend):
    """All of them, with attention by `attend`(layer, query, key, value)."""
    for i in range(size.layers):
        f.comment(f"block {i}")
        name = f"block.{i}."
        y = rms_norm(f, x, f"{name}norm1", size.epsilon)
        parts = llama.project(f, y, size, turn, f"{name}attention")
        x = llama.finish(f, x, attend(i, *parts), size, name)
    return x


def embed(f, size, ids):
    return f.gather(embedding(f, "word", size.vocabulary, size.width), ids)


def logits(f, x, size):
    words = embedding(f, "word", size.vocabulary, size.width)
    f.output("logits", f.linear(rms_norm(f, x, "norm", size.epsilon), words))


def prefill(module, size, batch, sequence, cache):
    f = module.function("prefill")
    ids = f.input("input_ids", (batch, sequence), Integers(size.vocabulary),
                  "i64")
    last = f.input("last", (), Values((sequence - 1,)), "i64")
    caches = caches_of(f, size, batch, cache)
    first = f.scalar("0", "i64")
    turn = llama.turns(f, size, lambda table: f.slice(table, 0, 0, sequence))

    def attend(layer, query, key, value):
        caches.update(layer, key, value, first)
        return f.attention(query, key, value,
                           attributes="causal = #graph.causal<upper_left>")
    x = blocks(f, embed(f, size, ids), size, turn, attend)
    # What stands behind the last token of the prompt is padding.
    logits(f, f.gather(f.transpose(x, 1, 0, 2), last), size)
    caches.output()


def decode(module, size, batch, cache):
    f = module.function("decode")
    ids = f.input("input_ids", (batch, 1), Integers(size.vocabulary), "i64")
    # The last one, at which the whole cache is read.
    position = f.input("position", (), Values((cache - 1,)), "i64")
    caches = caches_of(f, size, batch, cache)
    length = f.add(position, f.scalar("1", "i64"))
    turn = llama.turns(f, size, lambda table: f.gather(table, position))

    def attend(layer, query, key, value):
        keys, values = caches.update(layer, key, value, position)
        return f.attention(query, keys, values, key_length=length)
    x = blocks(f, embed(f, size, ids), size, turn, attend)
    logits(f, f.reshape(x, batch, size.width), size)
    caches.output()


def build(module, size, batch, sequence, cache):
    prefill(module, size, batch, sequence, cache)
    decode(module, size, batch, cache)
