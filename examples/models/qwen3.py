# SPDX-License-Identifier: Apache-2.0
"""A block of Qwen3 0.6B (Yang et al., 2025): llama.py's with normalised heads,
whose size does not follow from the width."""

import llama

SIZES = {"base": llama.Size(1024, 16, 8, 128, 3072, 2048, 1000000.0, 1e-6,
                            norms_heads=True),
         "tiny": llama.Size(28, 4, 2, 10, 44, 32, 10000.0, 1e-6,
                            norms_heads=True)}
SEQUENCE, CACHE = llama.SEQUENCE, llama.CACHE
build = llama.build
