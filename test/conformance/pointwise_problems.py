# SPDX-License-Identifier: Apache-2.0
"""Problems of pointwise ops: numbers, NaN, infinities and both zeros."""

import arrays
from problems import Problem, functional
from tensors import FLOATS, INTEGERS, tensor

UNARY = ("abs", "ceil", "cos", "elu", "erf", "exp", "floor", "gelu",
         "hard_sigmoid", "hard_swish", "leaky_relu", "log", "mish", "neg",
         "relu", "round", "rsqrt", "sigmoid", "sign", "silu", "sin",
         "softplus", "sqrt", "tanh")
BINARY = ("add", "div", "max", "min", "mod", "mul", "pow", "sub")
BITS = ("and", "or", "xor")
SHAPE = (9, 33)


def unary():
    for dtype in FLOATS:
        x = {"x": (SHAPE, dtype)}
        data = {"special": {"x": arrays.special(SHAPE, dtype, 1)},
                "wide": {"x": arrays.uniform(SHAPE, dtype, 2, -100, 100)}}
        for op in UNARY + ("is_nan",):
            result = SHAPE, "i1" if op == "is_nan" else dtype
            types = tensor(SHAPE, dtype) + (f" -> {tensor(*result)}"
                                            if op == "is_nan" else "")
            yield Problem(op, f"{op}_{dtype}", x, f"{op} %x : {types}",
                          result, data)
        yield Problem("clamp", f"clamp_{dtype}", x,
                      "clamp %x {lower = -0.5 : f64, upper = 0.25 : f64} : "
                      f"{tensor(SHAPE, dtype)}", (SHAPE, dtype), data)
    for dtype in INTEGERS:
        x = {"x": (SHAPE, dtype)}
        for op in ("abs", "neg", "sign", "not"):
            yield Problem(op, f"{op}_{dtype}", x,
                          f"{op} %x : {tensor(SHAPE, dtype)}",
                          (SHAPE, dtype))


def binary():
    for dtype in FLOATS + INTEGERS:
        y_shape = SHAPE[1:]
        arguments = {"x": (SHAPE, dtype), "y": (y_shape, dtype)}
        data = {}
        if dtype in FLOATS:
            data["special"] = {
                "x": arrays.special(SHAPE, dtype, 3),
                "y": arrays.special((1,) + y_shape, dtype, 4)}
            data["positive"] = {
                "x": arrays.uniform(SHAPE, dtype, 5, 0.125, 8),
                "y": arrays.uniform(y_shape, dtype, 6, 0.125, 3)}
        ops = [op for op in BINARY if dtype in FLOATS or op != "pow"]
        for op in ops + list(BITS if dtype in INTEGERS else ()):
            yield Problem(op, f"{op}_{dtype}_2", arguments, f"{op} %x, %y : "
                          f"{functional(arguments, [(SHAPE, dtype)])}",
                          (SHAPE, dtype), data)
        for predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield Problem("compare", f"compare_{predicate}_{dtype}",
                          arguments, f"compare {predicate}, %x, %y : "
                          f"{functional(arguments, [(SHAPE, 'i1')])}",
                          (SHAPE, "i1"), data)
        chosen = {"c": ((9, 1), "i1"), **arguments}
        yield Problem("select", f"select_{dtype}", chosen,
                      "select %c, %x, %y : "
                      f"{functional(chosen, [(SHAPE, dtype)])}",
                      (SHAPE, dtype), data)


def casts():
    dtypes = FLOATS + INTEGERS + ("i1", "ui8")
    for source in dtypes:
        for target in dtypes:
            if source != target:
                # Of ui8 what i8 has not; out of range is undefined of floats.
                low, high = -100, 100
                if "ui8" in (source, target):
                    low, high = 0, 127 if source == "i8" else 255
                yield Problem(
                    "cast", f"cast_{source}_{target}", {"x": (SHAPE, source)},
                    f"cast %x : {tensor(SHAPE, source)} to "
                    f"{tensor(SHAPE, target)}", (SHAPE, target),
                    {"wide": {"x": arrays.uniform(SHAPE, source, 7, low,
                                                  high)}}
                    if source != "i1" else {})


def all_problems():
    yield from unary()
    yield from binary()
    yield from casts()
