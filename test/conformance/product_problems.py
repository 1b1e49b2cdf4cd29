# SPDX-License-Identifier: Apache-2.0
"""Problems of linear, matmul, gated units and attention."""

import itertools

import arrays
from problems import Problem, functional
from tensors import FLOATS, tensor


def contractions():
    for dtype, (m, n, k) in itertools.product(
            (*FLOATS, "i8"),
            ((1, 1, 1), (1, 257, 33), (2, 7, 1000), (7, 33, 17), (33, 1, 197),
             (130, 65, 77))):
        size = f"{m}x{n}x{k}_{dtype}"
        sums = "i32" if dtype == "i8" else dtype
        arguments = {"x": ((m, k), dtype), "w": ((n, k), dtype),
                     "b": ((n,), sums)}
        result = (m, n), sums
        yield Problem("linear", f"linear_{size}", arguments, "linear %x, %w, "
                      f"%b : {functional(arguments, [result])}", result)
        for lhs, rhs in itertools.product((False, True), repeat=2):
            flags = ["transpose_lhs"] * lhs + ["transpose_rhs"] * rhs
            arguments = {"x": ((3, k, m) if lhs else (3, m, k), dtype),
                         "y": ((n, k) if rhs else (k, n), dtype)}
            result = (3, m, n), sums
            yield Problem(
                "matmul", f"matmul_{size}_{int(lhs)}{int(rhs)}", arguments,
                f"matmul %x, %y {{{', '.join(flags)}}} : "
                f"{functional(arguments, [result])}", result)


def gated_units():
    """Products whose columns are gate and value in turn. With one column of
    each they are views of the product, and no fusion with it."""
    for dtype, (m, n, k) in itertools.product(
            FLOATS, ((1, 2, 1), (1, 257, 33), (2, 7, 1000), (7, 33, 17),
                     (33, 40, 197), (130, 65, 77), (300, 96, 64))):
        name = f"{m}x{n}x{k}_{dtype}"
        arguments = {"x": ((m, k), dtype), "w": ((2 * n, k), dtype),
                     "b": ((2 * n,), dtype)}
        both, half = ((m, 2 * n), dtype), ((m, n), dtype)
        turn = [f"%{value} = graph.slice %l [0, {first}] to [{m}, {2 * n}] by "
                f"[1, 2] : {tensor(*both)} -> {tensor(*half)}"
                for first, value in enumerate("gv")]
        yield Problem(
            "gated", f"gated_{name}", arguments,
            f"mul %a, %v : ({tensor(*half)}, {tensor(*half)}) -> "
            f"{tensor(*half)}", half,
            before=(f"%l = graph.linear %x, %w, %b : "
                    f"{functional(arguments, [both])}", *turn,
                    f"%a = graph.silu %g : {tensor(*half)}"))


# Heads of query and key, lengths of both, head sizes of key and value.
ATTENTIONS = ((1, 1, 1, 17, 8, 8), (3, 1, 17, 17, 40, 40),
              (12, 12, 5, 77, 64, 64), (4, 2, 77, 33, 80, 24),
              (2, 2, 1, 197, 128, 128), (2, 1, 17, 1, 256, 256),
              (32, 8, 7, 1500, 40, 40))
WAYS = ("", "causal = #graph.causal<upper_left>",
        "causal = #graph.causal<lower_right>",
        "causal = #graph.causal<lower_right>, window = 5 : i64",
        "soft_cap = 4.0 : f64, scale = 0.5 : f64", "with_log_sum_exp")


def attention():
    for dtype, (at, (heads, groups, rows, keys, size,
                     values)) in itertools.product(FLOATS,
                                                   enumerate(ATTENTIONS)):
        shapes = {"q": (1, heads, rows, size), "k": (1, groups, keys, size),
                  "v": (1, groups, keys, values)}
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
            results = [((1, heads, rows, values), dtype)]
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
    yield from gated_units()
    yield from attention()
