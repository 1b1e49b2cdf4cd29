#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A decode step after a prefill gives the logits of one prefill of all tokens.

    decode_after_prefill.py MODEL FOLDER [-- minic options]

for models that generate text. The prompt without its last token is padded by another
one; where padding was written into the caches is NaN when the step begins, so that a
key that is not there yet shows. Two orders of the same sums differ by a few units of
the last place of the greatest logit.
"""

import argparse
import math
import pathlib

import files
from against_torch import BATCH, Case, fail, models, tool
from decode_steps import write

UNITS = 64 * 2.0**-23  # of the greatest logit


class Function:
    """One of the model's, with the files of its inputs and caches."""

    def __init__(self, case, artifact, size):
        self.case, self.artifact, self.size = case, artifact, size
        self.caches = [i for i in case.function.inputs if "cache" in i.name]

    def path(self, name):
        return self.case.folder / f"{name}.npy"

    def run(self, ids, position):
        """Logits; `position` is the second input. The caches' files change."""
        first, second, *_ = self.case.function.inputs
        write(self.path(first.name), (BATCH, len(ids) // BATCH), ids, "i64")
        write(self.path(second.name), (), [position], "i64")
        tool("minic-run", self.artifact,
             f"--function={self.case.function.name}",
             *(f"--input={i.name}={self.path(i.name)}"
               for i in self.case.function.inputs),
             f"--output=logits={self.path('logits')}",
             *(f"--output=new_{i.name}={self.path('new_' + i.name)}"
               for i in self.caches))
        for i in self.caches:
            self.path(f"new_{i.name}").replace(self.path(i.name))
        return files.read_npy(self.path("logits"))[1]

    def clear(self, begin):
        """NaN in the caches from a position on."""
        for cache in self.caches:
            _, heads, length, width = cache.dims
            path = self.path(cache.name)
            values = (list(files.read_npy(path)[1]) if path.exists()
                      else [0.0] * cache.count)
            for row in range(BATCH * heads):
                first = (row * length + begin) * width
                end = (row + 1) * length * width
                values[first:end] = [math.nan] * (end - first)
            write(path, cache.dims, values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=("gpt2_cached", "llama_cached"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("options", nargs="*", help="of minic")
    arguments = parser.parse_args()
    name, folder = arguments.model, arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    module = models.build(name, "tiny", BATCH)
    models.write(module, folder / f"{name}.mlir", name)
    artifact = folder / "model.minic"
    tool("minic", folder / f"{name}.mlir", "-o", artifact, *arguments.options)
    size = models.MODELS[name].SIZES["tiny"]
    prefill, decode = (Function(Case(name, f, folder), artifact, size)
                       for f in module.functions)
    count = prefill.case.function.inputs[0].dims[1]
    ids = [(7 * b + 13 * i + 5) % size.vocabulary
           for b in range(BATCH) for i in range(count)]
    prefill.clear(0)
    expected = prefill.run(ids, count - 1)
    # The last token of each text is padding now, and comes by a step.
    last = ids[count - 1::count]
    padded = [1 if i % count == count - 1 else id for i, id in enumerate(ids)]
    prefill.clear(0)
    before = prefill.run(padded, count - 2)
    prefill.clear(count - 1)
    found = decode.run(last, count - 1)
    limit = UNITS * max(map(abs, expected))
    worst = max(abs(a - b) for a, b in zip(found, expected))
    if not worst <= limit:
        fail(f"{name}: a step differs by {worst:.3g}, at most {limit:.3g}")
    if max(abs(a - b) for a, b in zip(before, expected)) <= limit:
        fail(f"{name}: the last token changes nothing")
    print(f"{name}: a step after {count - 1} tokens agrees with a prefill")


if __name__ == "__main__":
    main()
