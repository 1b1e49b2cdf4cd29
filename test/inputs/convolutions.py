# SPDX-License-Identifier: Apache-2.0
"""Convolutions as models: relu(conv2d(x, w) + b + r), weights from a seed.

`write` makes the model of one; run as a program, this writes a model of all,
one function each:

    convolutions.py OUT.mlir DTYPE [onednn]

where "onednn" leaves out what its post-ops cannot do on some machine.
Weights lie beside each model, in a .safetensors file.
"""

import dataclasses
import pathlib
import sys

import problems


@dataclasses.dataclass(frozen=True)
class Convolution:
    layout: str
    n: int
    c: int
    h: int
    w: int
    k: int
    r: int
    s: int
    strides: tuple = (1, 1)
    pads: tuple = (0, 0, 0, 0)  # top, left, bottom, right
    dilations: tuple = (1, 1)
    groups: int = 1

    def extent(self, i):
        size, taps = (self.h, self.r) if i == 0 else (self.w, self.s)
        padded = size + self.pads[i] + self.pads[2 + i]
        return (padded - self.dilations[i] * (taps - 1) - 1) \
            // self.strides[i] + 1

    def image(self, channels, height, width):
        if self.layout == "nhwc":
            return [self.n, height, width, channels]
        return [self.n, channels, height, width]


def shapes():
    """Each awkward thing with others that vary, rather than all with all."""
    # channels in and out, filter, strides, dilations, pads, groups
    yield 1, 1, (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), 1
    yield 3, 64, (7, 7), (2, 2), (1, 1), (3, 3, 3, 3), 1
    yield 17, 31, (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), 1
    yield 64, 40, (1, 1), (2, 2), (1, 1), (0, 0, 0, 0), 1
    yield 5, 33, (2, 2), (1, 1), (1, 1), (0, 0, 1, 1), 1
    yield 16, 65, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1
    yield 7, 16, (3, 3), (2, 1), (1, 1), (0, 1, 1, 2), 1
    yield 9, 10, (3, 3), (1, 1), (2, 2), (2, 2, 2, 2), 1
    yield 4, 6, (4, 4), (3, 3), (1, 2), (3, 0, 0, 3), 1
    yield 8, 24, (5, 5), (1, 1), (1, 1), (2, 2, 2, 2), 1
    yield 6, 20, (6, 6), (1, 2), (1, 1), (0, 5, 5, 0), 1
    yield 12, 18, (3, 1), (1, 1), (3, 1), (1, 0, 2, 0), 1
    yield 12, 18, (1, 3), (1, 2), (1, 2), (0, 1, 0, 2), 1
    yield 8, 64, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 2
    yield 12, 51, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), 3
    yield 31, 31, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 31
    yield 32, 32, (5, 5), (2, 2), (1, 1), (2, 2, 2, 2), 32
    yield 6, 18, (3, 3), (1, 1), (2, 1), (2, 1, 2, 1), 6
    yield 72, 64, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1
    yield 48, 40, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), 2
    yield 1, 24, (5, 5), (1, 1), (1, 1), (2, 2, 2, 2), 1
    yield 24, 24, (7, 7), (1, 1), (1, 1), (3, 3, 3, 3), 24


# Height and width: one pixel, less than a vector, more than one.
SIZES = [(1, 1), (7, 7), (9, 21), (14, 14)]


def all_convolutions():
    number = 0
    for c, k, (r, s), strides, dilations, pads, groups in shapes():
        for layout in ("nchw", "nhwc"):
            for h, w in (SIZES[number % 4], SIZES[(number + 2) % 4]):
                # No smaller than the filter's reach.
                h = max(h, dilations[0] * (r - 1) + 1 - pads[0] - pads[2])
                w = max(w, dilations[1] * (s - 1) + 1 - pads[1] - pads[3])
                yield Convolution(layout, 1 + number % 3, c, h, w, k, r, s,
                                  strides, pads, dilations, groups)
            number += 1


def is_mostly_pads(conv):
    """More than keep an image's size on one side, or a larger filter."""
    for i in (0, 1):
        reach = ((conv.r, conv.s)[i] - 1) * conv.dilations[i]
        if (2 * max(conv.pads[i], conv.pads[2 + i]) > reach
                or reach >= (conv.h, conv.w)[i]):
            return True
    return False


def has_odd_groups(conv):
    """Groups of several channels, but no multiple of 8 of them."""
    inputs, outputs = conv.c // conv.groups, conv.k // conv.groups
    return conv.groups > 1 and inputs > 1 and (inputs % 8 or outputs % 8)


def tensor(dims, dtype):
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + dtype + ">"


def attribute(name, values):
    return f"{name} = array<i64: {', '.join(map(str, values))}>"


def function(symbol, conv, dtype, weights):
    """The function of one convolution; adds to `weights`."""
    p, q = conv.extent(0), conv.extent(1)
    x = tensor(conv.image(conv.c, conv.h, conv.w), dtype)
    y = tensor(conv.image(conv.k, p, q), dtype)
    filter_dims = [conv.k, conv.c // conv.groups, conv.r, conv.s]
    w, b = tensor(filter_dims, dtype), tensor([conv.k], dtype)
    weights[f"{symbol}.filter"] = filter_dims
    weights[f"{symbol}.bias"] = [conv.k]
    attributes = ", ".join([
        attribute("strides", conv.strides), attribute("pads", conv.pads),
        attribute("dilations", conv.dilations), f"groups = {conv.groups} : i64",
        f'layout = "{conv.layout}"'])
    return "\n".join([
        f"  func.func @{symbol}(%x: {x}, %r: {y}) -> {y} {{",
        f"    %w = graph.constant @{symbol}.filter : {w}",
        f"    %b = graph.constant @{symbol}.bias : {b}",
        f"    %0 = graph.conv2d %x, %w, %b {{{attributes}}} "
        f": ({x}, {w}, {b}) -> {y}",
        f"    %1 = graph.add %0, %r : ({y}, {y}) -> {y}",
        f"    %2 = graph.relu %1 : {y}",
        f"    return %2 : {y}", "  }"])


def write_model(path, functions, dtype, seed=0):
    """Writes {symbol: convolution} to `path`, and the weights beside it."""
    weights = {}
    texts = [function(symbol, conv, dtype, weights)
             for symbol, conv in functions.items()]
    path.write_text("\n".join(["module {"] + texts + ["}\n"]))
    problems.write_weights(path.with_suffix(".safetensors"), weights, dtype,
                           seed)


def name(conv, dtype):
    fields = dataclasses.astuple(conv)
    flat = [str(x) for field in fields
            for x in (field if isinstance(field, tuple) else (field,))]
    return "conv2d_" + "_".join(flat) + "_" + dtype


def write(folder, conv, dtype, seed=0):
    """Writes the model of one convolution; returns the path of the .mlir."""
    path = pathlib.Path(folder) / (name(conv, dtype) + ".mlir")
    write_model(path, {"main": conv}, dtype, seed)
    return path


def main():
    onednn = "onednn" in sys.argv[3:]
    functions = {f"conv{i}": conv for i, conv in enumerate(all_convolutions())
                 if not (onednn and conv.layout == "nhwc"
                         and (is_mostly_pads(conv) or has_odd_groups(conv)))}
    write_model(pathlib.Path(sys.argv[1]), functions, sys.argv[2])


if __name__ == "__main__":
    main()
