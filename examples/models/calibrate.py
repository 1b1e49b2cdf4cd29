# SPDX-License-Identifier: Apache-2.0
"""Means and variances of batch norms: what a model finds for its own images.

A trained model has collected them while it was trained. With others activations
grow or vanish from layer to layer, and so do errors. Here a few images from the
seed pass through the model in float64, and each norm takes the statistics of what
reaches it, before anything behind it is computed. They are rounded to bf16: so
they are the same in all dtypes, and on machines whose products sum in another
order. Needs NumPy.
"""

import dataclasses
import functools

import graph_text
import model_files
from model_files import numpy

#: As many images as there are pixels in these, one at least: the last layers of a
#: small model see few pixels of each.
PIXELS, MOST_IMAGES = 1 << 17, 64


@functools.cache
def statistics(family, size, seed):
    """{name of a weight: values} of the model that `family` builds."""
    if numpy is None:
        raise ImportError("statistics of batch norms need NumPy")
    module = Module(seed)
    family.build(module, size, images(size))
    return module.found


def images(size):
    """How many."""
    return max(1, min(MOST_IMAGES, PIXELS // size.image**2))


@dataclasses.dataclass(frozen=True)
class Seen(graph_text.Value):
    array: object = None


class Module(graph_text.Module):
    """Computes ops as they are appended."""

    def __init__(self, seed):
        super().__init__("f32")
        self.seed, self.found = seed, {}

    def function(self, name):
        return Function(self, name)


def made(array):
    return Seen("", array.shape, "f32", array)


class Function(graph_text.Function):
    """Those ops that models with batch norms have."""

    def append(self, op, dims, dtype, operands=()):
        raise NotImplementedError(f"calibrate.py cannot compute {op}")

    rearrange = append

    def comment(self, text):
        pass

    def output(self, name, value, in_place_of=None):
        pass

    def values(self, name, dims, content):
        tensor = model_files.Tensor(name, dims, "f32", content)
        data = b"".join(tensor.chunks(self.module.seed))
        return numpy.frombuffer(data, "<f4").reshape(dims).astype("f8")

    def input(self, name, dims, content, dtype=None):
        # Other images than those that the model is tried on.
        return made(self.values(f"{name}.calibration", dims, content))

    def weight(self, name, dims, content, dtype=None):
        known = not isinstance(content, model_files.Computed)
        return Seen(name, dims, "f32",
                    self.values(name, dims, content) if known else None)

    def conv2d(self, x, weight, bias=None, strides=(1, 1), pads=(0, 0),
               groups=1):
        x, weight = padded(x.array, pads, 0), weight.array
        y = dense(x, weight, strides) if groups == 1 \
            else depthwise(x, weight, strides)
        return made(y if bias is None else y + per_channel(bias.array))

    def batch_norm(self, x, mean, variance, scale, bias, epsilon):
        axes = (0, 2, 3)
        center = self.keep(mean, x.array.mean(axes))
        spread = self.keep(variance, x.array.var(axes))
        factor = scale.array / numpy.sqrt(spread + epsilon)
        return made((x.array - per_channel(center)) * per_channel(factor)
                    + per_channel(bias.array))

    def keep(self, weight, values):
        words = numpy.frombuffer(model_files.encode(values, "bf16"), "<u2")
        rounded = (words.astype("<u4") << 16).view("<f4").astype("f8")
        self.module.found[weight.name] = rounded
        return rounded

    def max_pool(self, x, sizes, strides, pads):
        pixels = padded(x.array, pads, -numpy.inf)
        return made(functools.reduce(numpy.maximum, (
            part for _, part in taps(pixels, sizes, strides))))

    def mean(self, x, axes, keep_dims=False):
        return made(x.array.mean(tuple(axes), keepdims=keep_dims))

    def linear(self, x, weight, bias=None):
        y = x.array @ weight.array.T
        return made(y if bias is None else y + bias.array)

    def unary(self, kind, x, attributes=""):
        return made(UNARY[kind](x.array))

    def binary(self, kind, lhs, rhs):
        return made(BINARY[kind](lhs.array, rhs.array))


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def hard_sigmoid(x):
    return numpy.clip(x / 6 + 0.5, 0, 1)


UNARY = {"relu": lambda x: numpy.maximum(x, 0), "sigmoid": sigmoid,
         "silu": lambda x: x * sigmoid(x), "hard_sigmoid": hard_sigmoid,
         "hard_swish": lambda x: x * hard_sigmoid(x)}
BINARY = {"add": lambda x, y: x + y, "mul": lambda x, y: x * y}


def per_channel(values):
    return values.reshape(-1, 1, 1)


def padded(x, pads, value):
    return numpy.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in pads)],
                     constant_values=value) if any(pads) else x


def taps(x, sizes, strides):
    """((row, column), what that pixel of a window is in each window)"""
    rows, columns = graph_text.windows(x.shape[2:], sizes, strides, (0, 0))
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            yield (i, j), x[:, :, i:i + strides[0] * rows:strides[0],
                            j:j + strides[1] * columns:strides[1]]


def dense(x, weight, strides):
    """A product of all windows, as columns, for each image."""
    n, channels = x.shape[:2]
    filters, _, *sizes = weight.shape
    parts = [part for _, part in taps(x, sizes, strides)]
    extents = parts[0].shape[2:]
    products = []
    for i in range(n):
        columns = numpy.stack([part[i] for part in parts], 1)
        products.append(weight.reshape(filters, -1)
                        @ columns.reshape(channels * len(parts), -1))
    return numpy.stack(products).reshape(n, filters, *extents)


def depthwise(x, weight, strides):
    if weight.shape[1] != 1 or weight.shape[0] != x.shape[1]:
        raise NotImplementedError("calibrate.py knows no such groups")
    return sum(part * per_channel(weight[:, 0, i, j])
               for (i, j), part in taps(x, weight.shape[2:], strides))
