# SPDX-License-Identifier: Apache-2.0
"""Layers of convolutional networks, on [N, C, H, W] as PyTorch has it.

Weights keep activations near a variance of one. Statistics of batch norms are
those of the images that calibrate.py makes, as a trained model has those of what
it was trained on.
"""

import math

from model_files import Computed, Uniform


def conv(f, x, name, channels, size, stride=1, pad=None, groups=1, bias=False,
         gain=2.0):
    """`pad`: half of the size if not given. `gain` 2 is for what a relu made."""
    pad = size // 2 if pad is None else pad
    inputs = x.dims[1] // groups
    weight = f.weight(f"{name}.weight", (channels, inputs, size, size),
                      Uniform(0, (3 * gain / (inputs * size * size)) ** 0.5))
    shift = f.weight(f"{name}.bias", (channels,),
                     Uniform(0, 0.2)) if bias else None
    return f.conv2d(x, weight, shift, [stride] * 2, [pad] * 2, groups)


def conv1d(f, x, name, channels, size, stride=1):
    """[N, C, L], with a bias."""
    inputs = x.dims[1]
    weight = f.weight(f"{name}.weight", (channels, inputs, size),
                      Uniform(0, (3 / (inputs * size)) ** 0.5))
    bias = f.weight(f"{name}.bias", (channels,), Uniform(0, 0.2))
    return f.conv1d(x, weight, bias, stride, size // 2)


def conv_transpose(f, x, name, channels, size):
    """A result `size` times as high and wide."""
    inputs = x.dims[1]
    weight = f.weight(f"{name}.weight", (inputs, channels, size, size),
                      Uniform(0, (3 / inputs) ** 0.5))
    bias = f.weight(f"{name}.bias", (channels,), Uniform(0, 0.2))
    return f.conv_transpose2d(x, weight, bias)


def batch_norm(f, x, name, epsilon, scale=1.0):
    """With the statistics of training, not those of `x`."""
    def weight(part, content):
        return f.weight(f"{name}.{part}", x.dims[1:2], content)

    seen = Computed(f.module.computed)
    return f.batch_norm(
        x, weight("running_mean", seen), weight("running_var", seen),
        weight("weight", Uniform(scale, 0.2)), weight("bias", Uniform(0, 0.2)),
        epsilon)


def global_average(f, x):
    """[N, C, H, W] as [N, C]."""
    return f.mean(x, [2, 3])


def group_norm(f, x, name, groups, epsilon):
    channels = x.dims[1:2]
    scale = f.weight(f"{name}.weight", channels, Uniform(1, 0.2))
    bias = f.weight(f"{name}.bias", channels, Uniform(0, 0.2))
    return f.group_norm(x, scale, bias, groups, epsilon)


def channels_last(f, x):
    return f.transpose(x, 0, 2, 3, 1)


def channels_first(f, x):
    return f.transpose(x, 0, 3, 1, 2)


def divisible(value, by=8):
    """To the nearest multiple, but not below nine tenths: MobileNet's rule."""
    near = max(by, int(value + by / 2) // by * by)
    return near + by if near < 0.9 * value else near


def image(f, batch, size, channels=3):
    return f.input("pixel_values", (batch, channels, size, size),
                   Uniform(0, math.sqrt(3)))
