# SPDX-License-Identifier: Apache-2.0
"""The problems over which modes are compared: linear+relu, linears behind
pointwise work, convolutions with bias, residual and relu, and MLPs, each a
function that can share a model with others of its dtype."""

import math
import random

import convolutions
import problems

DTYPES = ("bf16", "f32", "f16")
GEMMS = [(m, n, k) for m in (1, 16, 64, 256)
         for n, k in ((1024, 1024), (4096, 1024), (1280, 3420), (513, 129))]
LARGE = [(560, 1280, 3420), (2048, 1280, 3420), (2048, 2048, 2048),
         (1024, 4096, 1024)]
# Rows of operands, of the result or of both are no multiples of 16 bytes: M, N,
# K, of which the first are what a plan for 800x1100x2700 went wrong about.
UNALIGNED = [(800, 1100, 2700), (801, 1103, 2701), (801, 1103, 2704),
             (800, 2700, 1100), (799, 2701, 1104), (1103, 801, 2701),
             (2701, 801, 1103), (17, 1001, 1001), (63, 513, 1000),
             (64, 1000, 513), (128, 257, 4095), (255, 255, 255),
             (256, 1023, 1024), (256, 1024, 1023), (500, 4097, 512),
             (560, 1281, 3420), (1000, 1000, 1001), (1021, 2047, 509),
             (2048, 1279, 1280), (4096, 511, 1022)]
PROLOGUES = {dtype: [(op, m, 1024, 1024) for op in ("relu", "gelu")
                     for m in (16, 256)] for dtype in ("bf16", "f32")}
MLPS = {"bf16": [(1, 4096, 4096), (16, 1024, 4096), (256, 1024, 1024)],
        "f32": [(16, 1024, 1024), (256, 1024, 1024)],
        "f16": [(64, 768, 3072)]}  # M, in and out, hidden
Conv = convolutions.Convolution
SAME = (1, 1, 1, 1)
CONVOLUTIONS = {
    "bf16": [Conv("nhwc", 32, 256, 14, 14, 256, 3, 3, pads=SAME),
             Conv("nhwc", 32, 64, 56, 56, 256, 1, 1),
             Conv("nchw", 8, 64, 28, 28, 128, 3, 3, (2, 2), SAME),
             Conv("nhwc", 8, 3, 112, 112, 64, 7, 7, (2, 2), (3, 3, 3, 3))],
    "f32": [Conv("nchw", 8, 64, 28, 28, 64, 3, 3, pads=SAME),
            Conv("nhwc", 8, 128, 28, 28, 128, 1, 1)],
    "f16": [Conv("nhwc", 8, 128, 28, 28, 128, 3, 3, pads=SAME),
            Conv("nchw", 8, 256, 14, 14, 512, 1, 1)]}


# N and K of linears in models that people run.
LAYERS = (64, 128, 192, 256, 320, 384, 512, 640, 768, 1000, 1024, 1280, 1536,
          2048, 2304, 3072, 4096)


def drawn_gemms(seed, count, most=math.inf):
    """(m, n, k, dtype) of `count` linears, M log-uniform from 1 to 8192; N and K
    of every third are off those of LAYERS by 1 to 7. No product of the three is
    above `most`. A longer list begins as a shorter one does."""
    draw = random.Random(seed)
    for i in range(count):
        dtype = draw.choice(DTYPES)
        while True:
            m = round(math.exp(draw.uniform(0, math.log(8192))))
            n, k = draw.choice(LAYERS), draw.choice(LAYERS)
            if m * n * k <= most:
                break
        if i % 3 == 2:
            n, k = n - draw.randint(1, 7), k - draw.randint(1, 7)
        yield m, n, k, dtype


def drawn_problems(seed, count, most=math.inf):
    """As all_problems: linear+relu of drawn_gemms."""
    for m, n, k, dtype in drawn_gemms(seed, count, most):
        symbol = problems.name(m, n, k, dtype)
        yield symbol, dtype, (
            lambda weights, s=symbol, p=(m, n, k), d=dtype:
            problems.function(s, [p], d, weights))


def tensor(dtype, *dims):
    return f"tensor<{'x'.join(map(str, dims))}x{dtype}>"


def prologue(symbol, op, m, n, k, dtype, weights):
    """linear of relu or gelu of an input."""
    x, y, w, b = (tensor(dtype, *dims)
                  for dims in ((m, k), (m, n), (n, k), (n,)))
    weights |= {f"{symbol}.w": [n, k], f"{symbol}.b": [n]}
    return f"""  func.func @{symbol}(%x: {x}) -> {y} {{
    %w = graph.constant @{symbol}.w : {w}
    %b = graph.constant @{symbol}.b : {b}
    %0 = graph.{op} %x : {x}
    %1 = graph.linear %0, %w, %b : ({x}, {w}, {b}) -> {y}
    return %1 : {y}
  }}"""


def mlp(symbol, m, n, hidden, dtype, weights):
    """linear, relu, linear."""
    x, h = tensor(dtype, m, n), tensor(dtype, m, hidden)
    weights |= {f"{symbol}.w1": [hidden, n], f"{symbol}.b1": [hidden],
                f"{symbol}.w2": [n, hidden], f"{symbol}.b2": [n]}
    kinds = {name: tensor(dtype, *weights[f"{symbol}.{name}"])
             for name in ("w1", "b1", "w2", "b2")}
    constants = "\n".join(f"    %{name} = graph.constant @{symbol}.{name} : "
                          f"{kind}" for name, kind in kinds.items())
    return f"""  func.func @{symbol}(%x: {x}) -> {x} {{
{constants}
    %0 = graph.linear %x, %w1, %b1 : ({x}, {kinds['w1']}, {kinds['b1']}) -> {h}
    %1 = graph.relu %0 : {h}
    %2 = graph.linear %1, %w2, %b2 : ({h}, {kinds['w2']}, {kinds['b2']}) -> {x}
    return %2 : {x}
  }}"""


def unaligned_problems():
    """As all_problems, in bf16: linear+relu of UNALIGNED."""
    for m, n, k in UNALIGNED:
        symbol = f"linear_relu_{m}x{n}x{k}_bf16"
        yield symbol, "bf16", (
            lambda weights, s=symbol, p=(m, n, k):
            problems.function(s, [p], "bf16", weights))


def all_problems():
    """(symbol, dtype, writer(weights) -> function's text) of each."""
    for dtype in DTYPES:
        for m, n, k in GEMMS + (LARGE if dtype == "bf16" else []):
            symbol = f"linear_relu_{m}x{n}x{k}_{dtype}"
            yield symbol, dtype, (
                lambda weights, s=symbol, p=(m, n, k), d=dtype:
                problems.function(s, [p], d, weights))
        for op, m, n, k in PROLOGUES.get(dtype, []):
            symbol = f"{op}_linear_{m}x{n}x{k}_{dtype}"
            yield symbol, dtype, (
                lambda weights, s=symbol, p=(op, m, n, k), d=dtype:
                prologue(s, *p, d, weights))
        for m, n, hidden in MLPS[dtype]:
            symbol = f"mlp_{m}x{n}x{hidden}x{n}_{dtype}"
            yield symbol, dtype, (
                lambda weights, s=symbol, p=(m, n, hidden), d=dtype:
                mlp(s, *p, d, weights))
        for c in CONVOLUTIONS[dtype]:
            symbol = (f"conv{c.r}x{c.s}_{c.layout}_{c.n}x{c.c}x{c.h}x{c.w}_"
                      f"{c.k}_{dtype}")
            yield symbol, dtype, (
                lambda weights, s=symbol, c=c, d=dtype:
                convolutions.function(s, c, d, weights))
