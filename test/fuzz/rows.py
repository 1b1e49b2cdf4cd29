# SPDX-License-Identifier: Apache-2.0
"""Ops along dimensions: reductions, softmax, norms, order, running sums."""

import math

from tensors import ANYTHING, Value


def row_of(graph, accepts=lambda value: value.is_float):
    """A value and one of its dimensions that is not empty, or None."""
    value = graph.pick(lambda v: accepts(v) and any(v.shape))
    if not value:
        return None
    axes = [i for i, extent in enumerate(value.shape) if extent]
    return value, graph.rng.choice(axes)


def reduce(graph):
    rng = graph.rng
    found = row_of(graph)
    if not found:
        return
    value, axis = found
    kind = rng.choice(("sum", "mean", "max", "min", "prod"))
    others = [i for i, extent in enumerate(value.shape) if extent and i != axis]
    axes = sorted([axis] + (rng.some(others)
                            if others and rng.chance(0.4) else []))
    count = math.prod(value.shape[i] for i in axes)
    if kind == "prod":
        value = graph.within(value, (-1, 1))
    bounds = value.bounds
    if kind == "sum":
        bounds = count * value.low, count * value.high
    elif kind == "prod":
        bounds = (-1, 1) if value.is_finite else ANYTHING
    keeps = rng.chance(0.5)
    shape = tuple(1 if i in axes else extent
                  for i, extent in enumerate(value.shape)
                  if keeps or i not in axes)
    result = Value("", shape, value.dtype, bounds)
    graph.emit(f"reduce {kind}, {value} {axes}"
               f"{' {keep_dims}' if keeps else ''} : {value.type} -> "
               f"{result.type}", [value], (shape, value.dtype, bounds))


def arg_reduce(graph):
    found = row_of(graph, lambda v: v.is_number)
    if not found:
        return
    value, axis = found
    keeps = graph.rng.chance(0.5)
    shape = list(value.shape)
    shape[axis:axis + 1] = [1] if keeps else []
    bounds = 0, value.shape[axis] - 1
    graph.emit(f"arg_reduce {graph.rng.choice(('max', 'min'))}, {value} axis "
               f"= {axis}{' {keep_dims}' if keeps else ''} : {value.type} -> "
               f"{Value('', shape, 'i64', bounds).type}", [value],
               (shape, "i64", bounds))


def top_k(graph):
    found = row_of(graph, lambda v: v.is_number)
    if not found:
        return
    value, axis = found
    shape, extent = list(value.shape), value.shape[axis]
    shape[axis] = graph.rng.integer(1, extent)
    values = shape, value.dtype, value.bounds
    indices = shape, "i64", (0, extent - 1)
    graph.emit(f"top_k {graph.rng.choice(('max', 'min'))}, {value} axis = "
               f"{axis} k = {shape[axis]} : {value.type} -> "
               f"{Value('', *values).type}, {Value('', *indices).type}",
               [value], values, indices)


def cumsum(graph):
    found = row_of(graph, lambda v: v.is_number)
    if not found:
        return
    value, axis = found
    flags = [f for f in ("exclusive", "reverse") if graph.rng.chance(0.3)]
    size = value.size * value.shape[axis]
    graph.emit(f"cumsum {value} axis = {axis}"
               f"{' {' + ', '.join(flags) + '}' if flags else ''} : "
               f"{value.type}", [value],
               (value.shape, value.dtype, (-size, size)))


def softmax(graph):
    found = row_of(graph)
    if found:
        value, axis = found
        graph.emit(f"softmax {value} axis = {axis} : {value.type}", [value],
                   (value.shape, value.dtype,
                    (0, 1) if value.is_finite else ANYTHING))


def log_softmax(graph):
    found = row_of(graph)
    if found:
        value, axis = found
        low = value.low - value.high - math.log(value.shape[axis])
        graph.emit(f"log_softmax {value} axis = {axis} : {value.type}",
                   [value], (value.shape, value.dtype,
                             (1.01 * low, 0) if value.is_finite else ANYTHING))


def norm(graph, op):
    rng = graph.rng
    found = row_of(graph)
    if not found:
        return
    value, axis = found
    count = math.prod(value.shape[axis:])
    if not count:
        return
    operands, text, bias = [value], str(value), 0
    size = math.sqrt(count) * 1.02
    if rng.chance(0.7):
        scale = graph.take(value.shape[axis:], value.dtype)
        operands.append(scale)
        text, size = f"{text} scale {scale}", size * scale.size
    if op == "layer_norm" and rng.chance(0.7):
        shift = graph.take(value.shape[axis:], value.dtype)
        operands.append(shift)
        text, bias = f"{text} bias {shift}", shift.size
    epsilon = rng.choice(("1.0e-5", "1.0e-3", "0.5"))
    finish_norm(graph, f"{op} {text} axis = {axis}", epsilon, operands,
                size + bias)


def group_norm(graph):
    rng = graph.rng
    value = graph.pick(lambda v: v.is_float and len(v.shape) >= 2 and
                       v.elements)
    if not value:
        return
    channels = value.shape[1]
    groups = rng.choice([d for d in range(1, channels + 1)
                         if channels % d == 0])
    operands, text = [value], str(value)
    size = math.sqrt(value.elements / value.shape[0] / groups) * 1.02
    for name in ("scale", "bias"):
        if rng.chance(0.6):
            operands.append(graph.take((channels,), value.dtype))
            text = f"{text} {name} {operands[-1]}"
            size = size * operands[-1].size if name == "scale" else \
                size + operands[-1].size
    finish_norm(graph, f"group_norm {text} groups = {groups}", "1.0e-3",
                operands, size)


def finish_norm(graph, text, epsilon, operands, size):
    value = operands[0]
    graph.emit(f"{text} {{epsilon = {epsilon} : f64}} : "
               f"({', '.join(v.type for v in operands)}) -> {value.type}",
               operands, (value.shape, value.dtype,
                          (-size, size) if value.is_finite else ANYTHING))


GENERATORS = {
    "reduce": (3, reduce), "arg_reduce": (1, arg_reduce), "top_k": (1, top_k),
    "cumsum": (1, cumsum), "softmax": (1.5, softmax),
    "log_softmax": (1, log_softmax),
    "layer_norm": (1, lambda graph: norm(graph, "layer_norm")),
    "rms_norm": (1, lambda graph: norm(graph, "rms_norm")),
    "group_norm": (1, group_norm)}
