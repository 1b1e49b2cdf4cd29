# SPDX-License-Identifier: Apache-2.0
"""The convolutional networks of examples/models in PyTorch: its own modules,
batch norms evaluated with their statistics."""

import struct

import torch
from torch import nn
from torch.nn import functional


def as_f32(value):
    """What a constant of f32 in the text of a model is."""
    return struct.unpack("f", struct.pack("f", value))[0]


class Network:
    """Layers by the names of their weights."""

    def __init__(self, weights, size):
        self.weights, self.size = weights, size

    def load(self, module, name):
        some = next(iter(self.weights.values()))
        module = module.to(some.dtype)
        own = {key: self.weights[f"{name}.{key}"]
               for key in module.state_dict() if key != "num_batches_tracked"}
        module.load_state_dict(own, strict=False)
        return module.eval()

    def conv(self, x, name, size, stride=1, pad=None, groups=1):
        weight = self.weights[f"{name}.weight"]
        made = nn.Conv2d(x.shape[1], weight.shape[0], size, stride,
                         size // 2 if pad is None else pad, groups=groups,
                         bias=f"{name}.bias" in self.weights)
        return self.load(made, name)(x)

    def linear(self, x, name):
        weight = self.weights[f"{name}.weight"]
        return self.load(nn.Linear(*reversed(weight.shape)), name)(x)

    def batch_norm(self, x, name, epsilon):
        made = nn.BatchNorm2d(x.shape[1], eps=as_f32(epsilon))
        return self.load(made, name)(x)

    def layer_norm(self, x, name, epsilon):
        return self.load(nn.LayerNorm(x.shape[-1], eps=epsilon), name)(x)

    def group_norm(self, x, name, groups, epsilon):
        return self.load(nn.GroupNorm(groups, x.shape[1], eps=epsilon),
                         name)(x)


class ResNet(Network):
    def conv_norm(self, x, name, size, stride=1):
        x = self.conv(x, f"{name}.conv", size, stride)
        return self.batch_norm(x, f"{name}.norm", 1e-5)

    def bottleneck(self, x, name, stride):
        y = functional.relu(self.conv_norm(x, f"{name}.1", 1))
        y = functional.relu(self.conv_norm(y, f"{name}.2", 3, stride))
        y = self.conv_norm(y, f"{name}.3", 1)
        if f"{name}.shortcut.conv.weight" in self.weights:
            x = self.conv_norm(x, f"{name}.shortcut", 1, stride)
        return functional.relu(y + x)

    def main(self, pixel_values):
        x = functional.relu(self.conv_norm(pixel_values, "stem", 7, 2))
        x = nn.MaxPool2d(3, 2, 1)(x)
        for stage, blocks in enumerate(self.size.stages):
            for i in range(blocks):
                x = self.bottleneck(x, f"stage.{stage}.{i}",
                                    2 if stage and i == 0 else 1)
        x = nn.AdaptiveAvgPool2d(1)(x).flatten(1)
        return {"logits": self.linear(x, "head")}


class MobileNet(Network):
    ACTIVATIONS = {"relu": functional.relu, "hard_swish": functional.hardswish,
                   None: lambda x: x}

    def conv_norm(self, x, name, size, stride=1, groups=1, activation=None):
        x = self.conv(x, f"{name}.conv", size, stride, groups=groups)
        x = self.batch_norm(x, f"{name}.norm", 1e-3)
        return self.ACTIVATIONS[activation](x)

    def squeeze(self, x, name):
        y = functional.adaptive_avg_pool2d(x, 1)
        y = functional.relu(self.conv(y, f"{name}.down", 1))
        return x * functional.hardsigmoid(self.conv(y, f"{name}.up", 1))

    def inverted(self, x, name, block):
        y = x
        if f"{name}.expand.conv.weight" in self.weights:
            y = self.conv_norm(y, f"{name}.expand", 1,
                               activation=block.activation)
        y = self.conv_norm(y, f"{name}.depthwise", block.kernel, block.stride,
                           block.expanded, block.activation)
        if block.squeezes:
            y = self.squeeze(y, f"{name}.squeeze")
        y = self.conv_norm(y, f"{name}.project", 1)
        return x + y if x.shape == y.shape else y

    def main(self, pixel_values):
        x = self.conv_norm(pixel_values, "stem", 3, 2,
                           activation="hard_swish")
        for i, block in enumerate(self.size.blocks):
            x = self.inverted(x, f"block.{i}", block)
        x = self.conv_norm(x, "last", 1, activation="hard_swish")
        x = functional.adaptive_avg_pool2d(x, 1).flatten(1)
        x = functional.hardswish(self.linear(x, "hidden"))
        return {"logits": self.linear(x, "head")}


class EfficientNet(Network):
    def conv_norm(self, x, name, size, stride=1, groups=1):
        x = self.conv(x, f"{name}.conv", size, stride, groups=groups)
        return self.batch_norm(x, f"{name}.norm", 1e-5)

    def squeeze(self, x, name):
        y = functional.adaptive_avg_pool2d(x, 1)
        y = functional.silu(self.conv(y, f"{name}.down", 1))
        return x * torch.sigmoid(self.conv(y, f"{name}.up", 1))

    def block(self, x, name, stage, stride):
        y = x
        if f"{name}.expand.conv.weight" in self.weights:
            y = functional.silu(self.conv_norm(y, f"{name}.expand", 1))
        y = functional.silu(self.conv_norm(
            y, f"{name}.depthwise", stage.kernel, stride, y.shape[1]))
        y = self.squeeze(y, f"{name}.squeeze")
        y = self.conv_norm(y, f"{name}.project", 1)
        return y + x if x.shape == y.shape else y

    def main(self, pixel_values):
        x = functional.silu(self.conv_norm(pixel_values, "stem", 3, 2))
        for at, stage in enumerate(self.size.stages):
            for i in range(stage.blocks):
                x = self.block(x, f"stage.{at}.{i}", stage,
                               stage.stride if i == 0 else 1)
        x = functional.silu(self.conv_norm(x, "last", 1))
        x = functional.adaptive_avg_pool2d(x, 1).flatten(1)
        return {"logits": self.linear(x, "head")}


class ConvNext(Network):
    def norm(self, x, name):
        x = self.layer_norm(x.permute(0, 2, 3, 1), name, 1e-6)
        return x.permute(0, 3, 1, 2)

    def block(self, x, name):
        y = self.conv(x, f"{name}.depthwise", 7, groups=x.shape[1])
        y = self.layer_norm(y.permute(0, 2, 3, 1), f"{name}.norm", 1e-6)
        y = functional.gelu(self.linear(y, f"{name}.up"))
        y = self.linear(y, f"{name}.down").permute(0, 3, 1, 2)
        return x + y * self.weights[f"{name}.scale"]

    def main(self, pixel_values):
        x = self.norm(self.conv(pixel_values, "stem.conv", 4, 4, 0),
                      "stem.norm")
        for stage, blocks in enumerate(self.size.stages):
            if stage:
                x = self.norm(x, f"down.{stage}.norm")
                x = self.conv(x, f"down.{stage}.conv", 2, 2, 0)
            for i in range(blocks):
                x = self.block(x, f"stage.{stage}.{i}")
        x = self.layer_norm(x.mean((2, 3)), "norm", 1e-6)
        return {"logits": self.linear(x, "head")}


class UNet(Network):
    def residual(self, x, name):
        y = x
        for i in (1, 2):
            y = self.group_norm(y, f"{name}.norm{i}", self.size.groups, 1e-5)
            y = self.conv(functional.silu(y), f"{name}.conv{i}", 3)
        if f"{name}.shortcut.weight" in self.weights:
            x = self.conv(x, f"{name}.shortcut", 1)
        return x + y

    def level(self, x, up):
        skipped = self.residual(x, "down")
        x = self.residual(self.conv(skipped, "stride", 3, 2), "middle")
        x = torch.cat([up(x), skipped], 1)
        return {"result": self.residual(x, "up")}

    def main(self, pixel_values):
        return self.level(pixel_values, lambda x: self.conv(
            functional.interpolate(x, scale_factor=2, mode="nearest"),
            "repeat", 3))

    def transposed(self, pixel_values):
        width = self.size.width
        made = self.load(nn.ConvTranspose2d(2 * width, width, 2, 2),
                         "transpose")
        return self.level(pixel_values, made)


class Swin(Network):
    """torchvision's, with its names for our weights."""
    LAYER = {"norm1": "norm1", "attn.qkv": "attention.qkv",
             "attn.proj": "attention.out", "norm2": "norm2", "mlp.0": "up",
             "mlp.3": "down"}

    def names(self):
        """torchvision's names and ours."""
        yield "features.0.0", "stem.conv"
        yield "features.0.2", "stem.norm"
        for stage, blocks in enumerate(self.size.stages):
            for i in range(blocks):
                theirs, ours = f"features.{2 * stage + 1}.{i}", f"stage.{stage}.{i}"
                for part, name in self.LAYER.items():
                    yield f"{theirs}.{part}", f"{ours}.{name}"
            if stage:
                for part in ("norm", "reduction"):
                    yield f"features.{2 * stage}.{part}", f"merge.{stage}.{part}"
        yield "norm", "norm"
        yield "head", "head"

    def main(self, pixel_values):
        from torchvision.models.swin_transformer import SwinTransformer
        size = self.size
        made = SwinTransformer(
            [size.patch] * 2, size.width, list(size.stages), list(size.heads),
            [size.window] * 2, stochastic_depth_prob=0,
            num_classes=size.classes)
        state = {key: value for key, value in made.state_dict().items()
                 if key.endswith("relative_position_index")}
        for theirs, ours in self.names():
            for part in ("weight", "bias"):
                if f"{ours}.{part}" in self.weights:
                    state[f"{theirs}.{part}"] = self.weights[f"{ours}.{part}"]
        for stage, blocks in enumerate(size.stages):
            for i in range(blocks):
                theirs = f"features.{2 * stage + 1}.{i}.attn"
                state[f"{theirs}.relative_position_bias_table"] = self.weights[
                    f"stage.{stage}.{i}.attention.position"]
        made = made.to(pixel_values)
        made.load_state_dict(state)
        return {"logits": made.eval()(pixel_values)}


MODELS = {"resnet": ResNet, "mobilenet": MobileNet,
          "efficientnet": EfficientNet, "convnext": ConvNext, "unet": UNet,
          "swin": Swin}
