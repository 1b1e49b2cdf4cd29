# SPDX-License-Identifier: Apache-2.0
"""The parts of the stage sizes about transformers: BERT with a length that varies
and a padding mask, decoding with two lengths of the cache beside prefill.

Results are looked at in three ways:

- `minic compare` holds each tensor of the whole model's plan, given those before it,
  against the float64 reference, at each size that is listed: problems, and so
  records, are the artifact's.
- `minic-run --check` runs an artifact, with a mask that pads. Behind twelve layers, or
  for many rows, that takes minutes, so it is BERT of one layer, and its smallest
  bucket. In bf16 the bounds behind a layer say nothing: then the RMS error may be what
  roundings add up to.
- Runs of sizes between are held against runs of the bucket that was padded by hand."""

import concurrent.futures
import functools
import json
import math
import re
import struct
import sys

import common
import judging

sys.path.append(str(common.pathlib.Path(__file__).resolve().parents[3]
                    / "examples/models"))
import model_files  # noqa: E402

LIMIT = 1.02  # device memory, of weights and arena together
STANDS_FOR = 509  # a size that nothing else in a model has
JOBS = 8  # references side by side: each takes one core
COMPARE_S = 60  # of the reference, in `minic compare`
CHECK_S = 300  # for one of them, on one core
#: Of a tensor that is stored: half of its last place, as a part of it; of f32 what
#: a sum of 3072 products rounds, in any order.
ROUNDING = {"bf16": 2**-9, "f16": 2**-12, "f32": 2**-24 * math.sqrt(3072)}
# Roundings that reach the result of a layer: twice the tensors that it stores, as
# softmax and norms make more of theirs.
STORED = 24


def difference(some, all_of_them):
    """The RMS of what the first elements of `all_of_them` are off `some`, as a
    part of the RMS of these."""
    square = sum(value * value for value in some)
    off = sum((a - b) ** 2 for a, b in zip(some, all_of_them))
    return math.sqrt(off / square) if square else math.inf


class Models:
    def __init__(self, stage):
        self.stage = stage
        self.root = stage.arguments.root

    def write(self, name, layers=None):
        """The model with a dimension that is open, made once."""
        stem = name if layers is None else f"{name}-{layers}"
        options = [f"--dtype={self.stage.arguments.dtype}",
                   *([] if layers is None else [f"--layers={layers}"])]
        path, opened = (self.stage.folder / f"{stem}{end}.mlir"
                        for end in ("", "-open"))
        if opened.exists():
            return opened
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

    def compile(self, name, dims, *options, layers=None):
        model = self.write(name, layers)
        name += "" if layers is None else f"-{layers}"
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

    def run(self, artifact, function, dim, sizes):
        """Of whole models: that they run, and tune nothing."""
        before = self.stage.database()
        for size in sizes:
            status, text = self.stage.run(artifact, f"--function={function}",
                                          f"--dim={dim}={size}")
            if status != 0:
                self.stage.failures.append(
                    f"{function} {dim}={size}: {common.last_line(text)}")
        if self.stage.database() != before:
            self.stage.failures.append("the tuning database changed while "
                                       f"{function} ran")

    def integers(self, name, dims, values, what):
        """minic-run's option for an input of these values."""
        path = self.stage.folder / f"{name}-{what}.npy"
        model_files.write_npy(path, model_files.Tensor(
            name, dims, "i64", model_files.Values(tuple(values))), seed=0)
        return f"--input={name}={path}"

    def look(self, *jobs):
        """All of them side by side: functions that return lines to print and
        what is wrong. How many there were."""
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for lines, failures in pool.map(lambda job: job(), jobs):
                print("\n".join(lines), flush=True)
                self.stage.failures += failures
        return len(jobs)

    def check(self, artifact, name, *options):
        """A run beside the reference, of one layer."""
        status, text = self.stage.run(artifact, "--check", *options,
                                      timeout=CHECK_S)
        # Roundings are of either sign, so they add up as their root.
        most = ROUNDING[self.stage.arguments.dtype] * math.sqrt(STORED)
        why = judging.judge_check(status, text, most)
        said = re.findall(r"^(?:check .*|.* is padded to .*)", text, re.M)
        name = f"{artifact.stem} {name}"
        return ([f"{name}: {line}" for line in said],
                [f"{name}: {why}"] if why else [])

    def compare(self, model, function, dim, *options):
        """Each tensor of the plan that records give for this size."""
        status, text = common.run(
            self.stage.bin / "minic", "compare", model,
            f"--target={self.stage.arguments.target}",
            f"--mode={self.stage.arguments.mode}",
            f"--tune-db={self.stage.folder / 'db'}", f"--function={function}",
            f"--dim={dim}", "--whole-model-check=off", f"--budget={COMPARE_S}",
            *options, *self.stage.arguments.option, timeout=CHECK_S)
        tensors = re.search(r"compiled plan: (\d+) tensors", text)
        name, last = f"{model.stem} {function} {dim}", common.last_line(text)
        first = re.search(r"^first difference: .*", text, re.M)
        return ([f"{name}: {tensors[1] if tensors else 'no'} tensors compared, "
                 f"each given those before it: {last}"],
                [] if status == 0 and tensors
                else [f"{name}: {first[0] if first else last}"])

    def bert(self):
        """T = 128, 256, 512 and a mask that pads, sizes between them."""
        sizes = self.sizes(128, 256, 512)
        dims = f"T={','.join(map(str, sizes))}"
        pad = ("--pad=T,attention_mask=0,position_ids=0", "--pad-budget=none")
        single, layer, seconds = self.compile("bert", dims, *pad, layers=1)
        model = self.write("bert")

        def inputs(size, bucket=0):
            """The last quarter of the tokens is padding, and what the bucket
            has more."""
            more, what = [0] * (bucket - size), f"{size}-{bucket}"
            total = size + len(more)
            tokens = range(1, size + 1)
            return [
                self.integers("input_ids", (1, total), [
                    token * 7919 % self.words() for token in tokens] + more,
                    what),
                self.integers("attention_mask", (1, total), [
                    int(4 * token <= 3 * size + 3) for token in tokens] + more,
                    what),
                self.integers("position_ids", (total,), [*range(size), *more],
                              what)]

        between = [sizes[0] - 3, *sizes, sizes[2] - sizes[0] // 2]
        given = {size: inputs(size) for size in between}
        # Of the whole model it takes minutes of a core to show that the mask
        # hides what is padded; what it runs is tuned.
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            whole = beside.submit(self.compile, "bert", dims, *pad)
            looked = self.look(
                *(functools.partial(self.check, single, f"T={size}",
                                    f"--dim=T={size}", f"--model={layer}",
                                    *given[size]) for size in between[:2]),
                *(functools.partial(self.compare, model, "main", f"T={size}",
                                    *given[size]) for size in sizes))
            artifact, _, more = whole.result()
        self.run(artifact, "main", "T", sizes)
        looked += self.look(
            functools.partial(self.pad_by_hand, artifact, between[0], sizes[0],
                              inputs),
            functools.partial(self.pad_by_hand, artifact, between[-1], sizes[2],
                              inputs))
        return {"compile_s": seconds + more, "looked": looked} | self.memory(
            artifact, f"main:{','.join(map(str, sizes))}")

    def pad_by_hand(self, artifact, size, bucket, inputs):
        """A run of `size` beside one of the bucket with the same fills."""
        outputs, name = [], f"{artifact.stem} T={size}"
        for given, options in ((size, inputs(size)),
                               (bucket, inputs(size, bucket))):
            output = self.stage.folder / f"{size}-{given}.npy"
            status, text = self.stage.run(artifact, f"--dim=T={given}",
                                          f"--output={output}", *options)
            if status != 0:
                return [], [f"{name}: {common.last_line(text)}"]
            outputs.append(self.read(output))
        error = difference(*outputs)
        # Two runs that are each off by as much.
        most = 2 * ROUNDING[self.stage.arguments.dtype] * math.sqrt(STORED)
        return ([f"{name}: beside T={bucket} padded by hand: off by {error:.3g} "
                 "of the RMS"],
                [] if error <= most else
                [f"{name}: {error:.3g} of the RMS off T={bucket} padded by "
                 f"hand, expected at most {most:.3g}"])

    def read(self, path):
        """The elements of a file of the model's dtype."""
        data = path.read_bytes()
        data = data[10 + int.from_bytes(data[8:10], "little"):]
        if self.stage.arguments.dtype == "bf16":  # the upper half of a float
            data = b"".join(b"\0\0" + data[i:i + 2]
                            for i in range(0, len(data), 2))
        kind = "e" if self.stage.arguments.dtype == "f16" else "f"
        return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}",
                             data)

    def words(self):
        import bert
        return bert.SIZES[self.stage.arguments.size].vocabulary

    def decode(self):
        """Caches of 256 and 1024 beside prefill, of one block of Llama."""
        sizes = self.sizes(256, 1024)
        artifact, model, seconds = self.compile(
            "llama", f"C={','.join(map(str, sizes))}")

        def at(position, size):
            return self.integers("position", (), [position],
                                 f"{size}-{position}")

        self.run(artifact, "decode", "C", sizes)
        status, text = self.stage.run(artifact, "--function=prefill")
        if status != 0:
            self.stage.failures.append(f"prefill: {common.last_line(text)}")
        # At the last place the whole cache is read, else what is behind it not.
        looked = self.look(
            *(functools.partial(
                self.check, artifact, f"decode C={size}, position {position}",
                "--function=decode", f"--dim=C={size}", f"--model={model}",
                at(position, size))
              for size in sizes for position in (size - 1, size // 3)),
            *(functools.partial(self.compare, model, "decode", f"C={size}",
                                at(size - 1, size)) for size in sizes))
        return {"compile_s": seconds, "looked": looked} | self.memory(
            artifact, "prefill", f"decode:{','.join(map(str, sizes))}")
