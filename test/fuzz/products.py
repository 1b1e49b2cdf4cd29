# SPDX-License-Identifier: Apache-2.0
"""linear, matmul and conv2d."""

from tensors import Value


def product_bounds(lhs, rhs, count):
    size = lhs.size * rhs.size * max(count, 1)
    return -size * 1.02, size * 1.02


def is_factor(value):
    return value.is_float or value.dtype == "i8"


def sum_type(factor):
    return "i32" if factor == "i8" else factor


def linear(graph):
    rng = graph.rng
    x = graph.pick(lambda v: is_factor(v) and v.shape)
    if not x:
        return
    dtype = sum_type(x.dtype)
    k, n = x.shape[-1], graph.extent()
    w = graph.take((n, k), x.dtype)
    operands, bounds = [x, w], product_bounds(x, w, k)
    if rng.chance(0.5):
        b = graph.take((n,), dtype)
        operands.append(b)
        bounds = bounds[0] - b.size, bounds[1] + b.size
    result = Value("", x.shape[:-1] + (n,), dtype, bounds)
    graph.emit(f"linear {', '.join(map(str, operands))} : "
               f"({', '.join(v.type for v in operands)}) -> {result.type}",
               operands, (result.shape, dtype, bounds))


def matmul(graph):
    rng = graph.rng
    lhs = graph.pick(lambda v: is_factor(v) and len(v.shape) >= 2)
    if not lhs:
        return
    dtype = sum_type(lhs.dtype)
    flags = [f for f in ("transpose_lhs", "transpose_rhs") if rng.chance(0.5)]
    m, k = lhs.shape[-2:]
    if "transpose_lhs" in flags:
        m, k = k, m
    if rng.chance(0.15):  # by itself
        rhs = lhs
    else:
        batch = lhs.shape[:-2]
        if batch and rng.chance(0.5):
            batch = rng.choice(((), (1,) * len(batch), batch[1:]))
        n = graph.extent()
        rhs = graph.take(batch + ((n, k) if "transpose_rhs" in flags
                                  else (k, n)), lhs.dtype)
    k2, n = rhs.shape[-2:]
    if "transpose_rhs" in flags:
        k2, n = n, k2
    if k != k2:
        return
    bounds = product_bounds(lhs, rhs, k)
    batch = max(lhs.shape[:-2], rhs.shape[:-2], key=len)
    result = Value("", batch + (m, n), dtype, bounds)
    attributes = " {" + ", ".join(flags) + "}" if flags else ""
    graph.emit(f"matmul {lhs}, {rhs}{attributes} : ({lhs.type}, {rhs.type}) "
               f"-> {result.type}", [lhs, rhs],
               (result.shape, dtype, bounds))


def conv2d(graph):
    rng = graph.rng
    dtype = graph.random_float()
    is_nhwc = rng.chance(0.5)
    groups = rng.choice((1, 1, 1, 2, 3))
    channels, outputs = groups * rng.integer(1, 5), groups * rng.integer(1, 5)
    batch, height, width = rng.integer(1, 2), *(
        rng.integer(5, 9) for _ in range(2))  # what a dilated 3 x 3 needs
    filters = rng.integer(1, 3), rng.integer(1, 3)
    strides = rng.integer(1, 2), rng.integer(1, 3)
    dilations = (1, 1) if rng.chance(0.6) else (rng.integer(1, 2), 1)
    pads = [rng.below(2) for _ in range(4)]
    x = graph.take((batch, height, width, channels) if is_nhwc else
                   (batch, channels, height, width), dtype)
    f = graph.take((outputs, channels // groups, *filters), dtype)
    operands = [x, f]
    bounds = product_bounds(x, f, channels // groups * filters[0] * filters[1])
    if rng.chance(0.5):
        operands.append(graph.take((outputs,), dtype))
        size = bounds[1] + operands[-1].size
        bounds = -size, size
    p, q = ((extent + pads[i] + pads[i + 2] - (filters[i] - 1) * dilations[i]
             - 1) // strides[i] + 1 for i, extent in enumerate((height, width)))
    shape = (batch, p, q, outputs) if is_nhwc else (batch, outputs, p, q)

    def numbers(values):
        return f"array<i64: {', '.join(map(str, values))}>"
    graph.emit(
        f"conv2d {', '.join(map(str, operands))} {{layout = "
        f"\"{'nhwc' if is_nhwc else 'nchw'}\", groups = {groups} : i64, "
        f"strides = {numbers(strides)}, pads = {numbers(pads)}, dilations = "
        f"{numbers(dilations)}}} : ({', '.join(v.type for v in operands)}) -> "
        f"{Value('', shape, dtype, (0, 0)).type}", operands,
        (shape, dtype, bounds))


GENERATORS = {"linear": (3, linear), "matmul": (3, matmul),
              "conv2d": (1, conv2d)}
