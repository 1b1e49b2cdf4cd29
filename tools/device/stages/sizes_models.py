# SPDX-License-Identifier: Apache-2.0
"""The parts of the stage sizes about transformers: BERT with a length that varies
and a padding mask, decoding with two lengths of the cache beside prefill."""

import json
import re
import sys

import common

LIMIT = 1.02  # device memory, of weights and arena together
STANDS_FOR = 509  # a size that nothing else in a model has


class Models:
    def __init__(self, stage):
        self.stage = stage
        self.root = stage.arguments.root

    def write(self, name, *options):
        """The model with a dimension that is open."""
        path, opened = (self.stage.folder / f"{name}{end}.mlir"
                        for end in ("", "-open"))
        dim = "T" if name == "bert" else "C"
        for command in (
                [self.root / "examples/models/models.py", name,
                 f"--size={self.stage.arguments.size}", *options,
                 f"--{'sequence' if dim == 'T' else 'cache'}="
                 f"{self.standing(name)}", "-o", path],
                [self.root / "test/inputs/open_dims.py", path,
                 str(self.standing(name)), dim, "-o", opened]):
            status, text = common.run(sys.executable, *command,
                                      timeout=max(1, self.stage.left()))
            if status != 0:
                raise RuntimeError(f"{name}: {common.last_line(text)}")
        return opened

    def standing(self, name):
        """Tiny models have room for fewer positions."""
        return STANDS_FOR if self.stage.arguments.size == "base" else 23

    def sizes(self, *base):
        return (base if self.stage.arguments.size == "base"
                else [size // 32 for size in base])

    def compile(self, name, dims, *options):
        model = self.write(
            name, *([f"--dtype={self.stage.arguments.dtype}"]))
        artifact, seconds, said = self.stage.compile(
            model, name, f"--dim={dims}", *options,
            mode=self.stage.arguments.mode)
        print(f"{name}: tuned and compiled in {seconds:.1f} s\n" + "\n".join(
            re.findall(r"^  bucket .*", said, re.M)), flush=True)
        return artifact, model, seconds

    def memory(self, artifact, *entries):
        """Of all entries loaded at once beside weights and the largest arena
        of each."""
        _, text = common.run(self.stage.bin / "minic", "inspect", artifact,
                             "--json")
        inspected = json.loads(text)
        weights = sum(c["bytes"] for c in inspected["constants"])
        arenas = {}
        for function in inspected["functions"]:
            entry = function["name"].split("[")[0]
            arenas[entry] = max(
                [arenas.get(entry, 0)]
                + [v["arena_bytes"] for v in function["variants"]])
        wanted = weights + sum(arenas.values())
        row = {"weights": weights, "arenas": arenas}
        if self.stage.arguments.target != "cuda":
            return row
        status, text = common.run(
            sys.executable, self.root / "test/bench/entry_memory.py",
            self.stage.library, artifact, *entries, timeout=120)
        if status != 0:
            raise RuntimeError(f"memory: {common.last_line(text)}")
        row |= json.loads(common.last_line(text))
        row["ratio"] = row["loaded"] / wanted
        if row["ratio"] > LIMIT:
            self.stage.missed.append(f"memory of {artifact.name}")
        print(f"{artifact.name}: {row['loaded'] / 2**20:.1f} MiB on the device,"
              f" weights {weights / 2**20:.1f} and arenas "
              f"{sum(arenas.values()) / 2**20:.1f} MiB: {row['ratio']:.3f} of "
              f"them, limit {LIMIT}", flush=True)
        return row

    def run(self, artifact, function, dim, sizes, *options):
        before = self.stage.database()
        for size in sizes:
            status, text = self.stage.run(artifact, f"--function={function}",
                                          f"--dim={dim}={size}", *options)
            if status != 0:
                self.stage.failures.append(
                    f"{function} {dim}={size}: {common.last_line(text)}")
        if self.stage.database() != before:
            self.stage.failures.append("the tuning database changed while "
                                       f"{function} ran")

    def bert(self):
        """T = 128, 256, 512 and a mask that pads, sizes between them."""
        sizes = self.sizes(128, 256, 512)
        artifact, model, seconds = self.compile(
            "bert", f"T={','.join(map(str, sizes))}",
            "--pad=T,attention_mask=0,position_ids=0")
        self.run(artifact, "main", "T",
                 [sizes[0] - 3, *sizes, sizes[2] - sizes[0] // 2])
        return {"compile_s": seconds} | self.memory(
            artifact, f"main:{','.join(map(str, sizes))}")

    def decode(self):
        """Caches of 256 and 1024 beside prefill, of one block of Llama."""
        sizes = self.sizes(256, 1024)
        artifact, model, seconds = self.compile(
            "llama", f"C={','.join(map(str, sizes))}")
        self.run(artifact, "decode", "C", sizes)
        status, text = self.stage.run(artifact, "--function=prefill")
        if status != 0:
            self.stage.failures.append(f"prefill: {common.last_line(text)}")
        return {"compile_s": seconds} | self.memory(
            artifact, "prefill", f"decode:{','.join(map(str, sizes))}")
