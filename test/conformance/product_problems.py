# SPDX-License-Identifier: Apache-2.0
"""Problems of linear, matmul, conv2d and attention."""

import itertools

import arrays
from problems import Problem, functional
from tensors import FLOATS


def contractions():
    for dtype, (m, n, k) in itertools.product(
            FLOATS, ((1, 1, 1), (1, 257, 33), (2, 7, 1000), (7, 33, 17),
                     (33, 1, 197), (130, 65, 77))):
        size = f"{m}x{n}x{k}_{dtype}"
        arguments = {"x": ((m, k), dtype), "w": ((n, k), dtype),
                     "b": ((n,), dtype)}
        result = (m, n), dtype
        yield Problem("linear", f"linear_{size}", arguments, "linear %x, %w, "
                      f"%b : {functional(arguments, [result])}", result)
        for lhs, rhs in itertools.product((False, True), repeat=2):
            flags = ["transpose_lhs"] * lhs + ["transpose_rhs"] * rhs
            arguments = {"x": ((3, k, m) if lhs else (3, m, k), dtype),
                         "y": ((n, k) if rhs else (k, n), dtype)}
            result = (3, m, n), dtype
            yield Problem(
                "matmul", f"matmul_{size}_{int(lhs)}{int(rhs)}", arguments,
                f"matmul %x, %y {{{', '.join(flags)}}} : "
                f"{functional(arguments, [result])}", result)


def convolutions():
    for dtype, (layout, groups, pad, step) in itertools.product(
            FLOATS, itertools.product(("nchw", "nhwc"), (1, 3), (0, 1),
                                      (1, 2))):
        extent = (9 + 2 * pad - 3) // step + 1
        x, shape = (2, 6, 9, 9), (2, 9, extent, extent)
        if layout == "nhwc":
            x, shape = (2, 9, 9, 6), (2, extent, extent, 9)
        arguments = {"x": (x, dtype), "f": ((9, 6 // groups, 3, 3), dtype)}
        yield Problem(
            "conv2d", f"conv_{layout}_{groups}_{pad}_{step}_{dtype}",
            arguments, f"conv2d %x, %f {{layout = \"{layout}\", groups = "
            f"{groups} : i64, pads = array<i64: {pad}, {pad}, {pad}, {pad}>, "
            f"strides = array<i64: {step}, {step}>}} : "
            f"{functional(arguments, [(shape, dtype)])}", (shape, dtype))


# Channels in and out, filter, pad, stride, groups: what kernels of convolutions
# do otherwise than for a few channels.
CONVOLUTIONS = {"deep": (64, 72, 3, 1, 1, 1), "first": (3, 16, 7, 3, 2, 1),
                "one_pixel": (24, 40, 1, 0, 1, 1),
                "depthwise": (16, 16, 3, 1, 1, 16),
                "depthwise_5x5": (6, 12, 5, 2, 2, 6)}


def special_convolutions():
    for dtype, layout, (name, (c, k, size, pad, step, groups)) in \
            itertools.product(FLOATS, ("nchw", "nhwc"), CONVOLUTIONS.items()):
        extent = (9 + 2 * pad - size) // step + 1
        x, shape = (2, c, 9, 9), (2, k, extent, extent)
        if layout == "nhwc":
            x, shape = (2, 9, 9, c), (2, extent, extent, k)
        arguments = {"x": (x, dtype),
                     "f": ((k, c // groups, size, size), dtype)}
        yield Problem(
            "conv2d", f"conv_{layout}_{name}_{dtype}", arguments,
            f"conv2d %x, %f {{layout = \"{layout}\", groups = {groups} : i64, "
            f"pads = array<i64: {pad}, {pad}, {pad}, {pad}>, "
            f"strides = array<i64: {step}, {step}>}} : "
            f"{functional(arguments, [(shape, dtype)])}", (shape, dtype))


# Heads of query and key, lengths of both, head size.
ATTENTIONS = ((1, 1, 1, 17, 8), (3, 1, 17, 17, 40), (12, 12, 5, 77, 64),
              (4, 2, 77, 33, 80), (2, 2, 1, 197, 128), (2, 1, 17, 1, 256))
WAYS = ("", "causal = #graph.causal<upper_left>",
        "causal = #graph.causal<lower_right>",
        "causal = #graph.causal<lower_right>, window = 5 : i64",
        "soft_cap = 4.0 : f64, scale = 0.5 : f64", "with_log_sum_exp")


def attention():
    for dtype, (at, (heads, groups, rows, keys, size)) in itertools.product(
            FLOATS, enumerate(ATTENTIONS)):
        shapes = {"q": (1, heads, rows, size), "k": (1, groups, keys, size),
                  "v": (1, groups, keys, 8)}
        arguments = {name: (shape, dtype) for name, shape in shapes.items()}
        masks = {"": None, "bits": ((rows, keys), "i1"),
                 "added": ((1, heads, 1, keys), dtype),
                 "length": ((1,), "i64")}
        data = {"peaked": {"q": arrays.uniform(shapes["q"], dtype, at, -12,
                                               12)}}
        for (i, way), (name, mask) in itertools.product(enumerate(WAYS),
                                                        masks.items()):
            if mask and (i + at) % 3:  # a third of what could be combined
                continue
            all_ = {**arguments, **({"m": mask} if mask else {})}
            word = "" if not mask else \
                " key_length %m" if name == "length" else " mask %m"
            results = [((1, heads, rows, 8), dtype)]
            if "sum" in way:
                results.append(((1, heads, rows), "f32"))
            lengths = {f"length {n}": {"m": [n]} for n in (0, 1, keys)} \
                if name == "length" else {}
            yield Problem("attention", f"attention_{at}_{i}_{name}_{dtype}",
                          all_, f"attention %q, %k, %v{word} {{{way}}} : "
                          f"{functional(all_, results)}", results,
                          {**data, **lengths})


def all_problems():
    yield from contractions()
    yield from convolutions()
    yield from special_convolutions()
    yield from attention()
