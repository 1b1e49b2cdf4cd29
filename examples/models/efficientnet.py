# SPDX-License-Identifier: Apache-2.0
"""EfficientNet-B0 (Tan and Le, 2019), as torchvision has it: MobileNet's blocks
with silu, squeezed in all of them."""

import dataclasses

import images
from layers import linear

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Stage:
    expansion: int
    kernel: int
    stride: int
    channels: int
    blocks: int


@dataclasses.dataclass(frozen=True)
class Size:
    stages: tuple
    stem: int
    last: int
    image: int
    classes: int


def stages(*rows):
    return tuple(Stage(*row) for row in rows)


SIZES = {
    "base": Size(stages((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2),
                        (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
                        (6, 3, 1, 320, 1)), 32, 1280, 224, 1000),
    "tiny": Size(stages((1, 3, 1, 8, 1), (3, 5, 2, 12, 2)), 8, 20, 17, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def conv_norm(f, x, name, channels, size, stride=1, groups=1, silu=True):
    x = images.conv(f, x, f"{name}.conv", channels, size, stride,
                    groups=groups)
    x = images.batch_norm(f, x, f"{name}.norm", EPSILON)
    return f.unary("silu", x) if silu else x


def squeeze(f, x, name, squeezed):
    y = f.mean(x, [2, 3], keep_dims=True)
    y = images.conv(f, y, f"{name}.down", squeezed, 1, bias=True)
    y = images.conv(f, f.unary("silu", y), f"{name}.up", x.dims[1], 1,
                    bias=True)
    return f.binary("mul", x, f.unary("sigmoid", y))


def block(f, x, name, stage, stride):
    inputs, y = x.dims[1], x
    wide = stage.expansion * inputs
    if wide != inputs:
        y = conv_norm(f, y, f"{name}.expand", wide, 1)
    y = conv_norm(f, y, f"{name}.depthwise", wide, stage.kernel, stride, wide)
    y = squeeze(f, y, f"{name}.squeeze", max(1, inputs // 4))
    y = conv_norm(f, y, f"{name}.project", stage.channels, 1, silu=False)
    return f.add(y, x) if x.dims == y.dims else y


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = conv_norm(f, x, "stem", size.stem, 3, 2)
    for at, stage in enumerate(size.stages):
        for i in range(stage.blocks):
            f.comment(f"stage {at}, block {i}")
            x = block(f, x, f"stage.{at}.{i}", stage,
                      stage.stride if i == 0 else 1)
    x = conv_norm(f, x, "last", size.last, 1)
    f.output("logits", linear(f, images.global_average(f, x), "head",
                              size.classes))
