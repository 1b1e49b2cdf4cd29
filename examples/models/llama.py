# SPDX-License-Identifier: Apache-2.0
"""A block of Llama 3 (Grattafiori et al., 2024), or of Qwen3, which also
normalises query and key.

@prefill takes a whole sequence and also returns its keys and values. @decode
takes one token at a position: it writes its key and value there into a cache of
fixed length, in place, and attends to the keys up to it.
"""

import dataclasses
import math

from layers import PEAKED, linear, merge_heads, rms_norm, split_heads
from model_files import Uniform, Values


@dataclasses.dataclass(frozen=True)
class Size:
    width: int
    heads: int
    key_heads: int
    head_size: int
    hidden: int
    positions: int
    theta: float
    epsilon: float
    norms_heads: bool = False


SIZES = {"base": Size(4096, 32, 8, 128, 14336, 2048, 500000.0, 1e-5),
         "tiny": Size(36, 6, 2, 6, 52, 32, 10000.0, 1e-5)}
SEQUENCE = {"base": 512, "tiny": 9}
CACHE = {"base": 1024, "tiny": 12}


def rotary_tables(f, size):
    """cos and sin, [positions, head_size / 2], rounded to the model's dtype."""
    pairs = size.head_size // 2
    angles = [p * size.theta ** (-i / pairs) for p in range(size.positions)
              for i in range(pairs)]
    dims = (size.positions, pairs)
    return (f.weight("rotary.cos", dims, Values(tuple(map(math.cos, angles)))),
            f.weight("rotary.sin", dims, Values(tuple(map(math.sin, angles)))))


def turns(f, size, rows):
    """cos and sin of some positions: what `rows` takes from their tables."""
    return [rows(table) for table in rotary_tables(f, size)]


def project(f, x, size, turn, name):
    """Query and key, rotated by `turn`, and value, by heads."""
    made = []
    for part, heads in (("query", size.heads), ("key", size.key_heads),
                        ("value", size.key_heads)):
        y = linear(f, x, f"{name}.{part}", heads * size.head_size, bias=False,
                   gain=1 if part == "value" else PEAKED)
        y = split_heads(f, y, heads)
        if part != "value":
            if size.norms_heads:
                y = rms_norm(f, y, f"{name}.{part}_norm", size.epsilon)
            y = f.rotary(y, *turn)
        made.append(y)
    return made


def finish(f, x, y, size, block=""):
    """The residual, and the gated MLP. Names of weights begin with `block`."""
    def plain(y, name, outputs):
        return linear(f, y, f"{block}{name}", outputs, bias=False)
    x = f.add(x, plain(merge_heads(f, y), "attention.out", size.width))
    y = rms_norm(f, x, f"{block}norm2", size.epsilon)
    gate = f.unary("silu", plain(y, "gate", size.hidden))
    y = f.binary("mul", gate, plain(y, "up", size.hidden))
    return f.add(x, plain(y, "down", size.width))


def prefill(module, size, batch, sequence):
    f = module.function("prefill")
    x = f.input("hidden", (batch, sequence, size.width), Uniform(0, 1.7))
    positions = f.input("positions", (sequence,),
                        Values(tuple(range(sequence))), "i64")
    turn = turns(f, size, lambda table: f.gather(table, positions))
    query, key, value = project(f, rms_norm(f, x, "norm1", size.epsilon),
                                size, turn, "attention")
    y = f.attention(query, key, value,
                    attributes="causal = #graph.causal<upper_left>")
    f.output("result", finish(f, x, y, size))
    f.output("keys", key)
    f.output("values", value)


def decode(module, size, batch, cache):
    f = module.function("decode")
    x = f.input("hidden", (batch, 1, size.width), Uniform(0, 1.7))
    # The last one, at which the whole cache is read.
    position = f.input("position", (), Values((cache - 1,)), "i64")
    dims = (batch, size.key_heads, cache, size.head_size)
    key_cache = f.input("key_cache", dims, Uniform(0, 1.7))
    value_cache = f.input("value_cache", dims, Uniform(0, 1.7))
    turn = turns(f, size, lambda table: f.gather(table, position))
    query, key, value = project(f, rms_norm(f, x, "norm1", size.epsilon),
                                size, turn, "attention")
    keys = f.cache_update(key_cache, key, position, 2)
    values = f.cache_update(value_cache, value, position, 2)
    length = f.add(position, f.scalar("1", "i64"))
    y = f.attention(query, keys, values, key_length=length)
    f.output("result", finish(f, x, y, size))
    f.output("new_key_cache", keys, in_place_of=key_cache)
    f.output("new_value_cache", values, in_place_of=value_cache)


def build(module, size, batch, sequence, cache):
    prefill(module, size, batch, sequence)
    decode(module, size, batch, cache)
