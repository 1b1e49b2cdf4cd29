# SPDX-License-Identifier: Apache-2.0
"""Ops of transformers: attention, rotary, gathers and cache_update."""

import math

from graph import MOST_ELEMENTS
from tensors import ANYTHING, INDICES, Value


def attention(graph):
    rng = graph.rng
    dtype = graph.random_float()
    batch, groups = rng.integer(1, 2), rng.integer(1, 3)
    heads = groups * rng.integer(1, 3)
    rows, keys = (rng.choice((1, 2, 5, 7, 17)) for _ in range(2))
    size, width = rng.choice((1, 3, 8, 16)), rng.choice((1, 5, 8))
    q = graph.take((batch, heads, rows, size), dtype)
    k = graph.take((batch, groups, keys, size), dtype)
    v = graph.take((batch, groups, keys, width), dtype)
    operands, text = [q, k, v], f"attention {q}, {k}, {v}"
    if rng.chance(0.5):
        shape = tuple(1 if rng.chance(0.3) else dim
                      for dim in (batch, heads, rows, keys))
        mask = graph.take(shape[rng.below(5):], rng.choice(("i1", dtype)))
        operands.append(mask)
        text = f"{text} mask {mask}"
    if rng.chance(0.3):
        length = graph.take(rng.choice(((), (batch,))), rng.choice(INDICES))
        operands.append(length)
        text = f"{text} key_length {length}"
    attributes = []
    if rng.chance(0.5):
        attributes.append("causal = #graph.causal<"
                          f"{rng.choice(('upper_left', 'lower_right'))}>")
    if rng.chance(0.3):
        attributes.append(f"scale = {rng.choice((0.125, 0.5, 4.0))} : f64")
    if rng.chance(0.3):
        attributes.append(f"soft_cap = {rng.choice((1.0, 8.0))} : f64")
    if rng.chance(0.3):
        attributes.append(f"window = {rng.integer(1, 6)} : i64")
    result = (batch, heads, rows, width), dtype, (
        (min(v.low, 0), max(v.high, 0))
        if all(operand.is_finite for operand in operands) else ANYTHING)
    results = [result]
    if rng.chance(0.3):  # -infinity where a query has no key
        attributes.append("with_log_sum_exp")
        results.append(((batch, heads, rows), "f32", ANYTHING))
    attributes = " {" + ", ".join(attributes) + "}" if attributes else ""
    types = ", ".join(Value("", *r).type for r in results)
    graph.emit(f"{text}{attributes} : ({', '.join(o.type for o in operands)})"
               f" -> {'(' + types + ')' if len(results) > 1 else types}",
               operands, *results)


def rotary(graph):
    rng = graph.rng
    value = graph.pick(lambda v: v.is_float and v.shape and v.shape[-1] >= 2)
    if not value:
        return
    rows = value.shape[:-1]
    most = value.shape[-1] // 2
    pairs = most if rng.chance(0.5) else rng.integer(1, most)
    shape = rows[rng.below(len(rows) + 1):] + (pairs,)
    cos, sin = (graph.take(shape, value.dtype) for _ in range(2))
    size = value.size * (max(cos.size, 1) + max(sin.size, 1))
    graph.emit(f"rotary {value}, {cos}, {sin}"
               f"{' {interleaved}' if rng.chance(0.5) else ''} : "
               f"({value.type}, {cos.type}, {sin.type}) -> {value.type}",
               [value, cos, sin], (value.shape, value.dtype, (-size, size)))


def gather(graph):
    rng = graph.rng
    value = graph.pick(lambda v: any(v.shape))
    if not value:
        return
    axis = rng.choice([i for i, extent in enumerate(value.shape) if extent])
    indices = graph.index(graph.random_shape(high=2), value.shape[axis])
    shape = value.shape[:axis] + indices.shape + value.shape[axis + 1:]
    if math.prod(shape) <= MOST_ELEMENTS and len(shape) <= 5:
        graph.emit(f"gather {value}, {indices} axis = {axis} : ({value.type},"
                   f" {indices.type}) -> "
                   f"{Value('', shape, value.dtype, (0, 0)).type}",
                   [value, indices], (shape, value.dtype, value.bounds))


def gather_elements(graph):
    rng = graph.rng
    value = graph.pick(lambda v: v.shape and v.elements)
    if not value:
        return
    axis = rng.below(len(value.shape))
    shape = tuple(rng.integer(1, extent) for extent in value.shape)
    indices = graph.index(shape, value.shape[axis])
    graph.emit(f"gather_elements {value}, {indices} axis = {axis} : "
               f"({value.type}, {indices.type}) -> "
               f"{Value('', shape, value.dtype, (0, 0)).type}",
               [value, indices], (shape, value.dtype, value.bounds))


def cache_update(graph):
    rng = graph.rng
    cache = graph.pick(lambda v: v.shape and v.elements)
    if not cache:
        return
    axis = rng.below(len(cache.shape))
    shape = list(cache.shape)
    shape[axis] = rng.integer(1, shape[axis])
    update = graph.take(shape, cache.dtype)
    position = graph.index((), cache.shape[axis] - shape[axis] + 1)
    graph.emit(f"cache_update {cache}, {update} at {position} axis = {axis} : "
               f"({cache.type}, {update.type}, {position.type}) -> "
               f"{cache.type}", [cache, update, position],
               (cache.shape, cache.dtype, (min(cache.low, update.low),
                                           max(cache.high, update.high))))


GENERATORS = {"attention": (1.5, attention), "rotary": (1, rotary),
              "gather": (1.5, gather), "gather_elements": (1, gather_elements),
              "cache_update": (1, cache_update)}
