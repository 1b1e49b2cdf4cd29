# SPDX-License-Identifier: Apache-2.0
"""Problems of ops on images: pooling, resizing, mirrored and repeated edges,
transposed convolutions."""

import itertools

import arrays
from images import numbers, outputs
from problems import Problem, functional
from tensors import FLOATS, INTEGERS, tensor


def image(layout, channels, height, width):
    return (2, height, width, channels) if layout == "nhwc" else \
        (2, channels, height, width)


SIDES = (9, 17)
# Window, strides, pads, dilations, flags.
POOLS = {"resnet": ((3, 3), (2, 2), (1, 1, 1, 1), (1, 1), ""),
         "inside": ((2, 2), (2, 2), (0, 0, 0, 0), (1, 1), ""),
         "same": ((3, 3), (1, 1), (1, 1, 1, 1), (1, 1), ""),
         "up": ((3, 2), (2, 3), (0, 1, 1, 0), (1, 1), ", ceil_mode"),
         "counted": ((4, 4), (3, 2), (2, 1, 1, 3), (1, 1),
                     ", ceil_mode, count_pads"),
         "apart": ((2, 3), (1, 2), (1, 0, 0, 2), (3, 2), ""),
         "row": ((1, 5), (1, 1), (0, 2, 0, 2), (1, 1), ""),
         "all": ((9, 17), (1, 1), (0, 0, 0, 0), (1, 1), "")}


def pools():
    for dtype, layout, kind, (name, pool) in itertools.product(
            FLOATS, ("nchw", "nhwc"), ("max", "average", "sum"),
            POOLS.items()):
        window, strides, pads, dilations, flags = pool
        result = [outputs(SIDES[i], window[i], strides[i], pads[i],
                          pads[i + 2], dilations[i], "ceil_mode" in flags)
                  for i in (0, 1)]
        for channels in (3, 33) if name == "resnet" else (19,):
            x = image(layout, channels, *SIDES)
            shape = image(layout, channels, *result)
            data = {"special": {"x": arrays.special(x, dtype, 1)}}
            yield Problem(
                "pool2d", f"pool_{kind}_{name}_{layout}_{channels}_{dtype}",
                {"x": (x, dtype)}, f"pool2d {kind}, %x window = "
                f"{list(window)} {{layout = \"{layout}\", strides = "
                f"{numbers(strides)}, pads = {numbers(pads)}, dilations = "
                f"{numbers(dilations)}{flags}}} : {tensor(x, dtype)} -> "
                f"{tensor(shape, dtype)}", (shape, dtype), data)


def resizes():
    for dtype, layout, rule, (height, width) in itertools.product(
            FLOATS + INTEGERS, ("nchw", "nhwc"),
            ("half_pixel", "align_corners", "asymmetric"),
            ((10, 14), (5, 21), (3, 4), (1, 17))):
        for mode in ("nearest", "bilinear") if dtype in FLOATS else \
                ("nearest",):
            x, shape = image(layout, 19, 5, 7), image(layout, 19, height,
                                                      width)
            yield Problem(
                "resize", f"resize_{mode}_{rule}_{height}x{width}_{layout}_"
                f"{dtype}", {"x": (x, dtype)}, f"resize {mode} {rule}, %x to "
                f"[{height}, {width}] {{layout = \"{layout}\"}} : "
                f"{tensor(x, dtype)} -> {tensor(shape, dtype)}",
                (shape, dtype))


def pads():
    for dtype, mode in itertools.product(FLOATS + INTEGERS + ("i1",),
                                         ("reflect", "edge")):
        last = 8 if mode == "reflect" else 9  # as many as there are to mirror
        x, shape = (2, 5, 7, 9), (2, 8, 12, 17 + last)
        yield Problem(
            "pad", f"pad_{mode}_{dtype}", {"x": (x, dtype)},
            f"pad %x before [0, 1, 0, 8] after [0, 2, 5, {last}] {{mode = "
            f"#graph.pad_mode<{mode}>}} : {tensor(x, dtype)} -> "
            f"{tensor(shape, dtype)}", (shape, dtype))


def transposed():
    for dtype, layout, groups, (size, stride, pad, dilation) in \
            itertools.product(FLOATS, ("nchw", "nhwc"), (1, 3),
                              ((2, 2, 0, 1), (3, 2, 1, 1), (4, 2, 1, 1),
                               (3, 1, 1, 2), (2, 3, 0, 2), (1, 2, 0, 1))):
        extents = [(n - 1) * stride - 2 * pad + (size - 1) * dilation + 1
                   for n in (5, 7)]
        x, shape = image(layout, 6, 5, 7), image(layout, 9, *extents)
        arguments = {"x": (x, dtype),
                     "f": ((6, 9 // groups, size, size), dtype)}
        yield Problem(
            "conv_transpose2d",
            f"transposed_{layout}_{groups}_{size}_{stride}_{pad}_{dilation}_"
            f"{dtype}", arguments,
            f"conv_transpose2d %x, %f {{layout = \"{layout}\", groups = "
            f"{groups} : i64, pads = {numbers([pad] * 4)}, strides = "
            f"{numbers([stride] * 2)}, dilations = {numbers([dilation] * 2)}}}"
            f" : {functional(arguments, [(shape, dtype)])}", (shape, dtype))


def all_problems():
    yield from pools()
    yield from resizes()
    yield from pads()
    yield from transposed()
