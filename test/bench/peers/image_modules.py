# SPDX-License-Identifier: Apache-2.0
"""The convolutional networks of test/models/torch_images.py, fit to be timed: a call
makes no modules, so that torch.compile and CUDA graphs can capture it."""

import pathlib
import sys

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
from torch_images import MODELS, as_f32  # noqa: E402


class Functions:
    """The layers of a Network, without a module made for each in each call."""

    def conv(self, x, name, size, stride=1, pad=None, groups=1):
        return functional.conv2d(
            x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"),
            stride, size // 2 if pad is None else pad, groups=groups)

    def linear(self, x, name):
        return functional.linear(x, self.weights[f"{name}.weight"],
                                 self.weights.get(f"{name}.bias"))

    def batch_norm(self, x, name, epsilon):
        mean, variance, weight, bias = (
            self.weights[f"{name}.{what}"]
            for what in ("running_mean", "running_var", "weight", "bias"))
        return functional.batch_norm(x, mean, variance, weight, bias,
                                     eps=as_f32(epsilon))

    def layer_norm(self, x, name, epsilon):
        return functional.layer_norm(
            x, x.shape[-1:], self.weights[f"{name}.weight"],
            self.weights[f"{name}.bias"], epsilon)

    def group_norm(self, x, name, groups, epsilon):
        return functional.group_norm(
            x, groups, self.weights[f"{name}.weight"],
            self.weights[f"{name}.bias"], epsilon)


class Images(nn.Module):
    """A network of torch_images in channels_last, which its convolutions are
    fastest in; the input comes as NCHW."""

    def __init__(self, model, size, function, tensors):
        super().__init__()
        self.made_of = (model, size, function)
        network = MODELS[model]
        made = type(network.__name__, (Functions, network), {})
        self.network = made({name: ordered(x) for name, x in tensors.items()},
                            size)
        self.main = getattr(self.network, function)

    def double(self):
        return Images(*self.made_of, {
            name: x.double() for name, x in self.network.weights.items()})

    def forward(self, pixel_values):
        result, = self.main(ordered(pixel_values)).values()
        return result


def ordered(x):
    return (x.contiguous(memory_format=torch.channels_last) if x.dim() == 4
            else x)
