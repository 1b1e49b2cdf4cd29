# SPDX-License-Identifier: Apache-2.0
"""Reads .npy files and what `minic evaluate` writes, without NumPy."""

import ast
import dataclasses
import math
import struct

NPY = {"<f4": "f", "<f8": "d", "<f2": "e", "<i4": "i", "<i8": "q"}
MAGIC = 0x3150584543494e4d  # runtime/measure/ExpectedOutputs.cpp


def read_npy(path):
    """(dims, values)"""
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    dims, code = header["shape"], NPY[header["descr"]]
    count = math.prod(dims)
    values = struct.unpack_from(f"<{count}{code}", data, 10 + length)
    return tuple(dims), values


@dataclasses.dataclass
class Expected:
    dims: tuple
    values: tuple
    tolerances: tuple


def unpacked(code, count, data, place):
    return struct.unpack_from(f"<{count}{code}", data, place)


def read_expected(path, unpack=unpacked):
    """{output: Expected}; all rows have to be given. `unpack` makes arrays of
    `count` values; large ones want another than a tuple."""
    with open(path, "rb") as file:
        data = file.read()
    place = 0

    def word():
        nonlocal place
        place += 8
        return struct.unpack_from("<Q", data, place - 8)[0]

    def array(code):
        nonlocal place
        count = word()
        place += 8 * count
        return unpack(code, count, data, place - 8 * count)

    assert word() == MAGIC, path
    found = {}
    for _ in range(word()):
        length = word()
        name = data[place:place + length].decode()
        place += -(-length // 8) * 8
        word()  # the dtype
        dims, rows = tuple(array("q")), array("q")
        assert len(rows) == 0, f"{name}: expected all rows"
        found[name] = Expected(dims, array("d"), array("d"))
        array("d")  # alternatives
    return found
