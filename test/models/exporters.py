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
import subprocess
import sys
import warnings

import torch
import transformers

OPSETS = (17, 20, 23)
INPUTS = ("input_ids", "attention_mask")


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


def plan_of(path, options):
    plan = path.with_suffix(".plan.mlir")
    subprocess.run(["minic", str(path), "--compile-to=plan", "-o", str(plan),
                    *options], check=True)
    return without_names(plan.read_text())


def without_names(plan):
    """Symbols are numbered in the order in which commands name them."""
    numbers = {}
    order = re.findall(r"plan\.constant_address @(\"[^\"]*\"|[\w.$-]+)", plan)
    for name in order:
        numbers.setdefault(name, f"c{len(numbers)}")
    return re.sub(r"@(\"[^\"]*\"|[\w.$-]+)",
                  lambda match: "@" + numbers.get(match[1], match[1]), plan)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model, inputs = distilbert()
    plans = {}
    for opset in OPSETS:
        path = arguments.folder / f"distilbert-{opset}.onnx"
        export(model, inputs, opset, path)
        plans[opset] = plan_of(path, arguments.options)
    first, *others = OPSETS
    for opset in others:
        if plans[opset] != plans[first]:
            sys.stdout.writelines(difflib.unified_diff(
                plans[first].splitlines(True), plans[opset].splitlines(True),
                f"opset {first}", f"opset {opset}", n=1))
            sys.exit(f"distilbert: opsets {first} and {opset} have two plans")
    launches = len(re.findall(r"plan\.(?:launch|call)\b", plans[first]))
    print(f"distilbert: opsets {', '.join(map(str, OPSETS))} have one plan of "
          f"{launches} launches")


if __name__ == "__main__":
    main()
