#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bounds of importing large ONNX models, each made and tried here.

    test/onnx/limits.py [--bin DIR] [--only NAME...] [--megabytes N]

weights, external: a model of products with its weights inside, and in a file
beside it, compiles in a quarter of their bytes. That is the most that was resident,
pages of mapped files included: it bounds what is copied and what is read and not
let go. chain: a million nodes that are imported. lacking: a million nodes of ops
that minic lacks, each for a reason of its own; they are refused in one line.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODES = 1_000_000
BOUND = 0.25


# --- Protobuf by hand: the onnx package takes a minute for a million nodes.

def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    """A string, bytes, message or integer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, str):
        content = content.encode()
    return varint(number << 3 | 2) + varint(len(content)) + content


def node(op, operands, result, *attributes):
    return field(1, b"".join(field(1, x) for x in operands) + field(2, result) +
                 field(4, op) + b"".join(field(5, a) for a in attributes))


def integer(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def tensor_type(dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, field(1, 1) + field(2, shape))


def write(path, nodes, dims, result, weights=()):
    """`weights` are pieces of the initializers, one after the other."""
    end = field(11, field(1, "x") + field(2, tensor_type(dims))) + \
        field(12, field(1, result) + field(2, tensor_type(dims)))
    graph = len(nodes) + len(end) + sum(len(w) for w in weights)
    with open(path, "wb") as out:
        out.write(field(1, 9) + field(8, field(2, 17)))
        out.write(varint(7 << 3 | 2) + varint(graph) + nodes)
        for weight in weights:
            out.write(weight)
        out.write(end)


# --- Models

def weights(path, megabytes, external=False):
    """Square matrices of 16 MiB, one after the other."""
    size = 2048
    block = os.urandom(1 << 16)
    # Small numbers, whatever the bits: their exponents' high bits are 0.
    block = bytes(b & 0x3B if i % 4 == 3 else b for i, b in enumerate(block))
    raw = block * (size * size * 4 // len(block))
    count = max(megabytes // 16, 1)
    nodes = b"".join(node("MatMul", [f"t{i}" if i else "x", f"w{i}"],
                          f"t{i + 1}") for i in range(count))

    def initializer(i):
        """Pieces, of which all weights share the last: what this process has
        in memory counts as a peak of the one that it starts."""
        head = field(1, size) * 2 + field(2, 1) + field(8, f"w{i}")
        if external:
            places = {"location": data.name, "offset": str(i * len(raw)),
                      "length": str(len(raw))}
            head += b"".join(field(13, field(1, key) + field(2, value))
                             for key, value in places.items()) + field(14, 1)
            return [field(5, head)]
        head += varint(9 << 3 | 2) + varint(len(raw))
        return [varint(5 << 3 | 2) + varint(len(head) + len(raw)) + head, raw]

    data = path.with_suffix(".data")
    if external:
        with open(data, "wb") as out:
            for _ in range(count):
                out.write(raw)
    write(path, nodes, [1, size], f"t{count}",
          [piece for i in range(count) for piece in initializer(i)])
    return count * len(raw)


def chain(path):
    nodes = b"".join(node("Relu", [f"t{i}" if i else "x"], f"t{i + 1}")
                     for i in range(NODES))
    write(path, nodes, [3], f"t{NODES}")


def lacking(path):
    """Each softmax has another axis that there is not."""
    nodes = b"".join(node("Softmax", ["x"], f"t{i + 1}",
                          integer("axis", i + 1)) for i in range(NODES))
    write(path, nodes, [3], f"t{NODES}")


# --- Trying them

def run(*command):
    """Exit status, last line of stderr, seconds, and bytes of memory at most."""
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), text=True,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    line = (process.stderr.read().splitlines() or [""])[-1]
    _, status, usage = os.wait4(process.pid, 0)
    return (os.waitstatus_to_exitcode(status), line, time.monotonic() - start,
            usage.ru_maxrss << 10)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--only", nargs="+", metavar="NAME",
                        default=["weights", "external", "chain", "lacking"])
    parser.add_argument("--megabytes", type=int, default=512)
    arguments = parser.parse_args()
    minic, wrong = arguments.bin / "minic", []

    def report(name, wanted, text, is_right):
        print(f"{name}: {text}, wanted: {wanted}")
        if not is_right:
            wrong.append(name)

    # What minic itself has in memory.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "m.onnx"
        for name in sorted({"weights", "external"} & set(arguments.only)):
            total = weights(path, arguments.megabytes, name == "external")
            status, line, seconds, peak = run(minic, path)
            report(name, f"at most {BOUND} times them",
                   f"{total >> 20} MiB, peak {peak / total:.2f} times, "
                   f"{seconds:.1f} s {line}",
                   status == 0 and peak <= BOUND * total)
        if "chain" in arguments.only:
            chain(path)
            status, line, seconds, peak = run(minic, path,
                                              "--compile-to=import")
            report("chain", "at most 120 s and 4 GiB",
                   f"status {status}, {seconds:.1f} s, {peak >> 20} MiB {line}",
                   status == 0 and seconds <= 120 and peak <= 4 << 30)
        if "lacking" in arguments.only:
            lacking(path)
            status, line, seconds, peak = run(minic, path)
            report("lacking", "status 4, at most 120 s, 4 GiB and one line",
                   f"status {status}, {seconds:.1f} s, {peak >> 20} MiB, "
                   f"a line of {len(line)} letters",
                   status == 4 and seconds <= 120 and peak <= 4 << 30 and
                   "1000000 nodes" in line and len(line) < 10000)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
