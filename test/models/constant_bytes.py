#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether artifacts store a GPT-2's weights no more often than they need.

    constant_bytes.py WEIGHTS ARTIFACT...

Without what panels are padded by, constants are at most 1.02 times the weights
in WEIGHTS, a safetensors file, and the table of words once more where it is packed.
`minic` is that in PATH.
"""

import json
import math
import pathlib
import struct
import subprocess
import sys

TABLE = "word.weight"


def weights(path):
    """{name: bytes}"""
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return {name: entry["data_offsets"][1] - entry["data_offsets"][0]
            for name, entry in header.items() if name != "__metadata__"}


def main():
    expected = weights(sys.argv[1])
    for path in sys.argv[2:]:
        text = subprocess.run(["minic", "inspect", "--json", path], text=True,
                              capture_output=True, check=True).stdout
        stored, tables = 0, 0
        for constant in json.loads(text)["constants"]:
            width = {"f32": 4, "bf16": 2, "f16": 2, "i1": 1, "i8": 1,
                     "i32": 4, "i64": 8}[constant["dtype"]]
            stored += math.prod(constant["dims"]) * width
            tables += constant["name"].startswith(TABLE)
        most = 1.02 * (sum(expected.values())
                       + (tables - 1) * expected[TABLE])
        name = pathlib.Path(path).name
        if tables > 2 or stored > most:
            sys.exit(f"{name}: {stored} bytes, {tables} tables of words; "
                     f"expected at most {most:.0f} and 2")
        print(f"{name}: fine, {stored} bytes")


if __name__ == "__main__":
    main()
