# SPDX-License-Identifier: Apache-2.0
"""The encoder of Whisper base (Radford et al., 2022): 30 seconds of a
spectrogram to hidden states. Two convolutions over time, then transformer layers
whose keys have no bias."""

import dataclasses
import math

import images
from layers import attention, layer_norm, linear
from model_files import Uniform, Values

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int
    heads: int
    hidden: int
    bands: int
    positions: int


SIZES = {"base": Size(6, 512, 8, 2048, 80, 1500),
         "tiny": Size(2, 36, 3, 52, 10, 11)}
SEQUENCE = {"base": None, "tiny": None}  # 30 seconds


def sinusoids(f, size):
    """[positions, width]: sines, then cosines."""
    half = size.width // 2
    angles = [[p * math.exp(-math.log(10000) / (half - 1) * i)
               for i in range(half)] for p in range(size.positions)]
    return f.weight("position", (size.positions, size.width), Values(tuple(
        turn(angle) for row in angles for turn in (math.sin, math.cos)
        for angle in row)))


def layer(f, x, name, size):
    y = layer_norm(f, x, f"{name}.norm1", EPSILON)
    x = f.add(x, attention(f, y, f"{name}.attention", size.heads,
                           key_bias=False))
    y = layer_norm(f, x, f"{name}.norm2", EPSILON)
    y = f.unary("gelu", linear(f, y, f"{name}.up", size.hidden))
    return f.add(x, linear(f, y, f"{name}.down", size.width))


def build(module, size, batch, *_):
    f = module.function("main")
    x = f.input("input_features", (batch, size.bands, 2 * size.positions),
                Uniform(0, math.sqrt(3)))
    x = f.unary("gelu", images.conv1d(f, x, "conv1", size.width, 3))
    x = f.unary("gelu", images.conv1d(f, x, "conv2", size.width, 3, 2))
    x = f.add(f.transpose(x, 0, 2, 1), sinusoids(f, size))
    for i in range(size.layers):
        f.comment(f"layer {i}")
        x = layer(f, x, f"layer.{i}", size)
    f.output("last_hidden_state", layer_norm(f, x, "norm", EPSILON))
