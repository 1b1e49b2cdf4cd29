# SPDX-License-Identifier: Apache-2.0
"""Data for problems, from a seed, as .npy files.

Uniform numbers average out what is wrong in an attention or a softmax, and show
nothing of NaN and infinities. So rows are also peaked, and special."""

import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz"))
from rng import Rng  # noqa: E402

FORMATS = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "bf16": ("<u2", "H"),
           "i1": ("|b1", "?"), "i8": ("|i1", "b"), "ui8": ("|u1", "B"),
           "i32": ("<i4", "i"), "i64": ("<i8", "q")}


def to_bf16(value):
    """Its 16 bits, rounded to nearest even."""
    if math.isnan(value):
        return 0x7FC0
    bits, = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def npy(shape, dtype, values):
    """The bytes of a .npy file; bf16 as uint16."""
    descr, code = FORMATS[dtype]
    if dtype == "bf16":
        values = [to_bf16(value) for value in values]
    header = str({"descr": descr, "fortran_order": False,
                  "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header \
        + struct.pack(f"<{len(values)}{code}", *values)


def uniform(shape, dtype, seed, low=-1, high=1):
    rng = Rng(seed)
    if dtype in ("i1", "i8", "ui8", "i32", "i64"):
        return [rng.integer(low, high) for _ in range(math.prod(shape))]
    return [rng.uniform(low, high) for _ in range(math.prod(shape))]


def peaked(shape, dtype, seed):
    """In each row one element, or two, far above the others."""
    rng, length = Rng(seed), shape[-1]
    values = uniform(shape, dtype, seed, -4, 4)
    for row in range(math.prod(shape[:-1])):
        for height in (30, 29):
            if rng.chance(0.7):
                values[row * length + rng.below(length)] = height
    return values


def special(shape, dtype, seed):
    """Rows with a NaN, of -infinity alone, with either infinity or both, of
    equal elements, of zeros; then plain ones."""
    rng, length = Rng(seed), shape[-1]
    values = uniform(shape, dtype, seed)
    infinity = math.inf
    some = [[math.nan], [-infinity] * length, [-infinity] * max(length - 1, 1),
            [infinity], [infinity, -infinity], [0.5] * length,
            [-0.0, 0.0] * (length // 2)]
    for row in range(math.prod(shape[:-1])):
        kind = some[row % (len(some) + 2)] if row % (len(some) + 2) < len(
            some) else []
        places = rng.shuffled(range(length))
        for place, value in zip(places, kind):
            values[row * length + place] = value
    return values
