#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One model through PyTorch's exporters gives one plan.

    exporters.py FOLDER [-- minic options]

writes a small DistilBERT into FOLDER as the TorchScript exporter does at opset
17, where gelu and attention are written out, and as the newer one does at 20,
where gelu is an op, and at 23, where attention is one too. `minic` compiles
each up to its plan. The plans have to be equal but for the names of constants,
which exporters choose. Needs torch, transformers and onnxscript.
"""

import argparse
import difflib
import logging
import pathlib
import re
import struct
import subprocess
import sys
import warnings

import torch
import transformers

OPSETS = (17, 20, 23)
INPUTS = ("input_ids", "attention_mask")
SYMBOL = r'@(?:"[^"]*"|[\w.$-]+)'
BINARIES, CONSTANTS = 2, 3  # kinds of sections


class FirstOutput(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        return self.model(**dict(zip(INPUTS, inputs)), return_dict=False)[0]


def randomize(model):
    """No parameter keeps one value: exporters merge those that are equal."""
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            if bool((parameter == parameter.flatten()[0]).all()):
                noise = torch.rand(parameter.shape, generator=random)
                parameter.add_(0.2 * (noise - 0.5))


def distilbert():
    torch.manual_seed(0)
    model = transformers.DistilBertModel(transformers.DistilBertConfig(
        n_layers=2, dim=64, n_heads=4, hidden_dim=128, vocab_size=100,
        max_position_embeddings=64)).eval()
    randomize(model)
    ids = torch.randint(0, 100, (2, 16))
    mask = torch.ones(2, 16, dtype=torch.long)
    mask[1, 12:] = 0
    return FirstOutput(model).eval(), (ids, mask)


def export(model, inputs, opset, path):
    is_old = opset < 18
    with torch.no_grad():
        torch.onnx.export(
            model, inputs, str(path), opset_version=opset, dynamo=not is_old,
            input_names=list(INPUTS), output_names=["result"], verbose=False,
            **({} if is_old else {"external_data": False}))


def compiled(path, options):
    """The plan as text without names, and the checksums of what it runs on."""
    artifact = path.with_suffix(".minic")
    subprocess.run(["minic", str(path), "-o", str(artifact), *options],
                   check=True, stdout=subprocess.DEVNULL)
    plan = subprocess.run(["minic", "inspect", "--mlir", str(artifact)],
                          check=True, capture_output=True, text=True).stdout
    return without_names(plan), checksums(artifact.read_bytes())


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
    count, = struct.unpack_from("<I", artifact, 16)
    sections = (struct.unpack_from("<QQQQ", artifact, 40 + 32 * i)
                for i in range(count))
    return {kind: checksum for kind, _, _, checksum in sections
            if kind in (BINARIES, CONSTANTS)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model, inputs = distilbert()
    results = {}
    for opset in OPSETS:
        path = arguments.folder / f"distilbert-{opset}.onnx"
        export(model, inputs, opset, path)
        results[opset] = compiled(path, arguments.options)
    first, *others = OPSETS
    plan, sums = results[first]
    for opset in others:
        if results[opset][0] != plan:
            sys.stdout.writelines(difflib.unified_diff(
                plan.splitlines(True), results[opset][0].splitlines(True),
                f"opset {first}", f"opset {opset}", n=1))
            sys.exit(f"distilbert: opsets {first} and {opset} have two plans")
        if results[opset][1] != sums:
            sys.exit(f"distilbert: opsets {first} and {opset} differ in "
                     "kernels or constants")
    launches = len(re.findall(r"plan\.(?:launch|call)\b", plan))
    print(f"distilbert: opsets {', '.join(map(str, OPSETS))} have one plan of "
          f"{launches} launches")


if __name__ == "__main__":
    main()
