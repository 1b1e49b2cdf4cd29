# SPDX-License-Identifier: Apache-2.0
"""The models of examples/models in PyTorch, over weights of the same names:
written against PyTorch's own modules, not against the graph that minic reads.

`MODELS[name](weights, size)` has a method for each function of the model; it
takes and returns tensors by name. The dtype is that of the weights.
"""

import math

import torch
from torch import nn
from torch.nn import functional


def put(module, weights, names):
    """`weights` by the names that the module's parameters have there."""
    with torch.no_grad():
        for ours, theirs in names.items():
            target = module.get_parameter(ours)
            target.copy_(theirs if torch.is_tensor(theirs)
                         else weights[theirs])
    return module


def norm(weights, name, epsilon):
    kind = nn.LayerNorm if f"{name}.bias" in weights else nn.RMSNorm
    weight = weights[f"{name}.weight"]
    made = kind(weight.shape, eps=epsilon, dtype=weight.dtype,
                device=weight.device)
    return put(made, weights, {part: f"{name}.{part}" for part, _ in
                               made.named_parameters()})


def encoder_layer(weights, size, name, gelu, epsilon, norm_first, qkv):
    """PyTorch's transformer layer, which packs query, key and value."""
    some = weights[f"{name}.up.weight"]
    made = nn.TransformerEncoderLayer(
        size.width, size.heads, size.hidden, dropout=0, activation=gelu,
        layer_norm_eps=epsilon, batch_first=True, norm_first=norm_first,
        dtype=some.dtype, device=some.device)
    names = {}
    for part in ("weight", "bias"):
        names |= {
            f"self_attn.in_proj_{part}": torch.cat(
                [weights[f"{name}.attention.{q}.{part}"] for q in qkv]),
            f"self_attn.out_proj.{part}": f"{name}.attention.out.{part}",
            f"linear1.{part}": f"{name}.up.{part}",
            f"linear2.{part}": f"{name}.down.{part}",
            f"norm1.{part}": f"{name}.norm1.{part}",
            f"norm2.{part}": f"{name}.norm2.{part}"}
    # The fast path of an evaluated layer fuses otherwise; train() with a
    # dropout of 0 computes the same without it.
    return put(made, weights, names).train()


class Bert:
    def __init__(self, weights, size):
        self.weights = weights
        self.norm = norm(weights, "embeddings.norm", 1e-12)
        self.layers = [
            encoder_layer(weights, size, f"layer.{i}", functional.gelu, 1e-12,
                          False, ("query", "key", "value"))
            for i in range(size.layers)]

    def main(self, input_ids, attention_mask):
        table = [self.weights[f"embeddings.{kind}.weight"]
                 for kind in ("word", "position", "token_type")]
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = (functional.embedding(input_ids, table[0])
             + functional.embedding(positions, table[1])
             + functional.embedding(torch.zeros_like(input_ids), table[2]))
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask == 0)
        return {"last_hidden_state": x}


class Gpt2:
    def __init__(self, weights, size):
        self.weights = weights
        self.blocks = [
            encoder_layer(weights, size, f"block.{i}",
                          lambda x: functional.gelu(x, approximate="tanh"),
                          1e-5, True, ("qkv",)) for i in range(size.layers)]
        self.norm = norm(weights, "norm", 1e-5)

    def main(self, input_ids):
        words = self.weights["word.weight"]
        length = input_ids.shape[1]
        x = functional.embedding(input_ids, words)
        x = x + self.weights["position.weight"][:length]
        later = torch.ones(length, length, dtype=torch.bool,
                           device=x.device).triu(1)
        for block in self.blocks:
            x = block(x, src_mask=later)
        return {"logits": self.norm(x) @ words.T}


def attend_cached(query, caches, layer, key, value, position):
    """Attention of tokens from `position` on to all before them, and to each other.
    `caches` are those before, and become those after."""
    count = query.shape[2]
    at = torch.arange(position, position + count, device=query.device)
    for name, new in (("key", key), ("value", value)):
        name = f"{name}_cache.{layer}"
        caches[name] = caches[name].index_copy(2, at, new)
    keys, values = (caches[f"{name}_cache.{layer}"]
                    for name in ("key", "value"))
    there = torch.arange(keys.shape[2], device=query.device) <= at[:, None]
    return functional.scaled_dot_product_attention(
        query, keys, values, attn_mask=there, enable_gqa=True)


class Cached:
    """A model that generates text: `tokens` of a subclass gives the logits of each
    of some tokens from a position on."""

    def prefill(self, input_ids, last, **caches):
        logits = self.tokens(input_ids, 0, caches)[:, last]
        return self.results(logits, caches)

    def decode(self, input_ids, position, **caches):
        return self.results(self.tokens(input_ids, int(position), caches)[:, 0],
                            caches)

    @staticmethod
    def results(logits, caches):
        return {"logits": logits} | {f"new_{name}": cache
                                     for name, cache in caches.items()}


class Gpt2Cached(Cached):
    def __init__(self, weights, size):
        self.weights, self.size = weights, size

    def linear(self, x, name):
        return functional.linear(x, self.weights[f"{name}.weight"],
                                 self.weights[f"{name}.bias"])

    def norm(self, x, name):
        return norm(self.weights, name, 1e-5)(x)

    def tokens(self, ids, position, caches):
        words = self.weights["word.weight"]
        x = functional.embedding(ids, words) + self.weights[
            "position.weight"][position:position + ids.shape[1]]
        for i in range(self.size.layers):
            name = f"block.{i}"
            query, key, value = self.linear(
                self.norm(x, f"{name}.norm1"), f"{name}.attention.qkv").unflatten(
                    -1, (3, self.size.heads, -1)).permute(2, 0, 3, 1, 4)
            y = attend_cached(query, caches, i, key, value, position)
            x = x + self.linear(y.transpose(1, 2).flatten(2),
                                f"{name}.attention.out")
            y = self.linear(self.norm(x, f"{name}.norm2"), f"{name}.up")
            x = x + self.linear(functional.gelu(y, approximate="tanh"),
                                f"{name}.down")
        return self.norm(x, "norm") @ words.T


class Vit:
    def __init__(self, weights, size):
        self.weights, self.size = weights, size
        self.blocks = [
            encoder_layer(weights, size, f"block.{i}", functional.gelu, 1e-5,
                          True, ("qkv",)) for i in range(size.layers)]
        self.norm = norm(weights, "norm", 1e-5)

    def main(self, pixel_values):
        weights = self.weights
        x = functional.conv2d(pixel_values, weights["patch.weight"],
                              weights["patch.bias"], stride=self.size.patch)
        x = x.flatten(2).mT
        token = weights["class_token"].expand(x.shape[0], -1, -1)
        x = torch.cat((token, x), 1) + weights["position"]
        for block in self.blocks:
            x = block(x)
        return {"logits": functional.linear(
            self.norm(x)[:, 0], weights["head.weight"],
            weights["head.bias"])}


def quick_gelu(x):
    # The constant of the text is of f32.
    return x * torch.sigmoid(torch.tensor(1.702).item() * x)


class ClipVision:
    def __init__(self, weights, size):
        self.weights, self.size = weights, size
        self.layers = [
            encoder_layer(weights, size, f"layer.{i}", quick_gelu, 1e-5, True,
                          ("query", "key", "value"))
            for i in range(size.layers)]

    def main(self, pixel_values):
        weights = self.weights
        x = functional.conv2d(pixel_values, weights["patch.weight"],
                              stride=self.size.patch)
        x = x.flatten(2).mT
        token = weights["class_token"].expand(x.shape[0], -1, -1)
        x = torch.cat((token, x), 1) + weights["position"]
        x = norm(weights, "norm_before", 1e-5)(x)
        for layer in self.layers:
            x = layer(x)
        return {"last_hidden_state": x,
                "pooled": norm(weights, "norm_after", 1e-5)(x[:, 0])}


class Whisper:
    def __init__(self, weights, size):
        keys = {f"layer.{i}.attention.key.bias" for i in range(size.layers)}
        self.weights = weights | {
            key: torch.zeros_like(weights[key.replace("key", "query")])
            for key in keys}
        self.layers = [
            encoder_layer(self.weights, size, f"layer.{i}", functional.gelu,
                          1e-5, True, ("query", "key", "value"))
            for i in range(size.layers)]

    def main(self, input_features):
        weights = self.weights
        x = input_features
        for name, stride in (("conv1", 1), ("conv2", 2)):
            x = functional.gelu(functional.conv1d(
                x, weights[f"{name}.weight"], weights[f"{name}.bias"], stride,
                padding=1))
        x = x.mT + weights["position"]
        for layer in self.layers:
            x = layer(x)
        return {"last_hidden_state": norm(weights, "norm", 1e-5)(x)}


class EncoderBlock:
    def __init__(self, weights, size):
        self.blocks = [
            encoder_layer(weights, size, f"block.{i}", functional.gelu, 1e-5,
                          True, ("qkv",)) for i in range(size.layers)]

    def main(self, hidden):
        for block in self.blocks:
            hidden = block(hidden)
        return {"result": hidden}


class Llama:
    """Also Qwen3's block."""

    def __init__(self, weights, size):
        self.weights, self.size = weights, size
        self.norms = {name: norm(weights, name, size.epsilon)
                      for name in ("norm1", "norm2", "attention.query_norm",
                                   "attention.key_norm")
                      if f"{name}.weight" in weights}

    def linear(self, x, name):
        return functional.linear(x, self.weights[f"{name}.weight"])

    def project(self, x, name, heads, angles):
        """By heads; normalised if there is a norm, rotated if angles are."""
        x = self.linear(x, f"attention.{name}").unflatten(-1, (heads, -1))
        x = self.norms.get(f"attention.{name}_norm", lambda y: y)(x)
        x = x.transpose(1, 2)
        if angles is None:
            return x
        # Rotating a pair multiplies a complex number by another one.
        first, second = x.chunk(2, -1)
        turned = torch.view_as_complex(
            torch.stack((first, second), -1).to(angles.real.dtype)) * angles
        return torch.cat((turned.real, turned.imag), -1).to(x.dtype)

    def qkv(self, hidden, positions):
        wide = (torch.float64 if hidden.dtype == torch.float64
                else torch.float32)
        angles = torch.complex(
            *(self.weights[f"rotary.{part}"][positions].to(wide)
              for part in ("cos", "sin")))
        x = self.norms["norm1"](hidden)
        return (self.project(x, "query", self.size.heads, angles),
                self.project(x, "key", self.size.key_heads, angles),
                self.project(x, "value", self.size.key_heads, None))

    def finish(self, hidden, y):
        x = hidden + self.linear(y.transpose(1, 2).flatten(2),
                                 "attention.out")
        y = self.norms["norm2"](x)
        y = functional.silu(self.linear(y, "gate")) * self.linear(y, "up")
        return x + self.linear(y, "down")

    def prefill(self, hidden, positions):
        query, key, value = self.qkv(hidden, positions)
        y = functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True)
        return {"result": self.finish(hidden, y), "keys": key,
                "values": value}

    def decode(self, hidden, position, key_cache, value_cache):
        """Over copies of the caches, of which the keys after `position` are
        not read."""
        query, key, value = self.qkv(hidden, position.reshape(1))
        at = position.reshape(1)
        keys = key_cache.index_copy(2, at, key)
        values = value_cache.index_copy(2, at, value)
        there = torch.arange(keys.shape[2], device=hidden.device) <= position
        y = functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=there[None], enable_gqa=True)
        return {"result": self.finish(hidden, y), "new_key_cache": keys,
                "new_value_cache": values}


class LlamaCached(Cached):
    """Blocks of Llama, each over its own part of the weights."""

    def __init__(self, weights, size):
        self.weights = weights
        shared = {name: value for name, value in weights.items()
                  if name.startswith("rotary.")}
        self.blocks = [
            Llama(shared | {name.removeprefix(f"block.{i}."): value
                            for name, value in weights.items()
                            if name.startswith(f"block.{i}.")}, size)
            for i in range(size.layers)]
        self.norm = norm(weights, "norm", size.epsilon)

    def tokens(self, ids, position, caches):
        words = self.weights["word.weight"]
        x = functional.embedding(ids, words)
        positions = torch.arange(position, position + ids.shape[1],
                                 device=ids.device)
        for i, block in enumerate(self.blocks):
            query, key, value = block.qkv(x, positions)
            x = block.finish(
                x, attend_cached(query, caches, i, key, value, position))
        return self.norm(x) @ words.T


class T5:
    def __init__(self, weights, size):
        self.weights, self.size = weights, size
        self.norms = {name.removesuffix(".weight"):
                      norm(weights, name.removesuffix(".weight"), 1e-6)
                      for name in weights if ".norm" in f".{name}"}

    def linear(self, x, name):
        return functional.linear(x, self.weights[f"{name}.weight"])

    def buckets(self, length, device):
        """As the paper's code computes them, with logarithms."""
        position = torch.arange(length, device=device)
        distance = position[None] - position[:, None]
        ahead = (distance > 0).long() * 16
        distance = distance.abs()
        far = 8 + (torch.log(distance.clamp(min=1).double() / 8)
                   / math.log(128 / 8) * 8 + 1e-9).long()
        return ahead + torch.where(distance < 8, distance, far.clamp(max=15))

    def main(self, input_ids, attention_mask):
        x = functional.embedding(input_ids, self.weights["shared.weight"])
        bias = functional.embedding(
            self.buckets(input_ids.shape[1], x.device),
            self.weights["relative_attention_bias.weight"]).permute(2, 0, 1)
        bias = bias.masked_fill(attention_mask[:, None, None] == 0,
                                float("-inf"))
        for i in range(self.size.layers):
            name = f"layer.{i}"
            y = self.norms[f"{name}.norm1"](x)
            query, key, value = (
                self.linear(y, f"{name}.attention.{part}").unflatten(
                    -1, (self.size.heads, -1)).transpose(1, 2)
                for part in ("query", "key", "value"))
            y = functional.scaled_dot_product_attention(
                query, key, value, attn_mask=bias, scale=1.0)
            x = x + self.linear(y.transpose(1, 2).flatten(2),
                                f"{name}.attention.out")
            y = self.norms[f"{name}.norm2"](x)
            y = functional.relu(self.linear(y, f"{name}.up"))
            x = x + self.linear(y, f"{name}.down")
        return {"last_hidden_state": self.norms["norm"](x)}


MODELS = {"bert": Bert, "gpt2": Gpt2, "gpt2_cached": Gpt2Cached, "vit": Vit,
          "encoder_block": EncoderBlock, "llama": Llama,
          "llama_cached": LlamaCached, "t5": T5,
          "qwen3": Llama, "clip_vision": ClipVision, "whisper": Whisper}
