# SPDX-License-Identifier: Apache-2.0
"""Problems of ops that move elements, and of those that take indices."""

import arrays
from problems import Problem, functional
from tensors import FLOATS, INTEGERS, tensor

SHAPE = (7, 5, 33)


def whole():
    """Ops whose elements move alike, in each dtype."""
    for dtype in FLOATS + INTEGERS + ("i1", "ui8"):
        x, t = {"x": (SHAPE, dtype)}, tensor(SHAPE, dtype)
        for op, name, text, shape in (
                ("transpose", "210", "[2, 1, 0]", (33, 5, 7)),
                ("transpose", "021", "[0, 2, 1]", (7, 33, 5)),
                ("slice", "steps", "[1, 0, 2] to [7, 5, 33] by [2, 1, 3]",
                 (3, 5, 11)),
                ("pad", "both", "before [1, 0, 2] after [0, 3, 1] "
                 "{value = 1.0 : f64}", (8, 8, 36))):
            yield Problem(op, f"{op}_{name}_{dtype}", x,
                          f"{op} %x {text} : {t} -> {tensor(shape, dtype)}",
                          (shape, dtype))
        shape = (35, 3, 11)
        yield Problem("reshape", f"reshape_{dtype}", x,
                      f"reshape %x : {t} to {tensor(shape, dtype)}",
                      (shape, dtype))
        small, shape = {"x": ((5, 1), dtype)}, (2, 5, 17)
        yield Problem("broadcast", f"broadcast_{dtype}", small,
                      f"broadcast %x : {tensor((5, 1), dtype)} to "
                      f"{tensor(shape, dtype)}", (shape, dtype))
        for axis, extents in ((0, (1, 7)), (1, (2, 5, 1)), (2, (33, 4))):
            parts = {}
            for i, extent in enumerate(extents):
                part = list(SHAPE)
                part[axis] = extent
                parts[f"x{i}"] = (part, dtype)
            shape = list(SHAPE)
            shape[axis] = sum(extents)
            yield Problem("concat", f"concat_{axis}_{dtype}", parts,
                          f"concat {', '.join('%' + p for p in parts)} axis ="
                          f" {axis} : {functional(parts, [(shape, dtype)])}",
                          (shape, dtype))
        yield from wide_concats(dtype)
        yield from wide_transposes(dtype)
        if dtype not in ("i1", "ui8"):
            for axis in (0, 2):
                yield Problem("iota", f"iota_{axis}_{dtype}", {},
                              f"iota axis = {axis} : {t}", (SHAPE, dtype))


def wide_transposes(dtype):
    """Images between NCHW and NHWC, as large as GPUs turn them by squares."""
    for channels, pixels in ((264, 1024), (136, 1156), (72, 1537)):
        for name, shape in (("to_nhwc", (2, channels, pixels)),
                            ("to_nchw", (2, pixels, channels))):
            turned = (shape[0], shape[2], shape[1])
            yield Problem("transpose", f"transpose_{name}_{pixels}_{dtype}",
                          {"x": (shape, dtype)},
                          f"transpose %x [0, 2, 1] : {tensor(shape, dtype)} -> "
                          f"{tensor(turned, dtype)}", (turned, dtype))


def wide_concats(dtype):
    """Pieces that begin at multiples of vectors, also behind other moves."""
    for axis, extents in ((1, (1, 4)), (2, (16, 8, 24))):
        shape = [3, 5, 48]
        shape[axis] = sum(extents)
        parts = {}
        for i, extent in enumerate(extents):
            part = list(shape)
            part[axis] = extent
            parts[f"x{i}"] = (part, dtype)
        yield Problem("concat", f"concat_wide_{axis}_{dtype}", parts,
                      f"concat {', '.join('%' + p for p in parts)} axis ="
                      f" {axis} : {functional(parts, [(shape, dtype)])}",
                      (shape, dtype))
    if dtype in FLOATS:
        small, large, both = (
            tensor(shape, dtype) for shape in ((3, 1, 16), (3, 4, 16),
                                               (3, 5, 16)))
        yield Problem(
            "concat", f"concat_among_{dtype}",
            {"x": ((3, 1, 16), dtype), "y": ((3, 4, 16), dtype),
             "z": ((5, 16), dtype)},
            f"add %c, %z : ({both}, {tensor((5, 16), dtype)}) -> {both}",
            ((3, 5, 16), dtype),
            before=[f"%c = graph.concat %x, %y axis = 1 : ({small}, {large})"
                    f" -> {both}"])


def by_index():
    for dtype, index in ((d, i) for d in FLOATS + INTEGERS + ("i1", "ui8")
                         for i in ("i32", "i64")):
        for axis, indices in ((0, (4, 3)), (1, ()), (2, (17,))):
            shape = SHAPE[:axis] + indices + SHAPE[axis + 1:]
            arguments = {"x": (SHAPE, dtype), "i": (indices, index)}
            yield Problem("gather", f"gather_{axis}_{dtype}_{index}",
                          arguments, f"gather %x, %i axis = {axis} : "
                          f"{functional(arguments, [(shape, dtype)])}",
                          (shape, dtype), {"in range": {"i": arrays.uniform(
                              indices, index, axis, 0, SHAPE[axis] - 1)}},
                          random=False)
        for axis, shape in ((0, (4, 5, 33)), (1, (7, 9, 1)), (2, (7, 5, 17))):
            arguments = {"x": (SHAPE, dtype), "i": (shape, index)}
            yield Problem("gather_elements",
                          f"gather_elements_{axis}_{dtype}_{index}",
                          arguments, f"gather_elements %x, %i axis = {axis} : "
                          f"{functional(arguments, [(shape, dtype)])}",
                          (shape, dtype), {"in range": {"i": arrays.uniform(
                              shape, index, axis, 0, SHAPE[axis] - 1)}},
                          random=False)
        for axis, extent in ((0, 1), (1, 5), (2, 8)):
            update = list(SHAPE)
            update[axis] = extent
            arguments = {"x": (SHAPE, dtype), "u": (update, dtype),
                         "p": ((), index)}
            last = SHAPE[axis] - extent
            yield Problem("cache_update", f"cache_{axis}_{dtype}_{index}",
                          arguments, f"cache_update %x, %u at %p axis = {axis}"
                          f" : {functional(arguments, [(SHAPE, dtype)])}",
                          (SHAPE, dtype), {"begin": {"p": [0]},
                                           "end": {"p": [last]}},
                          random=False)
        yield from in_place(dtype, index)


def in_place(dtype, index):
    """Updates of the caller's memory, in vectors and not."""
    for axis, shape, extent in ((0, (7, 5, 33), 2), (1, (7, 5, 33), 5),
                                (1, (2, 9, 48), 1), (2, (2, 3, 48), 16)):
        update = list(shape)
        update[axis] = extent
        arguments = {"x": (shape, dtype), "u": (update, dtype),
                     "p": ((), index)}
        last = shape[axis] - extent
        yield Problem("cache_update", f"cache_in_place_{shape[-1]}_{axis}_"
                      f"{dtype}_{index}", arguments,
                      f"cache_update %x, %u at %p axis = {axis}"
                      f" : {functional(arguments, [(shape, dtype)])}",
                      (shape, dtype), {"begin": {"p": [0]},
                                       "inside": {"p": [last // 2]},
                                       "end": {"p": [last]}},
                      random=False, updates="x")


def rotary():
    for dtype in FLOATS:
        for pairs, flag in ((16, ""), (16, " {interleaved}"), (5, "")):
            arguments = {"x": ((2, 3, 7, 33), dtype), "c": ((7, pairs), dtype),
                         "s": ((7, pairs), dtype)}
            name = f"rotary_{pairs}{'i' if flag else ''}_{dtype}"
            result = arguments["x"]
            yield Problem("rotary", name, arguments, f"rotary %x, %c, %s{flag}"
                          f" : {functional(arguments, [result])}", result)


def rotary_of_rows():
    """Whole rows, alone and of heads of a joint projection."""
    for dtype in FLOATS:
        for pairs, flag in ((p, f) for p in (16, 7, 1)
                            for f in ("", " {interleaved}")):
            shape, angles = (2, 3, 7, 2 * pairs), (7, pairs)
            kind = f"{pairs}{'i' if flag else ''}_{dtype}"
            arguments = {"x": (shape, dtype), "c": (angles, dtype),
                         "s": (angles, dtype)}
            yield Problem("rotary", f"rotary_rows_{kind}", arguments,
                          f"rotary %x, %c, %s{flag} : "
                          f"{functional(arguments, [(shape, dtype)])}",
                          (shape, dtype))
            if pairs == 1:
                continue
            heads, table = (2, 7, 5, 2 * pairs), (11, pairs)
            arguments = {"x": (heads, dtype), "c": (table, dtype),
                         "s": (table, dtype), "i": ((7,), "i64")}
            part = tensor((2, 7, 3, 2 * pairs), dtype)
            turned, rows = tensor(shape, dtype), tensor(angles, dtype)
            found = f"({tensor(table, dtype)}, tensor<7xi64>) -> {rows}"
            yield Problem(
                "rotary", f"rotary_heads_{kind}", arguments,
                f"rotary %t, %d, %e{flag} : ({turned}, {rows}, {rows})"
                f" -> {turned}", (shape, dtype),
                {"in range": {"i": [3, 0, 10, 9, 1, 1, 5]}}, random=False,
                before=[f"%h = graph.slice %x [0, 0, 1, 0] to "
                        f"[2, 7, 4, {2 * pairs}] by [1, 1, 1, 1] : "
                        f"{tensor(heads, dtype)} -> {part}",
                        f"%t = graph.transpose %h [0, 2, 1, 3] : {part} -> "
                        f"{turned}",
                        f"%d = graph.gather %c, %i axis = 0 : {found}",
                        f"%e = graph.gather %s, %i axis = 0 : {found}"])


def all_problems():
    yield from whole()
    yield from by_index()
    yield from rotary()
    yield from rotary_of_rows()
