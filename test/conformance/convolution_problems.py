# SPDX-License-Identifier: Apache-2.0
"""Problems of conv2d."""

import itertools
import random

from images import numbers, outputs
from problems import Problem, functional
from tensors import FLOATS

LAYOUTS = ("nchw", "nhwc")


def convolution(name, dtype, layout, channels, filters, sides, size, groups=1,
                pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1)):
    extents = [outputs(sides[i], size[i], strides[i], pads[i], pads[i + 2],
                       dilations[i], False) for i in (0, 1)]
    x, shape = ((2, *sides, channels), (2, *extents, filters)) if \
        layout == "nhwc" else \
        ((2, channels, *sides), (2, filters, *extents))
    arguments = {"x": (x, dtype),
                 "f": ((filters, channels // groups, *size), dtype)}
    return Problem(
        "conv2d", f"conv_{layout}_{name}_{dtype}", arguments,
        f"conv2d %x, %f {{layout = \"{layout}\", groups = {groups} : i64, "
        f"pads = {numbers(pads)}, strides = {numbers(strides)}, dilations = "
        f"{numbers(dilations)}}} : {functional(arguments, [(shape, dtype)])}",
        (shape, dtype))


def small():
    for dtype, layout, groups, pad, step in itertools.product(
            FLOATS, LAYOUTS, (1, 3), (0, 1), (1, 2)):
        yield convolution(f"{groups}_{pad}_{step}", dtype, layout, 6, 9,
                          (9, 9), (3, 3), groups, [pad] * 4, [step] * 2)


# Channels in and out, filter, pad, stride, groups: what kernels of convolutions
# do otherwise than for a few channels.
KINDS = {"deep": (64, 72, 3, 1, 1, 1), "first": (3, 16, 7, 3, 2, 1),
         "one_pixel": (24, 40, 1, 0, 1, 1),
         "depthwise": (16, 16, 3, 1, 1, 16),
         "depthwise_5x5": (6, 12, 5, 2, 2, 6)}


def kinds():
    for dtype, layout, (name, (c, k, size, pad, step, groups)) in \
            itertools.product(FLOATS, LAYOUTS, KINDS.items()):
        yield convolution(name, dtype, layout, c, k, (9, 9), [size] * 2,
                          groups, [pad] * 4, [step] * 2)


# Channels in and out, groups.
CHANNELS = ((1, 5, 1), (3, 16, 1), (8, 12, 2), (13, 13, 13), (40, 33, 1),
            (32, 24, 1), (64, 64, 2))


def sweep():
    """Filters of each size, stride, dilation and kind of channels, each in one
    dtype and order, on sides and with pads that are drawn."""
    draw = random.Random(15)
    for size, stride, dilation, (c, k, groups) in itertools.product(
            range(1, 8), (1, 2, 3), (1, 2), CHANNELS):
        reach = (size - 1) * dilation
        sides = [reach + draw.randint(1, 12) for _ in range(2)]
        pads = [draw.randint(0, reach) for _ in range(4)]
        yield convolution(
            f"swept_{size}_{stride}_{dilation}_{c}_{groups}",
            draw.choice(FLOATS), draw.choice(LAYOUTS), c, k, sides,
            (size, draw.choice((size, size, 1))), groups, pads,
            (stride, draw.choice((stride, stride, 1))),
            (dilation, draw.choice((dilation, 1))))


def all_problems():
    yield from small()
    yield from kinds()
    yield from sweep()
