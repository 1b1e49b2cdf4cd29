# SPDX-License-Identifier: Apache-2.0
"""A level of a UNet as diffusion models have it: residual blocks with group
norms, a convolution that strides down, and the way up again beside what was
there. One way up repeats pixels (`main`), one is a transposed convolution
(`transposed`)."""

import dataclasses

import images

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Size:
    width: int
    groups: int
    image: int


SIZES = {"base": Size(320, 32, 64), "tiny": Size(8, 4, 10)}
SEQUENCE = {"base": None, "tiny": None}  # follows from the image


def residual(f, x, name, width, groups):
    y = x
    for i in (1, 2):
        y = images.group_norm(f, y, f"{name}.norm{i}", groups, EPSILON)
        y = images.conv(f, f.unary("silu", y), f"{name}.conv{i}", width, 3,
                        bias=True)
    if x.dims != y.dims:
        x = images.conv(f, x, f"{name}.shortcut", width, 1, bias=True, gain=1)
    return f.add(x, y)


def level(f, size, batch, up):
    """`up` makes an image twice as high and wide."""
    width, groups = size.width, size.groups
    x = images.image(f, batch, size.image, width)
    skipped = residual(f, x, "down", width, groups)
    x = images.conv(f, skipped, "stride", width, 3, 2, bias=True, gain=1)
    x = residual(f, x, "middle", 2 * width, groups)
    x = f.concat([up(x), skipped], 1)
    f.output("result", residual(f, x, "up", width, groups))


def build(module, size, batch, *_):
    f = module.function("main")
    level(f, size, batch, lambda x: images.conv(
        f, f.repeat_pixels(x, 2), "repeat", size.width,
        3, bias=True, gain=1))
    g = module.function("transposed")
    level(g, size, batch, lambda x: images.conv_transpose(
        g, x, "transpose", size.width, 2))
