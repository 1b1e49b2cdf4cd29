# SPDX-License-Identifier: Apache-2.0
"""A chain of products, a kernel or call each: chain.py COUNT [ROWS]"""

import sys

count = int(sys.argv[1])
height = sys.argv[2] if len(sys.argv) > 2 else 64
square, rows = "tensor<256x256xbf16>", f"tensor<{height}x256xbf16>"
weights = ", ".join(f"%w{i}: {square}" for i in range(count))
print(f"func.func @main(%x0: {rows}, {weights}) -> {rows} {{")
for i in range(count):
    print(f"  %x{i + 1} = graph.linear %x{i}, %w{i} : ({rows}, {square}) -> {rows}")
print(f"  return %x{count} : {rows}\n}}")
