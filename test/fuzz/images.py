# SPDX-License-Identifier: Apache-2.0
"""Ops on images: pool2d, resize and conv_transpose2d."""

import math

from graph import MOST_ELEMENTS
from products import product_bounds
from tensors import Value


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def image(is_nhwc, batch, channels, height, width):
    return (batch, height, width, channels) if is_nhwc else \
        (batch, channels, height, width)


def take_image(graph, is_nhwc, dtype=None):
    """A value of rank 4 that there is, or one that is made."""
    rng = graph.rng
    found = graph.pick(lambda v: len(v.shape) == 4 and v.elements and
                       (v.dtype == dtype if dtype else v.is_number))
    if found and rng.chance(0.7):
        return found
    shape = image(is_nhwc, rng.integer(1, 2), rng.integer(1, 20),
                  rng.integer(1, 9), rng.integer(1, 9))
    return graph.take(shape, dtype or graph.random_float())


def sides_of(value, is_nhwc):
    return value.shape[1:3] if is_nhwc else value.shape[2:]


def with_sides(value, is_nhwc, sides):
    n, second, _, last = value.shape
    return (n, *sides, last) if is_nhwc else (n, second, *sides)


def outputs(extent, window, stride, before, after, dilation, is_up):
    room = extent + before + after - (window - 1) * dilation - 1
    count = room // stride + 1
    more = is_up and room % stride and count * stride - before < extent
    return count + bool(more)


def pool2d(graph):
    rng = graph.rng
    is_nhwc = rng.chance(0.5)
    value = take_image(graph, is_nhwc, graph.random_float())
    is_up, counts = rng.chance(0.3), rng.chance(0.3)
    lines = []
    for extent in sides_of(value, is_nhwc):
        window = extent if rng.chance(0.15) else rng.integer(1, 4)
        dilation = rng.integer(1, min(extent, 2))
        reach = (window - 1) * dilation + 1
        before, after = rng.below(min(reach, 3)), rng.below(min(reach, 3))
        if extent + before + after < reach:
            window, dilation, before, after = 1, 1, 0, 0
        lines.append((window, rng.integer(1, 3), before, after, dilation))
    shape = with_sides(value, is_nhwc, [
        outputs(extent, *line, is_up)
        for extent, line in zip(sides_of(value, is_nhwc), lines)])
    if math.prod(shape) > 2 * MOST_ELEMENTS:
        return
    kind = rng.choice(("max", "average", "sum"))
    bounds = value.bounds
    if kind != "max":
        times = lines[0][0] * lines[1][0] if kind == "sum" else 1
        size = value.size * times * 1.02
        bounds = -size, size
    windows, strides, before, after, dilations = zip(*lines)
    flags = ", ceil_mode" * is_up + ", count_pads" * counts
    graph.emit(f"pool2d {kind}, {value} window = {list(windows)} {{layout = "
               f"\"{'nhwc' if is_nhwc else 'nchw'}\", strides = "
               f"{numbers(strides)}, pads = {numbers(before + after)}, "
               f"dilations = {numbers(dilations)}{flags}}} : {value.type} -> "
               f"{Value('', shape, value.dtype, (0, 0)).type}", [value],
               (shape, value.dtype, bounds))


def resize(graph):
    rng = graph.rng
    is_nhwc = rng.chance(0.5)
    value = take_image(graph, is_nhwc)
    mode = rng.choice(("nearest", "bilinear")) if value.is_float else "nearest"
    rule = rng.choice(("half_pixel", "align_corners", "asymmetric"))
    sizes = [rng.choice((extent, 2 * extent, rng.integer(1, 17)))
             for extent in sides_of(value, is_nhwc)]
    shape = with_sides(value, is_nhwc, sizes)
    if math.prod(shape) > 2 * MOST_ELEMENTS:
        return
    size = value.size * 1.02
    graph.emit(f"resize {mode} {rule}, {value} to {sizes} {{layout = "
               f"\"{'nhwc' if is_nhwc else 'nchw'}\"}} : {value.type} -> "
               f"{Value('', shape, value.dtype, (0, 0)).type}", [value],
               (shape, value.dtype,
                value.bounds if mode == "nearest" else (-size, size)))


def conv_transpose2d(graph):
    rng = graph.rng
    dtype = graph.random_float()
    is_nhwc = rng.chance(0.5)
    groups = rng.choice((1, 1, 1, 2, 3))
    channels, perGroup = groups * rng.integer(1, 5), rng.integer(1, 5)
    shape, lines = [], []
    for _ in range(2):
        extent, filters = rng.integer(1, 6), rng.integer(1, 4)
        stride, dilation = rng.integer(1, 3), rng.integer(1, 2)
        extra = rng.below(2)
        whole = (extent - 1) * stride + (filters - 1) * dilation + extra + 1
        before = rng.below(min(whole, 3))
        after = rng.below(min(whole - before, 3))
        shape.append((extent, whole - before - after))
        lines.append((filters, stride, before, after, dilation, extra))
    batch = rng.integer(1, 2)
    filters, strides, before, after, dilations, extra = zip(*lines)
    x = graph.take(image(is_nhwc, batch, channels, *(e for e, _ in shape)),
                   dtype)
    f = graph.take((channels, perGroup, *filters), dtype)
    operands = [x, f]
    bounds = product_bounds(x, f, channels // groups * math.prod(filters))
    if rng.chance(0.5):
        operands.append(graph.take((groups * perGroup,), dtype))
        size = bounds[1] + operands[-1].size
        bounds = -size, size
    result = image(is_nhwc, batch, groups * perGroup, *(o for _, o in shape))
    graph.emit(
        f"conv_transpose2d {', '.join(map(str, operands))} {{layout = "
        f"\"{'nhwc' if is_nhwc else 'nchw'}\", groups = {groups} : i64, "
        f"strides = {numbers(strides)}, pads = {numbers(before + after)}, "
        f"dilations = {numbers(dilations)}, output_pads = {numbers(extra)}}} : "
        f"({', '.join(v.type for v in operands)}) -> "
        f"{Value('', result, dtype, (0, 0)).type}", operands,
        (result, dtype, bounds))


GENERATORS = {"pool2d": (1, pool2d), "resize": (1, resize),
              "conv_transpose2d": (0.7, conv_transpose2d)}
