# SPDX-License-Identifier: Apache-2.0
"""What the models share: layers with weights of their own.

Weights are random such that activations keep a variance near one and the scores
of attention have peaks; no bias and no norm is constant, so that one that is
dropped or swapped shows.
"""

from model_files import Uniform

PEAKED = 1.5  # gain of query and key


def linear(f, x, name, outputs, bias=True, gain=1.0):
    inputs = x.dims[-1]
    bound = gain * (3 / inputs) ** 0.5
    weight = f.weight(f"{name}.weight", (outputs, inputs), Uniform(0, bound))
    return f.linear(x, weight, f.weight(
        f"{name}.bias", (outputs,), Uniform(0, 0.2)) if bias else None)


def layer_norm(f, x, name, epsilon):
    scale = f.weight(f"{name}.weight", x.dims[-1:], Uniform(1, 0.2))
    bias = f.weight(f"{name}.bias", x.dims[-1:], Uniform(0, 0.2))
    return f.layer_norm(x, scale, bias, epsilon)


def rms_norm(f, x, name, epsilon):
    scale = f.weight(f"{name}.weight", x.dims[-1:], Uniform(1, 0.2))
    return f.rms_norm(x, scale, epsilon)


def embedding(f, name, rows, columns):
    return f.weight(f"{name}.weight", (rows, columns), Uniform(0, 0.2))


def split_heads(f, x, heads):
    """[B, S, H * D] as [B, H, S, D]."""
    batch, sequence, width = x.dims
    x = f.reshape(x, batch, sequence, heads, width // heads)
    return f.transpose(x, 0, 2, 1, 3)


def merge_heads(f, x):
    batch, heads, sequence, size = x.dims
    x = f.transpose(x, 0, 2, 1, 3)
    return f.reshape(x, batch, sequence, heads * size)


def fused_attention(f, x, name, heads, attributes=""):
    """Self-attention whose query, key and value come from one linear."""
    width = x.dims[-1]
    qkv = linear(f, x, f"{name}.qkv", 3 * width, gain=PEAKED)
    query, key, value = (
        split_heads(f, f.slice(qkv, 2, i * width, (i + 1) * width), heads)
        for i in range(3))
    y = merge_heads(f, f.attention(query, key, value, attributes=attributes))
    return linear(f, y, f"{name}.out", width)


def attention(f, x, name, heads, key_bias=True):
    """Self-attention with a linear each for query, key and value."""
    width = x.dims[-1]
    query = linear(f, x, f"{name}.query", width, gain=PEAKED)
    key = linear(f, x, f"{name}.key", width, key_bias, PEAKED)
    value = linear(f, x, f"{name}.value", width)
    y = f.attention(*(split_heads(f, part, heads)
                      for part in (query, key, value)))
    return linear(f, merge_heads(f, y), f"{name}.out", width)


def pre_norm_block(f, x, name, heads, hidden, epsilon, gelu="",
                   attention=""):
    """x + attention(norm(x)), then x + mlp(norm(x)); GPT-2's and ViT's."""
    y = layer_norm(f, x, f"{name}.norm1", epsilon)
    x = f.add(x, fused_attention(f, y, f"{name}.attention", heads, attention))
    y = layer_norm(f, x, f"{name}.norm2", epsilon)
    y = f.unary("gelu", linear(f, y, f"{name}.up", hidden), gelu)
    return f.add(x, linear(f, y, f"{name}.down", x.dims[-1]))
