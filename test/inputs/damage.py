# SPDX-License-Identifier: Apache-2.0
"""Damages a copy of a file: damage.py IN OUT truncate=N | flip=BYTE | set=BYTE,VALUE.

Negative positions count from the end.
"""

import sys

source, target, damage = sys.argv[1:]
data = bytearray(open(source, "rb").read())
kind, value = damage.split("=")
numbers = [int(number, 0) for number in value.split(",")]
if kind == "truncate":
    del data[numbers[0]:]
elif kind == "flip":
    data[numbers[0]] ^= 1 << (numbers[0] % 8)
else:
    data[numbers[0]] = numbers[1]
open(target, "wb").write(data)
