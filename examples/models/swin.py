# SPDX-License-Identifier: Apache-2.0
"""Swin-T (Liu et al., 2021), as torchvision has it: attention within windows of
7 x 7 pixels, which every other block shifts by half a window; channels are last."""

import dataclasses

import images
from layers import PEAKED, layer_norm, linear, merge_heads, split_heads
from model_files import Uniform, Values

EPSILON = 1e-5
#: Added to scores of pixels that are neighbours only because rows and columns
#: were shifted around.
APART = -100


@dataclasses.dataclass(frozen=True)
class Size:
    stages: tuple
    heads: tuple
    width: int
    window: int
    patch: int
    image: int
    classes: int


SIZES = {"base": Size((2, 2, 6, 2), (3, 6, 12, 24), 96, 7, 4, 224, 1000),
         "tiny": Size((2, 2), (2, 3), 12, 3, 4, 48, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def roll(f, x, axis, by):
    """Elements from `by` on first, then those before."""
    by %= x.dims[axis]
    return f.concat([f.slice(x, axis, by, x.dims[axis]),
                     f.slice(x, axis, 0, by)], axis) if by else x


def shift_image(f, x, by):
    return roll(f, roll(f, x, 1, by), 2, by)


def split_windows(f, x, window):
    """[N, H, W, C] as [N * windows, window * window, C]."""
    n, height, width, channels = x.dims
    x = f.reshape(x, n, height // window, window, width // window, window,
                  channels)
    x = f.transpose(x, 0, 1, 3, 2, 4, 5)
    return f.reshape(x, n * height * width // window**2, window**2,
                     channels)


def merge_windows(f, x, dims, window):
    n, height, width, channels = dims
    x = f.reshape(x, n, height // window, width // window, window, window,
                  channels)
    x = f.transpose(x, 0, 1, 3, 2, 4, 5)
    return f.reshape(x, *dims)


def position_bias(f, name, heads, window):
    """[heads, window^2, window^2]: of a table by distances of rows and columns."""
    pixels = [(i, j) for i in range(window) for j in range(window)]
    side = 2 * window - 1
    index = f.weight(f"window.{window}.index", (window**4,), Values(tuple(
        (i - k + window - 1) * side + j - l + window - 1
        for i, j in pixels for k, l in pixels)), "i64")
    table = f.weight(f"{name}.position", (side * side, heads), Uniform(0, 1))
    bias = f.reshape(f.gather(table, index), window**2, window**2, heads)
    return f.transpose(bias, 2, 0, 1)


def shift_mask(f, extent, window, shift):
    """[windows, 1, window^2, window^2]: 0 and APART."""
    def part(i):
        return (i >= extent - window) + (i >= extent - shift)

    firsts = range(0, extent, window)
    masks = []
    for top in firsts:
        for left in firsts:
            parts = [(part(top + i), part(left + j)) for i in range(window)
                     for j in range(window)]
            masks += [0 if a == b else APART for a in parts for b in parts]
    return f.weight(f"shift.{extent}", (len(firsts)**2, 1, window**2, window**2),
                    Values(tuple(masks)))


def window_attention(f, x, name, heads, window, shift):
    n, extent, _, width = dims = x.dims
    pixels = split_windows(f, shift_image(f, x, shift), window)
    qkv = linear(f, pixels, f"{name}.qkv", 3 * width, gain=PEAKED)
    query, key, value = (
        split_heads(f, f.slice(qkv, 2, i * width, (i + 1) * width), heads)
        for i in range(3))
    mask = f.reshape(position_bias(f, name, heads, window), 1, heads,
                     window**2, window**2)
    if shift:
        mask = f.add(mask, shift_mask(f, extent, window, shift))
        # The same for all images.
        mask = f.reshape(mask, 1, *mask.dims)
        mask = f.broadcast(mask, n, *mask.dims[1:])
        mask = f.reshape(mask, n * mask.dims[1], *mask.dims[2:])
    y = merge_heads(f, f.attention(query, key, value, mask=mask))
    y = linear(f, y, f"{name}.out", width)
    return shift_image(f, merge_windows(f, y, dims, window), -shift)


def block(f, x, name, heads, window, shift):
    width = x.dims[-1]
    y = layer_norm(f, x, f"{name}.norm1", EPSILON)
    x = f.add(x, window_attention(f, y, f"{name}.attention", heads, window,
                                  shift))
    y = layer_norm(f, x, f"{name}.norm2", EPSILON)
    y = f.unary("gelu", linear(f, y, f"{name}.up", 4 * width))
    return f.add(x, linear(f, y, f"{name}.down", width))


def merge_patches(f, x, name):
    """Squares of 2 x 2 pixels as one, column by column."""
    n, height, width, channels = x.dims
    x = f.reshape(x, n, height // 2, 2, width // 2, 2, channels)
    x = f.reshape(f.transpose(x, 0, 1, 3, 4, 2, 5), n, height // 2, width // 2,
                  4 * channels)
    x = layer_norm(f, x, f"{name}.norm", EPSILON)
    return linear(f, x, f"{name}.reduction", 2 * channels, bias=False)


def build(module, size, batch, *_):
    f = module.function("main")
    x = images.image(f, batch, size.image)
    x = images.conv(f, x, "stem.conv", size.width, size.patch, size.patch, 0,
                    bias=True, gain=1)
    x = layer_norm(f, images.channels_last(f, x), "stem.norm", EPSILON)
    for stage, (blocks, heads) in enumerate(zip(size.stages, size.heads)):
        if stage:
            x = merge_patches(f, x, f"merge.{stage}")
        # One window needs no shift.
        shift = size.window // 2 if x.dims[1] > size.window else 0
        for i in range(blocks):
            f.comment(f"stage {stage}, block {i}")
            x = block(f, x, f"stage.{stage}.{i}", heads, size.window,
                      shift if i % 2 else 0)
    x = layer_norm(f, x, "norm", EPSILON)
    x = f.mean(x, [1, 2])
    f.output("logits", linear(f, x, "head", size.classes))
