# SPDX-License-Identifier: Apache-2.0
"""Pointwise ops: one table row per op, and casts, compares and selects."""

import math

from tensors import ANYTHING, FLOATS, INTEGERS, LIMITS, Value, broadcast

# Functions that never fall, by what they do to a bound.
RISING = {
    "floor": math.floor, "ceil": math.ceil,
    "round": lambda x: math.floor(x + .5),
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "tanh": math.tanh,
    "erf": math.erf, "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "softplus": lambda x: max(x, 0) + math.log1p(math.exp(-abs(x))),
    "relu": lambda x: max(x, 0), "elu": lambda x: x if x > 0 else math.expm1(x),
    "hard_sigmoid": lambda x: min(max(x / 6 + .5, 0), 1),
    "leaky_relu": lambda x: x if x > 0 else x * .01}
# Between what the result lies, for bounds low and high.
OTHERS = {
    "neg": lambda low, high: (-high, -low),
    "abs": lambda low, high: (max(low, -high, 0), max(-low, high)),
    "sign": lambda low, high: (-1, 1),
    "sin": lambda low, high: (-1, 1),
    "cos": lambda low, high: (-1, 1),
    "rsqrt": lambda low, high: (0, 1 / math.sqrt(low + .125)),
    **dict.fromkeys(("silu", "mish", "hard_swish", "gelu"),
                    lambda low, high: (min(low, 0, max(low, -.5)),
                                       max(high, 0)))}
# What an argument must lie between for a number as the result.
DOMAINS = {"sqrt": (0, 1e4), "log": (1 / 64, 1e4), "exp": (-20, 6),
           "rsqrt": (0, 1e4), "sin": (-100, 100), "cos": (-100, 100)}
ATTRIBUTES = {"rsqrt": " {epsilon = 0.125 : f64}"}
FOR_INTEGERS = ("neg", "abs", "sign")


def unary(graph, op):
    rng = graph.rng
    types = FLOATS + INTEGERS if op in FOR_INTEGERS else FLOATS
    value = graph.pick(lambda v: v.dtype in types)
    if not value:
        return
    domain = DOMAINS.get(op, ANYTHING)
    is_wild = rng.chance(0.03)
    if not is_wild:
        value = graph.within(value, domain)
    bounds = ANYTHING
    if value.is_finite and domain[0] <= value.low and value.high <= domain[1]:
        low, high = value.bounds
        if op in RISING:
            low, high = max(low, -500), min(high, 1e6)
            bounds = RISING[op](low), RISING[op](max(low, high))
        else:
            bounds = OTHERS[op](low, high)
    if value.is_float and bounds != ANYTHING:  # rounded away from zero
        bounds = tuple(b if b in (-1, 0, 1) else b + abs(b) / 64 * sign
                       for b, sign in zip(bounds, (-1, 1)))
    attributes = ATTRIBUTES.get(op, "")
    if op == "gelu" and rng.chance(0.5):
        attributes = " {approximate = #graph.approximation<tanh>}"
    if op in ("elu", "leaky_relu", "hard_sigmoid") and rng.chance(0.3):
        attributes = " {alpha = 0.125 : f64}"
    graph.emit(f"{op} {value}{attributes} : {value.type}", [value],
               (value.shape, value.dtype, bounds))


def clamp(graph):
    value = graph.pick(lambda v: v.is_float)
    if value:
        low = graph.rng.integer(-8, 4) / 4
        high = low + graph.rng.below(8) / 4
        graph.emit(f"clamp {value} {{lower = {low} : f64, upper = {high} : "
                   f"f64}} : {value.type}", [value],
                   (value.shape, value.dtype,
                    (low, high) if value.is_finite else ANYTHING))


def is_nan(graph):
    value = graph.pick(lambda v: v.is_float)
    if value:
        result = Value("", value.shape, "i1", (0, 1))
        graph.emit(f"is_nan {value} : {value.type} -> {result.type}", [value],
                   (value.shape, "i1", (0, 1)))


def partner(graph, value, dtype=None):
    """A value that broadcasts with this one, mostly one that there is."""
    dtype = dtype or value.dtype
    found = graph.pick(lambda v: v.dtype == dtype and
                       fits(broadcast(v.shape, value.shape)))
    if found and graph.rng.chance(0.7):
        return found
    shape = tuple(1 if graph.rng.chance(0.3) else dim for dim in value.shape)
    return graph.take(shape[graph.rng.below(len(shape) + 1):], dtype)


def fits(shape):
    return shape is not None and math.prod(shape) <= 8192 and len(shape) <= 5


def corners(function, lhs, rhs):
    if not (lhs.is_finite and rhs.is_finite):
        return ANYTHING
    ends = [function(x, y) for x in lhs.bounds for y in rhs.bounds]
    return min(ends), max(ends)


def away_from_zero(graph, value):
    """At least 1/4, or at least 1; seldom left as it is."""
    if graph.rng.chance(0.05):
        return value
    if not value.is_float:
        return value if graph.rng.chance(0.3) else graph.within(
            value, (1, min(LIMITS[value.dtype][1], 2**31 - 1)))
    return graph.within(value, (0.25, 64))


def binary(graph, op):
    types = {"and": ("i1",) + INTEGERS, "or": ("i1",) + INTEGERS,
             "xor": ("i1",) + INTEGERS, "div": FLOATS + INTEGERS,
             "mod": FLOATS + INTEGERS, "pow": FLOATS}.get(
                 op, FLOATS + INTEGERS + ("i1",))
    lhs = graph.pick(lambda v: v.dtype in types and
                     (v.is_number or op in ("and", "or", "xor") or
                      graph.rng.chance(0.2)))
    if not lhs:
        return
    rhs = partner(graph, lhs)
    if op not in ("div", "mod", "pow") and graph.rng.chance(0.5):
        lhs, rhs = rhs, lhs
    bounds = ANYTHING
    if op in ("div", "mod"):
        rhs = away_from_zero(graph, rhs)
        if rhs.low > 0 and lhs.is_finite and rhs.is_finite:
            bounds = ((-lhs.size / rhs.low * 1.01, lhs.size / rhs.low * 1.01)
                      if op == "div" else (0, rhs.high))
    elif op == "pow":
        if not graph.rng.chance(0.05):
            lhs = graph.within(lhs, (0.25, 4))
            rhs = graph.within(rhs, (-2, 2))
        if lhs.low > 0 and lhs.is_finite and rhs.is_finite:
            bounds = corners(lambda x, y: x**y, lhs, rhs)
            bounds = bounds[0] * .98, bounds[1] * 1.02
    elif op in ("and", "or", "xor"):
        bounds = LIMITS[lhs.dtype]
    else:
        bounds = corners({"add": lambda x, y: x + y, "sub": lambda x, y: x - y,
                          "mul": lambda x, y: x * y, "max": max,
                          "min": min}[op], lhs, rhs)
        if lhs.is_float and bounds != ANYTHING:
            bounds = (bounds[0] - abs(bounds[0]) / 64,
                      bounds[1] + abs(bounds[1]) / 64)
    shape = broadcast(lhs.shape, rhs.shape)
    if not fits(shape):
        return
    result = Value("", shape, lhs.dtype, (0, 0))
    types = lhs.type if lhs.type == rhs.type == result.type else \
        f"({lhs.type}, {rhs.type}) -> {result.type}"
    graph.emit(f"{op} {lhs}, {rhs} : {types}", [lhs, rhs],
               (shape, lhs.dtype, bounds))


def compare(graph):
    lhs = graph.pick()
    rhs = partner(graph, lhs)
    shape = broadcast(lhs.shape, rhs.shape)
    if fits(shape):
        predicate = graph.rng.choice(("eq", "ne", "lt", "le", "gt", "ge"))
        result = Value("", shape, "i1", (0, 1))
        graph.emit(f"compare {predicate}, {lhs}, {rhs} : ({lhs.type}, "
                   f"{rhs.type}) -> {result.type}", [lhs, rhs],
                   (shape, "i1", (0, 1)))


def select(graph):
    on_true = graph.pick()
    on_false = partner(graph, on_true)
    condition = partner(graph, on_true, "i1")
    shape = broadcast(on_true.shape, on_false.shape)
    if shape is not None:
        shape = broadcast(shape, condition.shape)
    if not fits(shape):
        return
    result = Value("", shape, on_true.dtype, (0, 0))
    graph.emit(f"select {condition}, {on_true}, {on_false} : "
               f"({condition.type}, {on_true.type}, {on_false.type}) -> "
               f"{result.type}", [condition, on_true, on_false],
               (shape, on_true.dtype,
                (min(on_true.low, on_false.low),
                 max(on_true.high, on_false.high))))


def cast(graph):
    value = graph.pick()
    targets = [d for d in LIMITS
               if d != value.dtype and graph.can_cast(value, d)]
    floats = [d for d in targets if d in FLOATS]
    if targets:
        graph.cast(value, graph.rng.choice(
            floats if floats and graph.rng.chance(0.7) else targets))


GENERATORS = {
    **{op: (0.7, lambda graph, op=op: unary(graph, op))
       for op in (*RISING, *OTHERS)},
    **{op: (1.5 if op in ("add", "sub", "mul", "max", "min") else 0.7,
            lambda graph, op=op: binary(graph, op))
       for op in ("add", "sub", "mul", "max", "min", "div", "mod", "pow",
                  "and", "or", "xor")},
    "not": (0.7, lambda graph: bit_not(graph)),
    "clamp": (0.7, clamp), "is_nan": (0.5, is_nan), "compare": (1.5, compare),
    "select": (2, select), "cast": (2, cast)}


def bit_not(graph):
    value = graph.pick(lambda v: not v.is_float)
    if value:
        graph.emit(f"not {value} : {value.type}", [value],
                   (value.shape, value.dtype,
                    (0, 1) if value.dtype == "i1" else
                    (-1 - value.high, -1 - value.low)))
