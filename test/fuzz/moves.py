# SPDX-License-Identifier: Apache-2.0
"""Ops that move, repeat, leave out or add elements."""

import math

from graph import MOST_ELEMENTS
from tensors import INTEGERS, LIMITS, Value


def typed(shape, value):
    return Value("", shape, value.dtype, (0, 0)).type


def transpose(graph):
    value = graph.pick(lambda v: len(v.shape) >= 2)
    if value:
        order = graph.rng.shuffled(range(len(value.shape)))
        shape = tuple(value.shape[d] for d in order)
        graph.emit(f"transpose {value} {order} : {value.type} -> "
                   f"{typed(shape, value)}", [value],
                   (shape, value.dtype, value.bounds))


def factored(rng, count):
    """A shape of so many elements."""
    shape = []
    while count > 1 and len(shape) < 4 and rng.chance(0.8):
        divisors = [d for d in range(2, min(count, 64) + 1) if count % d == 0]
        if not divisors:
            break
        shape.append(rng.choice(divisors))
        count //= shape[-1]
    if count != 1 or rng.chance(0.2):
        shape.append(count)
    return tuple(rng.shuffled(shape))


def reshape(graph):
    value = graph.pick(lambda v: v.elements)
    if value:
        shape = factored(graph.rng, value.elements)
        if shape != value.shape:
            graph.emit(f"reshape {value} : {value.type} to "
                       f"{typed(shape, value)}", [value],
                       (shape, value.dtype, value.bounds))


def slice_(graph):
    rng = graph.rng
    value = graph.pick(lambda v: v.shape)
    if not value:
        return
    starts, ends, steps = [], [], []
    for extent in value.shape:
        is_whole = rng.chance(0.4)
        start = 0 if is_whole else rng.below(extent + 1)
        end = extent if is_whole else rng.integer(start, extent)
        if start == end:  # minic refuses tensors without elements
            start, end = 0, extent
        starts.append(start)
        ends.append(end)
        steps.append(rng.weighted((1, 2, 3), (4, 1, 1)))
    shape = tuple(-(-(end - start) // step)
                  for start, end, step in zip(starts, ends, steps))
    graph.emit(f"slice {value} {starts} to {ends} by {steps} : {value.type} "
               f"-> {typed(shape, value)}", [value],
               (shape, value.dtype, value.bounds))


def pad(graph):
    rng = graph.rng
    value = graph.pick(lambda v: v.shape)
    if not value:
        return
    mode = rng.weighted(("constant", "reflect", "edge"), (3, 1, 1))
    # What is mirrored is no more than what there is.
    most = [min(extent, 3) if mode == "reflect" else 3
            for extent in value.shape]
    before = [rng.below(limit) for limit in most]
    after = [rng.below(limit) for limit in most]
    shape = tuple(map(sum, zip(value.shape, before, after)))
    if math.prod(shape) > 2 * MOST_ELEMENTS:
        return
    if mode != "constant":
        graph.emit(f"pad {value} before {before} after {after} {{mode = "
                   f"#graph.pad_mode<{mode}>}} : {value.type} -> "
                   f"{typed(shape, value)}", [value],
                   (shape, value.dtype, value.bounds))
        return
    number = 0 if rng.chance(0.5) else \
        rng.integer(0, 1) if value.dtype == "i1" else rng.integer(-4, 4)
    graph.emit(f"pad {value} before {before} after {after} {{value = "
               f"{float(number)} : f64}} : {value.type} -> "
               f"{typed(shape, value)}", [value],
               (shape, value.dtype, (min(value.low, number),
                                     max(value.high, number))))


def broadcast(graph):
    value = graph.pick()
    shape = tuple(graph.extent() if dim == 1 else dim for dim in value.shape)
    if len(shape) < 4 and graph.rng.chance(0.5):
        shape = (graph.extent(),) + shape
    if math.prod(shape) <= MOST_ELEMENTS:
        graph.emit(f"broadcast {value} : {value.type} to "
                   f"{typed(shape, value)}", [value],
                   (shape, value.dtype, value.bounds))


def concat(graph):
    first = graph.pick(lambda v: v.shape)
    if not first:
        return
    axis = graph.rng.below(len(first.shape))
    inputs = [first]
    for _ in range(graph.rng.below(4)):
        shape = list(first.shape)
        if graph.rng.chance(0.6):
            shape[axis] = graph.extent()
        inputs.append(graph.take(shape, first.dtype))
    shape = list(first.shape)
    shape[axis] = sum(value.shape[axis] for value in inputs)
    if math.prod(shape) <= 2 * MOST_ELEMENTS:
        graph.emit(f"concat {', '.join(map(str, inputs))} axis = {axis} : "
                   f"({', '.join(v.type for v in inputs)}) -> "
                   f"{typed(shape, first)}", inputs,
                   (shape, first.dtype, (min(v.low for v in inputs),
                                         max(v.high for v in inputs))))


def iota(graph):
    dtype = graph.rng.choice(graph.floats + INTEGERS)
    shape = graph.random_shape(low=1)
    axis = graph.rng.below(len(shape))
    if shape[axis] - 1 <= LIMITS[dtype][1]:
        result = Value("", shape, dtype, (0, 0))
        graph.emit(f"iota axis = {axis} : {result.type}", (),
                   (shape, dtype, (0, max(shape[axis] - 1, 0))))


GENERATORS = {"transpose": (2, transpose), "reshape": (2, reshape),
              "slice": (2, slice_), "pad": (1, pad),
              "broadcast": (1, broadcast), "concat": (1.5, concat),
              "iota": (1, iota)}
