# SPDX-License-Identifier: Apache-2.0
"""A vision transformer (Dosovitskiy et al., 2020): an image to logits. Its one
convolution, whose stride is its size, is a linear over patches."""

import dataclasses

from layers import layer_norm, linear, pre_norm_block
from model_files import Uniform

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int
    heads: int
    hidden: int
    patch: int
    image: int
    classes: int


SIZES = {"base": Size(12, 768, 12, 3072, 16, 224, 1000),
         "tiny": Size(2, 36, 3, 52, 5, 15, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def patches(f, image, patch):
    """[B, C, H, W] as [B, patches, C * patch * patch]."""
    batch, channels, height, width = image.dims
    rows, columns = height // patch, width // patch
    x = f.reshape(image, batch, channels, rows, patch, columns, patch)
    x = f.transpose(x, 0, 2, 4, 1, 3, 5)
    return f.reshape(x, batch, rows * columns, channels * patch * patch)


def build(module, size, batch, *_):
    f = module.function("main")
    image = f.input("pixel_values", (batch, 3, size.image, size.image),
                    Uniform(0, 1))
    count = (size.image // size.patch) ** 2 + 1
    # Stored as that of the convolution.
    inputs = 3 * size.patch**2
    weight = f.weight("patch.weight",
                      (size.width, 3, size.patch, size.patch),
                      Uniform(0, (9 / inputs) ** 0.5))
    bias = f.weight("patch.bias", (size.width,), Uniform(0, 0.2))
    x = f.linear(patches(f, image, size.patch),
                 f.reshape(weight, size.width, inputs), bias)
    token = f.weight("class_token", (1, 1, size.width), Uniform(0, 1))
    x = f.concat([f.broadcast(token, batch, 1, size.width), x], 1)
    x = f.add(x, f.weight("position", (1, count, size.width),
                          Uniform(0, 0.2)))
    for i in range(size.layers):
        f.comment(f"block {i}")
        x = pre_norm_block(f, x, f"block.{i}", size.heads, size.hidden,
                           EPSILON)
    x = layer_norm(f, x, "norm", EPSILON)
    x = f.reshape(f.slice(x, 1, 0, 1), batch, size.width)
    f.output("logits", linear(f, x, "head", size.classes))
