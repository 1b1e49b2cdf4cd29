# SPDX-License-Identifier: Apache-2.0
"""The models of examples/models as a user of PyTorch would write them. Their
parameters have the names that the models have in minic's weights."""

import torch
from torch import nn
from torch.nn import functional

import image_modules

def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge(x):
    return x.transpose(1, 2).flatten(2)


def attend(*operands, **options):
    return functional.scaled_dot_product_attention(*operands, **options)


class Embeddings(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.word = nn.Embedding(size.vocabulary, size.width)
        self.position = nn.Embedding(size.positions, size.width)
        self.token_type = nn.Embedding(2, size.width)
        self.norm = nn.LayerNorm(size.width, eps=1e-12)

    def forward(self, ids):
        x = self.word(ids) + self.position.weight[:ids.shape[1]]
        return self.norm(x + self.token_type.weight[0])


class Attention(nn.Module):
    """Query, key and value by a linear each; norms of heads if `norms`."""

    def __init__(self, width, heads, key_heads, head_size, bias, norms=None):
        super().__init__()
        self.heads, self.key_heads = heads, key_heads
        self.query = nn.Linear(width, heads * head_size, bias=bias)
        self.key = nn.Linear(width, key_heads * head_size, bias=bias)
        self.value = nn.Linear(width, key_heads * head_size, bias=bias)
        self.out = nn.Linear(heads * head_size, width, bias=bias)
        self.norms = norms is not None
        if self.norms:
            self.query_norm = nn.RMSNorm(head_size, eps=norms)
            self.key_norm = nn.RMSNorm(head_size, eps=norms)

    def project(self, x):
        query = split(self.query(x), self.heads)
        key = split(self.key(x), self.key_heads)
        value = split(self.value(x), self.key_heads)
        if self.norms:
            query, key = self.query_norm(query), self.key_norm(key)
        return query, key, value

    def forward(self, x, mask, scale=None):
        query, key, value = self.project(x)
        return self.out(merge(attend(query, key, value, attn_mask=mask,
                                     scale=scale)))


class BertLayer(nn.Module):
    def __init__(self, size):
        super().__init__()
        width = size.width
        self.attention = Attention(width, size.heads, size.heads,
                                   width // size.heads, True)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, size.hidden)
        self.down = nn.Linear(size.hidden, width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, size, function):
        super().__init__()
        self.embeddings = Embeddings(size)
        self.layer = nn.ModuleList(BertLayer(size)
                                   for _ in range(size.layers))

    def forward(self, input_ids, attention_mask):
        batch, sequence = input_ids.shape
        mask = attention_mask[:, None, None].bool().expand(
            batch, 1, sequence, sequence)
        x = self.embeddings(input_ids)
        for layer in self.layer:
            x = layer(x, mask)
        return x


class FusedAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width,
                                                                    width)

    def project(self, x):
        return (split(part, self.heads) for part in self.qkv(x).chunk(3, -1))

    def forward(self, x, causal):
        return self.out(merge(attend(*self.project(x), is_causal=causal)))

    def step(self, x, cache):
        return self.out(merge(attend(*cache.extended(*self.project(x)))))


class Block(nn.Module):
    def __init__(self, size, gelu, causal):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(size.width) for _ in range(2))
        self.attention = FusedAttention(size.width, size.heads)
        self.up = nn.Linear(size.width, size.hidden)
        self.down = nn.Linear(size.hidden, size.width)
        self.gelu, self.causal = gelu, causal

    def forward(self, x):
        return self.finish(x + self.attention(self.norm1(x), self.causal))

    def step(self, x, cache):
        return self.finish(x + self.attention.step(self.norm1(x), cache))

    def finish(self, x):
        y = functional.gelu(self.up(self.norm2(x)), approximate=self.gelu)
        return x + self.down(y)


class Cache:
    """Keys and values of a layer, in memory that stays: a step writes its own at
    `position`, the last one, and so attends to all of them."""

    def __init__(self, position, keys, values):
        self.position, self.keys, self.values = position, keys, values

    def extended(self, query, key, value):
        return (query, self.keys.index_copy_(2, self.position, key),
                self.values.index_copy_(2, self.position, value))


def caches(position, tensors):
    """One for each layer."""
    return [Cache(position, *pair) for pair in zip(tensors[::2], tensors[1::2])]


class Gpt2(nn.Module):
    def __init__(self, size, function):
        super().__init__()
        self.word = nn.Embedding(size.vocabulary, size.width)
        self.position = nn.Embedding(size.positions, size.width)
        self.block = nn.ModuleList(Block(size, "tanh", True)
                                   for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)

    def forward(self, input_ids):
        x = self.word(input_ids) + self.position.weight[:input_ids.shape[1]]
        for block in self.block:
            x = block(x)
        return functional.linear(self.norm(x), self.word.weight)


class Gpt2Cached(Gpt2):
    """One token after a cache."""

    def forward(self, input_ids, position, *tensors):
        position = position.reshape(-1)
        x = self.word(input_ids) + self.position(position)
        for block, cache in zip(self.block, caches(position, tensors)):
            x = block.step(x, cache)
        return functional.linear(self.norm(x)[:, 0], self.word.weight)


class Vit(nn.Module):
    def __init__(self, size, function):
        super().__init__()
        width = size.width
        self.patch = nn.Conv2d(3, width, size.patch, size.patch)
        count = (size.image // size.patch) ** 2 + 1
        self.class_token = nn.Parameter(torch.empty(1, 1, width))
        self.position = nn.Parameter(torch.empty(1, count, width))
        self.block = nn.ModuleList(Block(size, "none", False)
                                   for _ in range(size.layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, size.classes)

    def forward(self, pixel_values):
        x = self.patch(pixel_values).flatten(2).transpose(1, 2)
        token = self.class_token.expand(x.shape[0], -1, -1)
        x = torch.cat((token, x), 1) + self.position
        for block in self.block:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class EncoderBlock(nn.Module):
    def __init__(self, size, function):
        super().__init__()
        self.block = nn.ModuleList(Block(size, "none", False)
                                   for _ in range(size.layers))

    def forward(self, hidden):
        for block in self.block:
            hidden = block(hidden)
        return hidden


class Rotary(nn.Module):
    def __init__(self, positions, pairs):
        super().__init__()
        for name in ("cos", "sin"):
            self.register_buffer(name, torch.empty(positions, pairs))

    def forward(self, positions):
        return [table[positions].repeat(1, 2)
                for table in (self.cos, self.sin)]


def turned(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class LlamaLayer(nn.Module):
    """Also Qwen3's."""

    def __init__(self, size):
        super().__init__()
        self.norm1 = nn.RMSNorm(size.width, eps=size.epsilon)
        self.norm2 = nn.RMSNorm(size.width, eps=size.epsilon)
        self.attention = Attention(
            size.width, size.heads, size.key_heads, size.head_size, False,
            size.epsilon if size.norms_heads else None)
        self.gate = nn.Linear(size.width, size.hidden, bias=False)
        self.up = nn.Linear(size.width, size.hidden, bias=False)
        self.down = nn.Linear(size.hidden, size.width, bias=False)

    def forward(self, hidden, turn, cache=None):
        """All tokens, or one after a cache."""
        query, key, value = self.attention.project(self.norm1(hidden))
        query, key = turned(query, *turn), turned(key, *turn)
        if cache:
            query, key, value = cache.extended(query, key, value)
        y = attend(query, key, value, is_causal=cache is None,
                   enable_gqa=True)
        x = hidden + self.attention.out(merge(y))
        y = self.norm2(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class LlamaBlock(LlamaLayer):
    def __init__(self, size, function):
        super().__init__(size)
        self.rotary = Rotary(size.positions, size.head_size // 2)

    def forward(self, hidden, position, *tensors):
        position = position.reshape(-1)
        cache, = caches(position, tensors) or [None]
        return super().forward(hidden, self.rotary(position), cache)


class LlamaCached(nn.Module):
    """One token after a cache."""

    def __init__(self, size, function):
        super().__init__()
        self.word = nn.Embedding(size.vocabulary, size.width)
        self.rotary = Rotary(size.positions, size.head_size // 2)
        self.block = nn.ModuleList(LlamaLayer(size)
                                   for _ in range(size.layers))
        self.norm = nn.RMSNorm(size.width, eps=size.epsilon)

    def forward(self, input_ids, position, *tensors):
        position = position.reshape(-1)
        x, turn = self.word(input_ids), self.rotary(position)
        for block, cache in zip(self.block, caches(position, tensors)):
            x = block(x, turn, cache)
        return functional.linear(self.norm(x)[:, 0], self.word.weight)


class T5Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm1 = nn.RMSNorm(size.width, eps=1e-6)
        self.norm2 = nn.RMSNorm(size.width, eps=1e-6)
        self.attention = Attention(size.width, size.heads, size.heads,
                                   size.head_size, False)
        self.up = nn.Linear(size.width, size.hidden, bias=False)
        self.down = nn.Linear(size.hidden, size.width, bias=False)

    def forward(self, x, bias):
        x = x + self.attention(self.norm1(x), bias, scale=1.0)
        return x + self.down(functional.relu(self.up(self.norm2(x))))


class T5(nn.Module):
    def __init__(self, size, function):
        super().__init__()
        self.shared = nn.Embedding(size.vocabulary, size.width)
        self.relative_attention_bias = nn.Embedding(32, size.heads)
        self.register_buffer("relative_attention_buckets",
                             torch.empty(0, dtype=torch.int32))
        self.layer = nn.ModuleList(T5Layer(size) for _ in range(size.layers))
        self.norm = nn.RMSNorm(size.width, eps=1e-6)

    def forward(self, input_ids, attention_mask):
        bias = self.relative_attention_bias(self.relative_attention_buckets)
        bias = bias.permute(2, 0, 1).masked_fill(
            attention_mask[:, None, None] == 0, float("-inf"))
        x = self.shared(input_ids)
        for layer in self.layer:
            x = layer(x, bias)
        return self.norm(x)


MODULES = {"bert": Bert, "gpt2": Gpt2, "gpt2_cached": Gpt2Cached, "vit": Vit,
           "encoder_block": EncoderBlock, "t5": T5, "llama": LlamaBlock,
           "llama_cached": LlamaCached, "qwen3": LlamaBlock}


def build(model, size, function, tensors):
    """The model over `tensors`, which it does not copy unless it is of images."""
    if model in image_modules.MODELS:
        return image_modules.Images(model, size, function, tensors).eval()
    with torch.device("meta"):
        module = MODULES[model](size, function)
    # The buckets have the shape of the sequence.
    for name, buffer in list(module.named_buffers()):
        if buffer.numel() == 0:
            module.register_buffer(name, tensors[name])
    module.load_state_dict(tensors, assign=True)
    return module.requires_grad_(False).eval()
