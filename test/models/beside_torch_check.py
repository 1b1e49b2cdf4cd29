#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""beside_torch.py accepts other orders of sums, and nothing else.

An attention over 1024 keys stands for a model whose bound is vacuous: in f32 in
two orders of summation, and with defects. Prints a line for each.
"""

import numpy

import beside_torch

KEYS, ROWS, WIDTH = 1024, 512, 64


def bf16(x):
    """Rounded to nearest, ties to even."""
    bits = numpy.asarray(x, numpy.float32).view(numpy.uint32)
    bits = bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000
    return bits.astype(numpy.uint32).view(numpy.float32)


def tf32(x):
    bits = numpy.asarray(x, numpy.float32).view(numpy.uint32)
    return (bits & 0xffffe000).astype(numpy.uint32).view(numpy.float32)


def attention(q, k, v, scores=lambda s: s, dtype=numpy.float32, blocks=1):
    """Sums over keys in so many blocks."""
    s = scores((q @ k.T * dtype(WIDTH ** -0.5)).astype(dtype))
    weights = numpy.exp(s - s.max(axis=1, keepdims=True))
    parts = [(w.sum(axis=1, keepdims=True), w @ part) for w, part in
             zip(numpy.split(weights, blocks, axis=1), numpy.split(v, blocks))]
    return sum(p[1] for p in parts) / sum(p[0] for p in parts)


def without_a_key(q, k, v):
    result = attention(q, k, v)
    result[3] = attention(q[3:4], k[1:], v[1:])[0]
    return result


def main():
    random = numpy.random.default_rng(0)
    q, k, v = (random.standard_normal((n, WIDTH)).astype(numpy.float32)
               for n in (ROWS, KEYS, KEYS))
    exact = attention(q.astype(float), k.astype(float), v.astype(float),
                      dtype=numpy.float64)
    single = attention(q, k, v)
    swapped = single.copy()
    swapped[[4, 5]] = swapped[[5, 4]]
    one = single.copy()
    one[7, 9] += 3e-6
    lost = single.copy()
    lost[2, 2] = numpy.nan
    candidates = {
        "the same": single,
        "other order of sums": attention(q, k, v, blocks=16),
        "scores in bf16": attention(q, k, v, scores=bf16),
        "operands in tf32": attention(tf32(q), tf32(k), tf32(v)),
        "a row without a key of 1024": without_a_key(q, k, v),
        "two rows exchanged": swapped,
        "an element off by 3e-6": one,
        "NaN": lost,
    }
    for name, got in candidates.items():
        found = beside_torch.errors(got.astype(float), single.astype(float),
                                    exact, numpy.full_like(exact, 10.0))
        print(f"{name}: {found.wrong() or 'right'}")
    tight = beside_torch.errors(single.astype(float), single.astype(float),
                                exact, numpy.full_like(exact, 1e-12))
    print(f"bound of 1e-12: {tight.wrong()}")


if __name__ == "__main__":
    main()
