# SPDX-License-Identifier: Apache-2.0
"""MobileNetV3-Large (Howard et al., 2019), as torchvision has it: depthwise
convolutions, squeeze and excitation, hard swish."""

import dataclasses

import images
from layers import linear

EPSILON = 1e-3


@dataclasses.dataclass(frozen=True)
class Block:
    kernel: int
    expanded: int
    channels: int
    squeezes: bool
    activation: str
    stride: int


@dataclasses.dataclass(frozen=True)
class Size:
    blocks: tuple
    last: int
    hidden: int
    image: int
    classes: int


def blocks(*rows):
    return tuple(Block(*row) for row in rows)


SIZES = {
    "base": Size(blocks(
        (3, 16, 16, False, "relu", 1), (3, 64, 24, False, "relu", 2),
        (3, 72, 24, False, "relu", 1), (5, 72, 40, True, "relu", 2),
        (5, 120, 40, True, "relu", 1), (5, 120, 40, True, "relu", 1),
        (3, 240, 80, False, "hard_swish", 2),
        (3, 200, 80, False, "hard_swish", 1),
        (3, 184, 80, False, "hard_swish", 1),
        (3, 184, 80, False, "hard_swish", 1),
        (3, 480, 112, True, "hard_swish", 1),
        (3, 672, 112, True, "hard_swish", 1),
        (5, 672, 160, True, "hard_swish", 2),
        (5, 960, 160, True, "hard_swish", 1),
        (5, 960, 160, True, "hard_swish", 1)), 960, 1280, 224, 1000),
    "tiny": Size(blocks(
        (3, 16, 16, False, "relu", 1), (5, 24, 8, True, "relu", 2),
        (3, 40, 8, True, "hard_swish", 1)), 24, 20, 17, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def conv_norm(f, x, name, channels, size, stride=1, groups=1, activation=None):
    x = images.conv(f, x, f"{name}.conv", channels, size, stride,
                    groups=groups)
    x = images.batch_norm(f, x, f"{name}.norm", EPSILON)
    return f.unary(activation, x) if activation else x


def squeeze(f, x, name):
    """x times a number for each channel that follows from all of its pixels."""
    channels = x.dims[1]
    y = f.mean(x, [2, 3], keep_dims=True)
    y = images.conv(f, y, f"{name}.down", images.divisible(channels // 4), 1,
                    bias=True)
    y = images.conv(f, f.unary("relu", y), f"{name}.up", channels, 1,
                    bias=True)
    return f.binary("mul", x, f.unary("hard_sigmoid", y))


def inverted(f, x, name, block):
    y = x
    if block.expanded != x.dims[1]:
        y = conv_norm(f, y, f"{name}.expand", block.expanded, 1,
                      activation=block.activation)
    y = conv_norm(f, y, f"{name}.depthwise", block.expanded, block.kernel,
                  block.stride, block.expanded, block.activation)
    if block.squeezes:
        y = squeeze(f, y, f"{name}.squeeze")
    y = conv_norm(f, y, f"{name}.project", block.channels, 1)
    return f.add(x, y) if x.dims == y.dims else y


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = conv_norm(f, x, "stem", 16, 3, 2, activation="hard_swish")
    for i, block in enumerate(size.blocks):
        f.comment(f"block {i}")
        x = inverted(f, x, f"block.{i}", block)
    x = conv_norm(f, x, "last", size.last, 1, activation="hard_swish")
    x = linear(f, images.global_average(f, x), "hidden", size.hidden)
    f.output("logits", linear(f, f.unary("hard_swish", x), "head",
                              size.classes))
