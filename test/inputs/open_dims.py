#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a dimension of a model in text: a size that stands for nothing else
becomes a name that --dim gives sizes.

    open_dims.py model.mlir 509 T -o open.mlir

In types the size becomes `?`, and arguments get graph.dims. A slice has fixed
sizes, so a table that is sliced to the first rows of that size is gathered from
instead, by an input `position_ids` of that size, as exported models have it.
"""

import argparse
import pathlib
import re
import sys


def open_dims(text, size, name):
    opened = []

    def argument(match):
        dims = match[2].split("x")[:-1]
        if str(size) not in dims:
            return match[0]
        dims = ", ".join(f'"{name}"' if d == str(size) else d for d in dims)
        return f"{match[1]}tensor<{match[2]}> {{graph.dims = [{dims}], "

    # Before types lose the size.
    text = re.sub(r"(%\w+: )tensor<([^<>]*)> \{", argument, text)
    sliced = re.compile(
        rf"(%\d+) = graph\.slice (%\d+) \[0, 0\] to \[{size}, (\d+)\] by "
        rf"\[1, 1\]\s*: (tensor<\d+x\d+x\w+>) -> (tensor<{size}x\w+>)")

    def gather(match):
        opened.append(match[0])
        return (f"{match[1]} = graph.gather {match[2]}, %position_ids axis = 0"
                f" : ({match[4]}, tensor<{size}xi64>) -> {match[5]}")

    text = sliced.sub(gather, text)
    if opened:
        text = re.sub(
            r"(func\.func @\w+\()\s*",
            rf'\1%position_ids: tensor<{size}xi64> {{graph.name = '
            rf'"position_ids", graph.dims = ["{name}"]}}, ', text, count=1)
    return re.sub(r"tensor<([^<>]*)>", lambda match: "tensor<" + "x".join(
        "?" if part == str(size) else part
        for part in match[1].split("x")) + ">", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("size", type=int)
    parser.add_argument("name")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    text = arguments.model.read_text()
    opened = open_dims(text, arguments.size, arguments.name)
    if opened == text:
        sys.exit(f"open_dims: error: no dimension of {arguments.size}")
    if re.search(rf"graph\.slice.*\b{arguments.size}\b", opened):
        sys.exit(f"open_dims: error: a slice of {arguments.size} is left")
    arguments.output.write_text(opened)


if __name__ == "__main__":
    main()
