# SPDX-License-Identifier: Apache-2.0
"""Writes a .safetensors file of reproducible values, or a broken one.

write_safetensors.py OUT NAME:DTYPE:DIM,DIM... [--break=KIND]

DTYPE is a name of the format (F32, BF16, F16, I32, I64, I8, BOOL). Floats are
uniform in [-1, 1] divided by the square root of the last dim. KIND: truncated,
overlap, duplicate, unknown-dtype, header-length, not-json, short-entry.
"""

import argparse
import json
import random
import struct


def bf16(value):
    """The bits of a float rounded to the nearest even bfloat16."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def encode(dtype, count, scale, generator):
    floats = [generator.uniform(-1, 1) * scale for _ in range(count)]
    integers = [generator.randint(-8, 8) for _ in range(count)]
    if dtype == "F32":
        return struct.pack(f"<{count}f", *floats)
    if dtype == "F16":
        return struct.pack(f"<{count}e", *floats)
    if dtype == "BF16":
        return struct.pack(f"<{count}H", *map(bf16, floats))
    if dtype == "F64":
        return struct.pack(f"<{count}d", *floats)
    if dtype == "BOOL":
        return bytes(value > 0 for value in integers)
    code = {"I8": "b", "I32": "i", "I64": "q"}[dtype]
    return struct.pack(f"<{count}{code}", *integers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("tensors", nargs="+")
    parser.add_argument("--break", dest="damage", default="")
    arguments = parser.parse_args()
    generator = random.Random(1)

    entries, data = [], b""
    for tensor in arguments.tensors:
        name, dtype, dims = tensor.split(":")
        dims = [int(dim) for dim in dims.split(",") if dim]
        count = 1
        for dim in dims:
            count *= dim
        scale = dims[-1] ** -0.5 if len(dims) > 1 else 1.0
        blob = encode(dtype, count, scale, generator)
        entry = {
            "dtype": dtype,
            "shape": dims,
            "data_offsets": [len(data), len(data) + len(blob)],
        }
        entries.append((name, entry))
        data += blob

    damage = arguments.damage
    last = entries[-1][1]
    if damage == "overlap":
        last["data_offsets"] = [offset - 4 for offset in last["data_offsets"]]
    elif damage == "unknown-dtype":
        last["dtype"] = "F33"
    elif damage == "short-entry":
        last["data_offsets"][1] -= 4
    elif damage == "duplicate":
        entries.append(entries[0])
    # Spelled out, because a dict cannot hold a duplicate.
    pairs = (json.dumps(name) + ":" + json.dumps(entry) for name, entry in entries)
    header = ("{" + ",".join(pairs) + "}").encode()
    if damage == "not-json":
        header = b"{" * len(header)
    header += b" " * (-len(header) % 8)
    length = len(header) + (1 << 40 if damage == "header-length" else 0)
    if damage == "truncated":
        data = data[:-4]
    with open(arguments.out, "wb") as file:
        file.write(struct.pack("<Q", length) + header + data)


main()
