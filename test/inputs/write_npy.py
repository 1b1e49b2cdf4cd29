# SPDX-License-Identifier: Apache-2.0
"""Writes a .npy file of float32: write_npy.py OUT DIM,DIM... VALUE...

Values are floats, nan and inf included, repeated as often as the shape needs.
"""

import itertools
import math
import struct
import sys

out, shape, values = sys.argv[1], sys.argv[2], sys.argv[3:]
dims = tuple(int(dim) for dim in shape.split(","))
count = math.prod(dims)
data = list(itertools.islice(itertools.cycle(map(float, values)), count))
header = str({"descr": "<f4", "fortran_order": False, "shape": dims}).encode()
header += b" " * (-(len(header) + 11) % 64) + b"\n"
with open(out, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack(f"<{count}f", *data))
