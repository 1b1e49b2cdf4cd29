# SPDX-License-Identifier: Apache-2.0
"""GEMM problems as models: relu(x * transpose(w) + b), weights from a seed.

A problem is (m, n, k, dtype). `write` makes NAME.mlir and NAME.safetensors in
a folder; minic compiles the pair like any other model.
"""

import pathlib

import ml_dtypes  # registers numpy's bfloat16
import numpy
from safetensors.numpy import save_file

# (M, N, K): one large and one small square, weights beyond the L2 cache, GEMV,
# small batches, and shapes that no block size divides.
BENCHMARK = [
    (256, 1024, 1024), (64, 4096, 4096), (1, 4096, 4096), (1024, 1024, 1024),
    (2048, 2048, 2048), (8, 1024, 1024), (32, 256, 256), (16, 768, 3072),
    (560, 1280, 3420), (37, 513, 129),
]

# Where kernels go wrong: one, primes, one off a block, no power of two.
AWKWARD = [1, 2, 3, 7, 17, 31, 63, 65, 127, 257, 1000, 3420]

NUMPY_DTYPES = {
    "f32": numpy.float32, "bf16": ml_dtypes.bfloat16, "f16": numpy.float16,
}


def pairwise(values=None):
    """Triples in which every pair of (M, N), (N, K) and (M, K) values occurs.

    A Latin square: with n values n * n triples cover all pairs exactly once.
    """
    values = values or AWKWARD
    n = len(values)
    return [(values[i], values[j], values[(i + j) % n])
            for i in range(n) for j in range(n)]


def name(m, n, k, dtype):
    return f"linear_relu_{m}x{n}x{k}_{dtype}"


def text(m, n, k, dtype):
    x, w, b, y = (f"tensor<{s}{dtype}>"
                  for s in (f"{m}x{k}x", f"{n}x{k}x", f"{n}x", f"{m}x{n}x"))
    return f"""\
module {{
  func.func @main(%x: {x}) -> {y} {{
    %w = graph.constant @weight : {w}
    %b = graph.constant @bias : {b}
    %0 = graph.linear %x, %w, %b : ({x}, {w}, {b}) -> {y}
    %1 = graph.relu %0 : {y}
    return %1 : {y}
  }}
}}
"""


def write(folder, m, n, k, dtype, seed=0):
    """Writes the model and its weights; returns the path of the .mlir file."""
    path = pathlib.Path(folder) / (name(m, n, k, dtype) + ".mlir")
    path.write_text(text(m, n, k, dtype))
    random = numpy.random.default_rng(seed)
    weight = random.uniform(-1, 1, (n, k)) / max(k, 1) ** 0.5
    bias = random.uniform(-1, 1, n)
    save_file({"weight": weight.astype(NUMPY_DTYPES[dtype]),
               "bias": bias.astype(NUMPY_DTYPES[dtype])},
              path.with_suffix(".safetensors"))
    return path
