# SPDX-License-Identifier: Apache-2.0
"""GPT-2 (Radford et al., 2019): token ids to logits. The head is the embedding,
transposed: one weight used twice."""

from bert import Size
from layers import embedding, layer_norm, pre_norm_block
from model_files import Integers

EPSILON = 1e-5
SIZES = {"base": Size(12, 768, 12, 3072, 50257, 1024),
         "tiny": Size(2, 36, 3, 144, 101, 32)}
SEQUENCE = {"base": 512, "tiny": 13}


def build(module, size, batch, sequence, _):
    f = module.function("main")
    ids = f.input("input_ids", (batch, sequence), Integers(size.vocabulary),
                  "i64")
    words = embedding(f, "word", size.vocabulary, size.width)
    positions = embedding(f, "position", size.positions, size.width)
    x = f.add(f.gather(words, ids), f.slice(positions, 0, 0, sequence))
    for i in range(size.layers):
        f.comment(f"block {i}")
        x = pre_norm_block(
            f, x, f"block.{i}", size.heads, size.hidden, EPSILON,
            gelu=" {approximate = #graph.approximation<tanh>}",
            attention="causal = #graph.causal<upper_left>")
    x = layer_norm(f, x, "norm", EPSILON)
    f.output("logits", f.linear(x, words))
