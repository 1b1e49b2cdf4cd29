# SPDX-License-Identifier: Apache-2.0
"""Problems of ops along rows: softmax, norms, reductions, order, sums."""

import itertools

import arrays
from problems import Problem, functional
from tensors import FLOATS, tensor

# Rows and lengths: one, primes, beside powers of two, many.
ROWS = ((1, 17), (2, 77), (7, 197), (33, 1), (33, 64), (1000, 17), (4097, 5))
MOST_DATA = 3000  # elements of an input that is written to a file


def row_data(shape, dtype, seed):
    """Peaked and special rows of a small input."""
    if shape[0] * shape[-1] > MOST_DATA:
        return {}
    return {"peaked": {"x": arrays.peaked(shape, dtype, seed)},
            "special": {"x": arrays.special(shape, dtype, seed)}}


def along_rows():
    """Ops of one input along its last dimension, and along the first."""
    for (at, shape), dtype in itertools.product(enumerate(ROWS), FLOATS):
        x, t = {"x": (shape, dtype)}, tensor(shape, dtype)
        size, data = f"{shape[0]}x{shape[1]}_{dtype}", row_data(shape, dtype,
                                                                at)
        for axis in (1, 0) if shape[0] <= 33 else (1,):
            name = f"{size}_{axis}"
            for op in ("softmax", "log_softmax"):
                yield Problem(op, f"{op}_{name}", x,
                              f"{op} %x axis = {axis} : {t}", (shape, dtype),
                              data)
            rest = shape[1 - axis:2 - axis]
            for kind in ("sum", "mean", "max", "min", "prod"):
                yield Problem("reduce", f"reduce_{kind}_{name}", x,
                              f"reduce {kind}, %x [{axis}] : {t} -> "
                              f"{tensor(rest, dtype)}", (rest, dtype), data)
            for kind in ("max", "min"):
                yield Problem("arg_reduce", f"arg_{kind}_{name}", x,
                              f"arg_reduce {kind}, %x axis = {axis} : {t} -> "
                              f"{tensor(rest, 'i64')}", (rest, "i64"), data)
                k = [*shape]
                k[axis] = min(shape[axis], 5)
                yield Problem("top_k", f"top_{kind}_{name}", x,
                              f"top_k {kind}, %x axis = {axis} k = {k[axis]} :"
                              f" {t} -> {tensor(k, dtype)}, "
                              f"{tensor(k, 'i64')}", [(k, dtype), (k, "i64")],
                              data)
            flags = ("", " {exclusive}", " {reverse}",
                     " {exclusive, reverse}")[(at + axis) % 4]
            yield Problem("cumsum", f"cumsum_{name}", x,
                          f"cumsum %x axis = {axis}{flags} : {t}",
                          (shape, dtype), data)


def sums_down_columns():
    """More rows than threads that share a sum, one of them once more."""
    for shape, dtype in itertools.product(((33, 13), (221, 3)), FLOATS):
        t = tensor(shape, dtype)
        yield Problem("cumsum", f"cumsum_down_{shape[0]}_{dtype}",
                      {"x": (shape, dtype)}, f"cumsum %x axis = 0 : {t}",
                      (shape, dtype), {})


def long_rows():
    """Few rows, which blocks of a GPU share: of a power of two, and of odd
    length."""
    for shape, dtype in itertools.product(((1, 50257), (3, 32768)),
                                          ("f32", "bf16")):
        x, t, rest = {"x": (shape, dtype)}, tensor(shape, dtype), shape[:1]
        size = f"long_{shape[0]}x{shape[1]}_{dtype}"
        yield Problem("softmax", f"softmax_{size}", x,
                      f"softmax %x axis = 1 : {t}", (shape, dtype))
        yield Problem("layer_norm", f"layer_norm_{size}", x,
                      f"layer_norm %x axis = 1 : ({t}) -> {t}",
                      (shape, dtype))
        yield Problem("reduce", f"reduce_mean_{size}", x,
                      f"reduce mean, %x [1] : {t} -> {tensor(rest, dtype)}",
                      (rest, dtype))
        yield Problem("arg_reduce", f"arg_max_{size}", x,
                      f"arg_reduce max, %x axis = 1 : {t} -> "
                      f"{tensor(rest, 'i64')}", (rest, "i64"))
    shape = (16384, 3)  # along the first dimension
    yield Problem("reduce", "reduce_sum_long_columns", {"x": (shape, "f32")},
                  f"reduce sum, %x [0] : {tensor(shape, 'f32')} -> "
                  f"{tensor((3,), 'f32')}", ((3,), "f32"))


def norms():
    for (at, shape), dtype in itertools.product(enumerate(ROWS), FLOATS):
        row = shape[1:]
        size = f"{shape[0]}x{shape[1]}_{dtype}"
        # A mean of 100 standard deviations: E[x^2] - E[x]^2 would cancel.
        # What bf16 and f16 hold of it is another matter.
        data = row_data(shape, dtype, at)
        if data:
            data["shifted"] = {"x": arrays.uniform(shape, dtype, at, 99, 101)}
        for op, operands in (("layer_norm", ("scale", "bias")),
                             ("layer_norm", ()), ("rms_norm", ("scale",))):
            arguments = {"x": (shape, dtype),
                         **{name: (row, dtype) for name in operands}}
            text = "".join(f" {name} %{name}" for name in operands)
            yield Problem(op, f"{op}{len(operands)}_{size}", arguments,
                          f"{op} %x{text} axis = 1 : "
                          f"{functional(arguments, [(shape, dtype)])}",
                          (shape, dtype), data)
    for dtype, groups in itertools.product(FLOATS, (1, 3, 6)):
        shape = (2, 6, 5, 7)
        arguments = {"x": (shape, dtype), "w": ((6,), dtype),
                     "b": ((6,), dtype)}
        yield Problem("group_norm", f"group_norm_{groups}_{dtype}", arguments,
                      f"group_norm %x scale %w bias %b groups = {groups} : "
                      f"{functional(arguments, [(shape, dtype)])}",
                      (shape, dtype),
                      {"special": {"x": arrays.special(shape, dtype, 1)}})


def all_problems():
    yield from along_rows()
    yield from norms()
    yield from sums_down_columns()
    yield from long_rows()
