# SPDX-License-Identifier: Apache-2.0
"""GEMM problems as models: relu(x * transpose(w) + b), weights from a seed.

A problem is (m, n, k, dtype). Of i8 the product is, and the rest f32. `write` makes the model of one; run as a program,
this writes a model of many:

    problems.py OUT.mlir DTYPE

covers all pairs of AWKWARD sizes by one function for each M, which computes one
problem for each N. Weights lie beside each model, in a .safetensors file.
"""

import json
import math
import pathlib
import random
import struct
import sys

# (M, N, K): one large and one small square, weights beyond the L2 cache, GEMV,
# small batches, and shapes that no block size divides.
BENCHMARK = [
    (256, 1024, 1024), (64, 4096, 4096), (1, 4096, 4096), (1024, 1024, 1024),
    (2048, 2048, 2048), (8, 1024, 1024), (32, 256, 256), (16, 768, 3072),
    (560, 1280, 3420), (37, 513, 129),
]

# Where kernels go wrong: one, primes, one off a block, no power of two.
AWKWARD = [1, 2, 3, 7, 17, 31, 63, 65, 127, 257, 1000, 3420]

# Fewer of them, for where time is short: M, N, K.
FEW = ([1, 2, 3, 17, 63, 127, 257], [1, 3, 7, 65, 129, 513, 1000],
       [1, 7, 31, 33, 257, 1000, 3420])

# Prime, and more than any awkward K: neighbouring rows never hold equal values.
PERIOD = 4099


def pairwise(ms=tuple(AWKWARD), ns=None, ks=None):
    """Triples in which every pair of (M, N), (N, K) and (M, K) values occurs.

    A Latin square: with n values each n * n triples cover all pairs exactly
    once. Values of N and K are those of M where they are not given.
    """
    n = len(ms)
    ns, ks = ns or ms, ks or ms
    return [(ms[i], ns[j], ks[(i + j) % n]) for i in range(n)
            for j in range(n)]


def name(m, n, k, dtype):
    return f"linear_relu_{m}x{n}x{k}_{dtype}"


def sum_type(dtype):
    """Of the bias and the result."""
    return "f32" if dtype == "i8" else dtype


def encode(value, dtype):
    if dtype == "i8":
        return struct.pack("b", round(value))
    if dtype == "f16":
        return struct.pack("<e", value)
    bits = struct.pack("<f", value)
    if dtype == "f32":
        return bits
    # Rounded to nearest, ties away from zero; it is random data.
    return struct.pack("<I", struct.unpack("<I", bits)[0] + 0x8000)[2:]


def values(count, scale, dtype, generator):
    """`count` values in [-scale, scale], random and repeated after PERIOD."""
    period = [encode(generator.uniform(-scale, scale), dtype)
              for _ in range(min(count, PERIOD))]
    return (b"".join(period) * (count // len(period) + 1))[
        :count * len(period[0])]


def write_weights(path, tensors, dtype, seed):
    """Writes {name: dims} as safetensors, scaled so that products stay small."""
    header, blobs, offset = {}, [], 0
    generator = random.Random(seed)
    for tensor, dims in tensors.items():
        count, scale, own = dims[0], 1.0, sum_type(dtype)
        if len(dims) > 1:
            count, own = math.prod(dims), dtype
            scale = 127 if dtype == "i8" else math.prod(dims[1:]) ** -0.5
        blobs.append(values(count, scale, own, generator))
        header[tensor] = {"dtype": own.upper(), "shape": dims,
                          "data_offsets": [offset, offset + len(blobs[-1])]}
        offset += len(blobs[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(blobs)


def linear(i, k, x, w, b, y, dtype):
    """The lines of %l{i}, before the relu."""
    if dtype != "i8":
        return [f"    %l{i} = graph.linear %x{k}, %w{i}, %b{i} "
                f": ({x}, {w}, {b}) -> {y}"]
    sums = y.replace("f32", "i32")
    return [f"    %s{i} = graph.linear %x{k}, %w{i} : ({x}, {w}) -> {sums}",
            f"    %c{i} = graph.cast %s{i} : {sums} to {y}",
            f"    %l{i} = graph.add %c{i}, %b{i} : ({y}, {b}) -> {y}"]


def function(symbol, problems, dtype, weights, alone=False):
    """A function with a result for each problem; adds to `weights`.

    Problems share their M, and those with equal K their input. One that is
    alone in its model has weights without sizes in their names.
    """
    inputs, body, results = {}, [], []
    for i, (m, n, k) in enumerate(problems):
        suffix = "" if alone else f"_{n}x{k}"
        x, w = (f"tensor<{s}{dtype}>" for s in (f"{m}x{k}x", f"{n}x{k}x"))
        b, y = (f"tensor<{s}{sum_type(dtype)}>" for s in (f"{n}x", f"{m}x{n}x"))
        inputs[f"%x{k}"] = x
        weights[f"weight{suffix}"] = [n, k]
        weights[f"bias{suffix}"] = [n]
        body += [
            f"    %w{i} = graph.constant @weight{suffix} : {w}",
            f"    %b{i} = graph.constant @bias{suffix} : {b}",
            *linear(i, k, x, w, b, y, dtype),
            f"    %y{i} = graph.relu %l{i} : {y}"]
        results.append((f"%y{i}", y))
    arguments = ", ".join(f"{x}: {t}" for x, t in inputs.items())
    types = ", ".join(t for _, t in results)
    returned = ", ".join(y for y, _ in results)
    return "\n".join(
        [f"  func.func @{symbol}({arguments}) -> ({types}) {{"] + body
        + [f"    return {returned} : {types}", "  }"])


def write_model(path, functions, dtype, seed=0):
    """Writes {symbol: problems} to `path`, and the weights beside it."""
    weights = {}
    alone = [len(problems) for problems in functions.values()] == [1]
    texts = [function(symbol, problems, dtype, weights, alone)
             for symbol, problems in functions.items()]
    path.write_text("\n".join(["module {"] + texts + ["}\n"]))
    write_weights(path.with_suffix(".safetensors"), weights, dtype, seed)


def write(folder, m, n, k, dtype, seed=0):
    """Writes the model of one problem; returns the path of the .mlir file."""
    path = pathlib.Path(folder) / (name(m, n, k, dtype) + ".mlir")
    write_model(path, {"main": [(m, n, k)]}, dtype, seed)
    return path


def main():
    functions = {}
    for problem in pairwise():
        functions.setdefault(f"m{problem[0]}", []).append(problem)
    write_model(pathlib.Path(sys.argv[1]), functions, sys.argv[2])


if __name__ == "__main__":
    main()
