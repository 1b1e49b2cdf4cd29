# SPDX-License-Identifier: Apache-2.0
"""Ops and layers of convolutional networks, on [N, C, H, W] as PyTorch has it.

Weights keep activations near a variance of one. Statistics of batch norms are
as a trained model has them: no mean is 0, no variance 1. So a norm that is
folded wrongly shows.
"""

import math

from model_files import Uniform


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def outputs(extent, size, stride, pad):
    return (extent + 2 * pad - size) // stride + 1


def conv(f, x, name, channels, size, stride=1, pad=None, groups=1, bias=False,
         gain=2.0):
    """`pad`: half of the size if not given. `gain` 2 is for what a relu made."""
    pad = size // 2 if pad is None else pad
    n, inputs, height, width = x.dims
    fan_in = inputs // groups * size * size
    weight = f.weight(f"{name}.weight",
                      (channels, inputs // groups, size, size),
                      Uniform(0, (3 * gain / fan_in) ** 0.5))
    operands = [x, weight]
    if bias:
        operands.append(f.weight(f"{name}.bias", (channels,),
                                 Uniform(0, 0.2)))
    return f.append(
        f"conv2d {', '.join(o.name for o in operands)} {{groups = {groups} : "
        f"i64, pads = {numbers([pad] * 4)}, strides = {numbers([stride] * 2)}}}",
        (n, channels, outputs(height, size, stride, pad),
         outputs(width, size, stride, pad)), x.dtype, operands)


def conv1d(f, x, name, channels, size, stride=1):
    """[N, C, L], with a bias: a convolution over images of one row."""
    n, inputs, length = x.dims
    pad = size // 2
    bound = (3 / (inputs * size)) ** 0.5
    weight = f.weight(f"{name}.weight", (channels, inputs, size),
                      Uniform(0, bound))
    operands = [f.reshape(x, n, inputs, 1, length),
                f.reshape(weight, channels, inputs, 1, size),
                f.weight(f"{name}.bias", (channels,), Uniform(0, 0.2))]
    made = outputs(length, size, stride, pad)
    y = f.append(
        f"conv2d {', '.join(o.name for o in operands)} {{pads = "
        f"{numbers([0, pad] * 2)}, strides = {numbers([1, stride])}}}",
        (n, channels, 1, made), x.dtype, operands)
    return f.reshape(y, n, channels, made)


def conv_transpose(f, x, name, channels, size):
    """A result `size` times as high and wide."""
    n, inputs, height, width = x.dims
    weight = f.weight(f"{name}.weight", (inputs, channels, size, size),
                      Uniform(0, (3 / inputs) ** 0.5))
    bias = f.weight(f"{name}.bias", (channels,), Uniform(0, 0.2))
    operands = (x, weight, bias)
    return f.append(
        f"conv_transpose2d {', '.join(o.name for o in operands)} {{strides = "
        f"{numbers([size] * 2)}}}", (n, channels, size * height, size * width),
        x.dtype, operands)


def batch_norm(f, x, name, epsilon, scale=1.0):
    """With the statistics of training: a product and a sum for each channel,
    which minic folds into the convolution before. In float32, as PyTorch has it:
    rounded statistics err the same way for all pixels of a channel."""
    channels, dtype = x.dims[1], x.dtype

    def wide(value):
        return value if value.dtype == "f32" else f.cast(value, "f32")

    def weight(part, content):
        return wide(f.weight(f"{name}.{part}", (channels,), content))

    variance = weight("running_var", Uniform(1, 0.5))
    deviation = f.unary("sqrt", f.add(variance, f.scalar(f"{epsilon:.1e}", "f32")))
    factor = f.binary("div", weight("weight", Uniform(scale, 0.2)), deviation)
    shift = f.binary("sub", weight("bias", Uniform(0, 0.2)), f.binary(
        "mul", weight("running_mean", Uniform(0, 0.2)), factor))
    y = f.binary("mul", wide(x), f.reshape(factor, channels, 1, 1))
    y = f.add(y, f.reshape(shift, channels, 1, 1))
    return y if dtype == "f32" else f.cast(y, dtype)


def pool(f, x, kind, size, stride, pad=0):
    n, channels, height, width = x.dims
    return f.rearrange(
        f"pool2d {kind}, {x.name} window = [{size}, {size}] {{pads = "
        f"{numbers([pad] * 4)}, strides = {numbers([stride] * 2)}}}", "->", x,
        (n, channels, outputs(height, size, stride, pad),
         outputs(width, size, stride, pad)))


def global_average(f, x):
    """[N, C, H, W] as [N, C]."""
    return f.rearrange(f"reduce mean, {x.name} [2, 3]", "->", x, x.dims[:2])


def resize(f, x, mode, times):
    n, channels, height, width = x.dims
    sizes = [times * height, times * width]
    return f.rearrange(f"resize {mode}, {x.name} to {sizes}", "->", x,
                       (n, channels, *sizes))


def group_norm(f, x, name, groups, epsilon):
    channels = x.dims[1:2]
    scale = f.weight(f"{name}.weight", channels, Uniform(1, 0.2))
    bias = f.weight(f"{name}.bias", channels, Uniform(0, 0.2))
    return f.append(
        f"group_norm {x.name} scale {scale.name} bias {bias.name} groups = "
        f"{groups} {{epsilon = {epsilon:.1e} : f64}}", x.dims, x.dtype,
        (x, scale, bias))


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
