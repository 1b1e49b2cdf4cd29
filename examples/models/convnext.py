# SPDX-License-Identifier: Apache-2.0
"""ConvNeXt-T (Liu et al., 2022), as torchvision has it: depthwise convolutions
of 7 x 7, layer norms and linears over channels that are last meanwhile."""

import dataclasses

import images
from layers import layer_norm, linear
from model_files import Uniform

EPSILON = 1e-6


@dataclasses.dataclass(frozen=True)
class Size:
    stages: tuple
    width: int
    image: int
    classes: int


SIZES = {"base": Size((3, 3, 9, 3), 96, 224, 1000),
         "tiny": Size((1, 2), 12, 24, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def norm_of_channels(f, x, name):
    x = layer_norm(f, images.channels_last(f, x), name, EPSILON)
    return images.channels_first(f, x)


def block(f, x, name):
    width = x.dims[1]
    y = images.conv(f, x, f"{name}.depthwise", width, 7, groups=width,
                    bias=True, gain=1)
    y = layer_norm(f, images.channels_last(f, y), f"{name}.norm", EPSILON)
    y = f.unary("gelu", linear(f, y, f"{name}.up", 4 * width))
    y = linear(f, y, f"{name}.down", width)
    scale = f.weight(f"{name}.scale", (width, 1, 1), Uniform(0.5, 0.2))
    return f.add(x, f.binary("mul", images.channels_first(f, y), scale))


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = images.conv(f, x, "stem.conv", size.width, 4, 4, 0, bias=True, gain=1)
    x = norm_of_channels(f, x, "stem.norm")
    for stage, blocks in enumerate(size.stages):
        if stage:
            x = norm_of_channels(f, x, f"down.{stage}.norm")
            x = images.conv(f, x, f"down.{stage}.conv", size.width << stage, 2,
                            2, 0, bias=True, gain=1)
        for i in range(blocks):
            f.comment(f"stage {stage}, block {i}")
            x = block(f, x, f"stage.{stage}.{i}")
    x = layer_norm(f, images.global_average(f, x), "norm", EPSILON)
    f.output("logits", linear(f, x, "head", size.classes))
