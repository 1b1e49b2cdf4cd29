# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 (He et al., 2015) with the stride in the 3 x 3 convolution, as
torchvision has it: an image to logits."""

import dataclasses

import images
from layers import linear

EPSILON = 1e-5
EXPANSION = 4


@dataclasses.dataclass(frozen=True)
class Size:
    stages: tuple
    width: int
    image: int
    classes: int


SIZES = {"base": Size((3, 4, 6, 3), 64, 224, 1000),
         "tiny": Size((2, 1), 6, 35, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def conv_norm(f, x, name, channels, size, stride=1, scale=1.0):
    x = images.conv(f, x, f"{name}.conv", channels, size, stride)
    return images.batch_norm(f, x, f"{name}.norm", EPSILON, scale)


def bottleneck(f, x, name, width, stride):
    y = f.unary("relu", conv_norm(f, x, f"{name}.1", width, 1))
    y = f.unary("relu", conv_norm(f, y, f"{name}.2", width, 3, stride))
    y = conv_norm(f, y, f"{name}.3", EXPANSION * width, 1, scale=0.5)
    if x.dims != y.dims:
        x = conv_norm(f, x, f"{name}.shortcut", EXPANSION * width, 1, stride)
    return f.unary("relu", f.add(y, x))


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = f.unary("relu", conv_norm(f, x, "stem", size.width, 7, 2))
    x = f.max_pool(x, [3, 3], [2, 2], [1, 1])
    for stage, blocks in enumerate(size.stages):
        for i in range(blocks):
            f.comment(f"stage {stage}, block {i}")
            x = bottleneck(f, x, f"stage.{stage}.{i}", size.width << stage,
                           2 if stage and i == 0 else 1)
    f.output("logits", linear(f, images.global_average(f, x), "head",
                              size.classes))
