#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes models into the current folder that are made to harm who reads them:
text nested so deep that a parser runs out of stack, names that stand for more
than memory holds, weights that never end, messages that a terminal obeys."""

import pathlib
import struct

DEPTH = 100000


def relu(attributes="", kind="tensor<4xf32>"):
    return (f"func.func @main(%x: {kind}{attributes}) -> {kind} {{\n"
            f"  %0 = graph.relu %x : {kind}\n  return %0 : {kind}\n}}\n")


def weights(name):
    return (f"module attributes {{graph.weights = {name}}} {{\n"
            "func.func @main() -> tensor<4xf32> {\n"
            '  %0 = graph.constant @"w" : tensor<4xf32>\n'
            "  return %0 : tensor<4xf32>\n}\n}\n")


def aliases(count, body):
    """#a1 and so on, each made of the one before it."""
    return "#a0 = [1]\n" + "".join(
        f"#a{i + 1} = {body.format(f'#a{i}')}\n" for i in range(count))


TEXTS = {
    "attribute": relu(" {a.b = " + "[" * DEPTH + "]" * DEPTH + "}"),
    "type": f"func.func private @f({'tuple<' * DEPTH}f32{'>' * DEPTH})\n",
    "region": "module {" * DEPTH + "}" * DEPTH,
    "affine": f"#m = affine_map<(d0) -> ({'-' * DEPTH}d0)>\n" + relu(),
    "alias": aliases(DEPTH, "[{0}]") + weights(f"#a{DEPTH}"),
    "laughs": aliases(40, "[{0}, {0}]") + weights("#a40"),
    "filled": relu(' {kernel.role = "constant"}', "tensor<17179869184xf32>"),
    "large": relu(kind="tensor<4294967296x4294967296x2xf32>"),
    "device": weights('"/dev/zero"'),
    "terminal": weights('"\\1B[31mred\\07"'),
    # As deep as a model may be, and aliases used as often as one likes.
    "good": aliases(3, "[{0}]") + relu(
        " {a.b = [#a3, #a3, #a3], a.c = " + "[" * 200 + "]" * 200 + "}"),
    "nested": weights('"deep.safetensors"'),
}


def main():
    for name, text in TEXTS.items():
        pathlib.Path(f"{name}.mlir").write_text(text)
    header = f'{{"w":{"[" * DEPTH}{"]" * DEPTH}}}'.encode()
    pathlib.Path("deep.safetensors").write_bytes(
        struct.pack("<Q", len(header)) + header)


if __name__ == "__main__":
    main()
