#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One model through PyTorch's exporters gives one plan.

    exporters.py FOLDER [CASE ...] [-- minic options]

writes small models of exported_models.py into FOLDER as the TorchScript exporter
does at opset 17, where gelu and attention are written out, and as the newer one
does at 20, where gelu is an op, and at 23, where attention is one too. `minic`
compiles each up to its plan. The plans have to be equal but for the names of
constants, which exporters choose. The TorchScript exporter folds batch norms itself,
so there the bytes of constants may differ. A form that the exporter cannot write is
left out, and said. Needs torch, transformers and onnxscript.
"""

import argparse
import contextlib
import difflib
import logging
import os
import pathlib
import re
import struct
import subprocess
import sys
import warnings

import torch

import exported_models

OPSETS = (17, 20, 23)
SYMBOL = r'@(?:"[^"]*"|[\w.$-]+)'
BINARIES, CONSTANTS = 2, 3  # kinds of sections
CONSTANTS_DIFFER = "differ in constants", []


def is_old(opset):
    """Whether the TorchScript exporter writes it, not the newer one."""
    return opset < 18


def export(case, module, inputs, opset, path):
    """None, or why there is no such form."""
    with torch.no_grad():
        results = module(*inputs.values())
    count = len(results) if isinstance(results, tuple) else 1
    options = {"dynamic_axes": case.dynamic_axes} if is_old(opset) \
        else {"external_data": False}
    try:
        with torch.no_grad(), silence():
            torch.onnx.export(
                module, tuple(inputs.values()), str(path), opset_version=opset,
                dynamo=not is_old(opset), input_names=list(inputs),
                output_names=[f"result_{i}" for i in range(count)],
                verbose=False, **options)
    except Exception as error:  # of any kind: it is the exporter's
        path.unlink(missing_ok=True)
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
    return None


@contextlib.contextmanager
def silence():
    """Also what PyTorch prints in C++, such as a graph that it cannot write."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "w") as nowhere:
        try:
            for descriptor in (1, 2):
                os.dup2(nowhere.fileno(), descriptor)
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, was in zip((1, 2), kept):
                os.dup2(was, descriptor)
                os.close(was)


def dims(case, inputs, opset):
    """Options of minic that say how large the form's dynamic axes are."""
    axes = case.dynamic_axes if is_old(opset) else None
    return [f"--dim={name}={inputs[tensor].shape[axis]}"
            for tensor, names in (axes or {}).items()
            for axis, name in names.items()]


def be_quiet():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


def plan_of(artifact):
    """The plan as text without names, and the checksums of what it runs on."""
    plan = subprocess.run(["minic", "inspect", "--mlir", str(artifact)],
                          check=True, capture_output=True, text=True).stdout
    return without_names(plan), checksums(artifact)


def launches(plan):
    return len(re.findall(r"plan\.(?:launch|call)\b", plan))


def without_names(plan):
    """Constants are numbered in the order in which commands name them; their
    bytes are compared by checksum."""
    numbers = {}
    for name in re.findall(rf"plan\.constant_address ({SYMBOL})", plan):
        numbers.setdefault(name, f"@c{len(numbers)}")
    plan = re.sub(SYMBOL, lambda m: numbers.get(m[0], m[0]), plan)
    return re.sub(r"^(\s*plan\.constant \S+).*?( *:.*?)( = .*)?$", r"\1\2",
                  plan, flags=re.MULTILINE)


def checksums(artifact):
    """Of the sections that hold kernels and constants
    (docs/artifact-format.md)."""
    with open(artifact, "rb") as file:
        data = file.read(4096)
    count, = struct.unpack_from("<I", data, 16)
    sections = (struct.unpack_from("<QQQQ", data, 40 + 32 * i)
                for i in range(count))
    return {kind: checksum for kind, _, _, checksum in sections
            if kind in (BINARIES, CONSTANTS)}


def difference(first, other):
    """None, or in what two of plan_of() differ, and the lines of the plan."""
    if first[0] != other[0]:
        return "have two plans", list(difflib.unified_diff(
            first[0].splitlines(True), other[0].splitlines(True), n=1))
    if first[1][BINARIES] != other[1][BINARIES]:
        return "differ in kernels", []
    return CONSTANTS_DIFFER if first[1] != other[1] else None


def check(name, folder, options):
    case = exported_models.CASES[name]
    module, inputs = case.build("small")
    plans = {}
    for opset in OPSETS:
        path = folder / f"{name}-{opset}.onnx"
        why = export(case, module, inputs, opset, path)
        if why:
            print(f"{name}: opset {opset} is not exported: {why}")
            continue
        artifact = path.with_suffix(".minic")
        subprocess.run(["minic", str(path), "-o", str(artifact),
                        *dims(case, inputs, opset), *options],
                       check=True, stdout=subprocess.DEVNULL)
        plans[opset] = plan_of(artifact)
    first, *others = plans
    folds = is_old(first) and any(isinstance(m, torch.nn.BatchNorm2d)
                                  for m in module.modules())
    for opset in others:
        differs = difference(plans[first], plans[opset])
        if folds and differs == CONSTANTS_DIFFER:
            continue
        if differs:
            sys.stdout.writelines(differs[1])
            sys.exit(f"{name}: opsets {first} and {opset} {differs[0]}")
    print(f"{name}: opsets {', '.join(map(str, plans))} have one plan of "
          f"{launches(plans[first][0])} launches")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    arguments, options = parser.parse_known_args()
    be_quiet()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.cases or exported_models.CASES:
        check(name, arguments.folder, [o for o in options if o != "--"])


if __name__ == "__main__":
    main()
