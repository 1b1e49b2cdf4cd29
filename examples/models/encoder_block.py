# SPDX-License-Identifier: Apache-2.0
"""One block of a transformer's encoder with norms ahead (Xiong et al., 2020), as
ViT has it, on a batch of sequences of hidden states."""

import dataclasses

from layers import pre_norm_block
from model_files import Uniform

EPSILON = 1e-5


@dataclasses.dataclass(frozen=True)
class Size:
    layers: int
    width: int
    heads: int
    hidden: int


SIZES = {"base": Size(1, 1024, 16, 4096), "tiny": Size(1, 36, 3, 52)}
SEQUENCE = {"base": 512, "tiny": 9}


def build(module, size, batch, sequence, *_):
    f = module.function("main")
    x = f.input("hidden", (batch, sequence, size.width), Uniform(0, 1.7))
    for i in range(size.layers):
        x = pre_norm_block(f, x, f"block.{i}", size.heads, size.hidden,
                           EPSILON)
    f.output("result", x)
