# SPDX-License-Identifier: Apache-2.0
"""The image half of CLIP ViT-B/32 (Radford et al., 2021): an image to the hidden
states of its patches and to the normalised one of the class. Its gelu is
x * sigmoid(1.702 x)."""

import dataclasses

import images
from layers import attention, layer_norm, linear
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


SIZES = {"base": Size(12, 768, 12, 3072, 32, 224),
         "tiny": Size(2, 36, 3, 52, 5, 15)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def quick_gelu(f, x):
    gate = f.unary("sigmoid", f.binary("mul", x, f.scalar("1.702")))
    return f.binary("mul", x, gate)


def layer(f, x, name, size):
    y = layer_norm(f, x, f"{name}.norm1", EPSILON)
    x = f.add(x, attention(f, y, f"{name}.attention", size.heads))
    y = layer_norm(f, x, f"{name}.norm2", EPSILON)
    y = quick_gelu(f, linear(f, y, f"{name}.up", size.hidden))
    return f.add(x, linear(f, y, f"{name}.down", size.width))


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = images.conv(f, x, "patch", size.width, size.patch, size.patch, 0,
                    gain=1)
    count = x.dims[2] * x.dims[3]
    x = f.transpose(f.reshape(x, batch, size.width, count), 0, 2, 1)
    token = f.weight("class_token", (1, 1, size.width), Uniform(0, 1))
    x = f.concat([f.broadcast(token, batch, 1, size.width), x], 1)
    x = f.add(x, f.weight("position", (1, count + 1, size.width),
                          Uniform(0, 0.2)))
    x = layer_norm(f, x, "norm_before", EPSILON)
    for i in range(size.layers):
        f.comment(f"layer {i}")
        x = layer(f, x, f"layer.{i}", size)
    f.output("last_hidden_state", x)
    first = f.reshape(f.slice(x, 1, 0, 1), batch, size.width)
    f.output("pooled", layer_norm(f, first, "norm_after", EPSILON))
