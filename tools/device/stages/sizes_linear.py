# SPDX-License-Identifier: Apache-2.0
"""The parts of the stage sizes about one linear, the model of a public thread on
re-tuning: 3420 to 1280 features in bf16 without bias, buckets of 560, 1024 and
2048 rows."""

import json
import os
import random
import re
import sys

import common
import judging

BUCKETS = (560, 1024, 2048)
LIMIT_NS = 300
MODEL = """func.func @main(
    %x: tensor<?x3420xbf16> {graph.name = "x", graph.dims = ["T", 3420]},
    %w: tensor<1280x3420xbf16> {graph.name = "w"}) -> tensor<?x1280xbf16> {
  %0 = graph.linear %x, %w
    : (tensor<?x3420xbf16>, tensor<1280x3420xbf16>) -> tensor<?x1280xbf16>
  return %0 : tensor<?x1280xbf16>
}
"""
TINY = """func.func @main(
    %x: tensor<?x8xf32> {graph.name = "x", graph.dims = ["T", 8]})
    -> tensor<?x8xf32> {
  %0 = graph.relu %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


class Linear:
    """The model, compiled when a part needs it."""

    def __init__(self, stage):
        self.stage, self.compiled = stage, None
        sys.path[:0] = [str(stage.arguments.root / "test/bench")]
        k, n = stage.arguments.features.split(",")
        self.model = stage.folder / "linear.mlir"
        self.model.write_text(MODEL.replace("3420", k).replace("1280", n))

    def artifact(self):
        if not self.compiled:
            self.compiled, self.seconds, said = self.stage.compile(
                self.model, "buckets", "--pad=T",
                f"--dim=T={','.join(map(str, BUCKETS))}")
            print(f"three buckets tuned and compiled in {self.seconds:.1f} s\n"
                  + "\n".join(re.findall(r"^  bucket .*", said, re.M)),
                  flush=True)
            _, text = common.run(self.stage.bin / "minic", "explain",
                                 self.compiled, "--dim=T=300")
            print(text, flush=True)
        return self.compiled

    def runs(self):
        """64 sizes. Nothing tunes after minic ends: the database stays as it
        is, byte for byte, and a run that looked for a compiler would find
        none."""
        stage, artifact = self.stage, self.artifact()
        chosen = random.Random(14).sample(range(1, 4097),
                                          stage.arguments.sizes)
        alone = os.environ | {"PATH": "/nonexistent"}
        before = stage.database()
        padded = refused = 0
        for size in sorted(chosen):
            if stage.left() <= 0:
                stage.skipped.append(f"T={size}")
                continue
            status, text = stage.run(artifact, f"--dim=T={size}", timeout=60,
                                     env=alone)
            if size > max(BUCKETS):
                refused += 1
                if status != 3 or f"no plan for T={size}: expected" not in text:
                    stage.failures.append(f"T={size}: expected a refusal, got "
                                          + common.last_line(text))
                continue
            bucket = min(b for b in BUCKETS if b >= size)
            padded += size not in BUCKETS
            said = f"T={size} is padded to T={bucket}:"
            if status != 0 or (size not in BUCKETS and said not in text):
                stage.failures.append(f"T={size}: {common.last_line(text)}")
        if stage.database() != before:
            stage.failures.append("the tuning database changed while models "
                                  "ran")
        self.check(sorted(s for s in chosen if s <= max(BUCKETS))[
            ::max(1, len(chosen) // stage.arguments.checked)])
        print(f"{len(chosen)} sizes: {padded} padded, {refused} refused, "
              "database unchanged", flush=True)
        return {"sizes": len(chosen), "padded": padded, "refused": refused}

    def check(self, sizes):
        """Rows of padded runs beside the float64 reference."""
        for size in sizes:
            if self.stage.left() <= 0:
                self.stage.skipped.append(f"check of T={size}")
                continue
            status, text = self.stage.run(
                self.compiled, "--check", f"--dim=T={size}",
                f"--model={self.model}")
            if status != 0:
                self.stage.failures.append(
                    f"check of T={size}: {common.last_line(text)}")

    def plan(self, artifact, function):
        """What `minic explain` says that a function runs."""
        _, text = common.run(self.stage.bin / "minic", "explain", artifact)
        blocks = re.split(r"^function (\S+),", text, flags=re.M)
        found = dict(zip(blocks[1::2], blocks[2::2]))
        return re.findall(r"^ +implemented by .*", found[function], re.M)

    def compare(self, first, function, second, other):
        path = self.stage.folder / "bench.json"
        status, text = common.run(
            self.stage.bin / "minic-bench", first, f"--function={function}",
            f"--compare={second}", f"--compare-function={other}",
            f"--rounds={self.stage.arguments.rounds}", f"--json={path}",
            timeout=120)
        if status != 0:
            raise RuntimeError(f"{function}: {common.last_line(text)}")
        a, b = json.loads(path.read_text())["artifacts"]
        return a["samples_us"], b["samples_us"]

    def judge_bucket(self, size):
        """A row of a bucket beside the artifact of its size alone."""
        import paired
        alone, _, _ = self.stage.compile(
            self.model, f"t{size}", f"--dim=T={size}", "--tune-replay")
        name = f"main[T={size}]"
        equal = self.plan(self.compiled, name) == self.plan(alone, "main")
        looks = []
        for alone_first in (False, True):
            bucket, own = (
                self.compare(alone, "main", self.compiled, name)[::-1]
                if alone_first
                else self.compare(self.compiled, name, alone, "main"))
            ratio, low, high = paired.ratio(bucket, own)
            looks.append({
                "problem": name, "tuned_us": sorted(bucket)[len(bucket) // 2],
                "default_us": sorted(own)[len(own) // 2], "ratio": ratio,
                "low": low, "high": high})
        row = judging.shown(*looks)
        row["verdict"] = judging.judge_looks(*looks, equal)
        row["equal_choices"] = equal
        if row["verdict"] == "SLOWER":
            self.stage.missed.append(name)
        print(f"{name:16}{row['tuned_us']:10.2f} us, alone "
              f"{row['default_us']:.2f} us, {judging.ratio_text(row)}, "
              f"{'equal' if equal else 'different'} choices, "
              f"{row['verdict']}", flush=True)
        return row

    def alone(self):
        """Each bucket equals the artifact of its size alone: equal choices
        count as equal, else the 95 % interval of the paired ratio of their
        times must not lie above one, whichever is loaded first."""
        self.artifact()
        return [self.judge_bucket(size) for size in BUCKETS
                if self.stage.left() > 0]

    def dispatch(self):
        """What picking a bucket adds to a call, in ns: at most 300."""
        stage, tiny = self.stage, self.stage.folder / "tiny.mlir"
        tiny.write_text(TINY)
        artifact, _, _ = stage.compile(
            tiny, "tiny", "--pad=T", "--dim=T="
            + ",".join(str(16 * i) for i in range(1, 65)), mode="default")
        status, text = common.run(stage.bin / "dispatch_bench", artifact, "15",
                                  timeout=300)
        if status != 0:
            raise RuntimeError(f"dispatch: {common.last_line(text)}")
        rows = {name: (float(more), float(low), float(other))
                for name, more, low, other in re.findall(
                    r"(main\[T=\d+\]) +\S+ +\S+ +(-?[\d.]+) \[(-?[\d.]+),"
                    r" \S+\] +(-?[\d.]+)", text)}
        for name, (more, low, _) in rows.items():
            if low > LIMIT_NS:
                stage.missed.append(f"dispatch of {name}: {more:.0f} ns")
        values = sorted(more for more, _, _ in rows.values())
        others = sorted(other for _, _, other in rows.values())
        if not values:
            raise RuntimeError(f"dispatch: {common.last_line(text)}")
        print(f"dispatch among {len(values)} buckets: median "
              f"{values[len(values) // 2]:.0f} ns, most {values[-1]:.0f} ns; "
              f"tensors not prepared for: {others[len(others) // 2]:.0f}, most "
              f"{others[-1]:.0f} ns\n" + "\n".join(text.splitlines()[:4]),
              flush=True)
        return {name: more for name, (more, _, _) in rows.items()}

    def suggest(self):
        """What --suggest-buckets proposes over the same range."""
        stage = self.stage
        status, proposal = common.run(
            stage.bin / "minic", f"--target={stage.arguments.target}",
            "--mode=max-autotune", "--log=none",
            f"--tune-db={stage.folder / 'db'}",
            f"--tune-budget={max(1, int(stage.left() - 30))}s",
            "--suggest-buckets=T=1:4096", *stage.arguments.option, self.model,
            timeout=max(1, stage.left()))
        if status != 0:
            raise RuntimeError(f"suggest: {common.last_line(proposal)}")
        print(proposal, flush=True)
        return proposal

    def torch(self):
        """Random sizes up to the largest bucket beside torch.compile with
        mark_dynamic and with automatic dynamic: the time of everything, and
        the longest call."""
        artifact, given = self.artifact(), self.stage.arguments
        script = given.root / "test/bench/random_sizes.py"
        rows = {}
        for peer, mode in [("minic", "")] + [
                (peer, mode) for mode in given.torch_modes.split(",")
                for peer in ("mark-dynamic", "automatic-dynamic")]:
            more = (["--artifact", artifact, "--library", self.stage.library]
                    if peer == "minic" else ["--mode", mode])
            status, text = common.run(
                sys.executable, script, "--peer", peer, *more,
                f"--device={given.target}", f"--features={given.features}",
                f"--largest={max(BUCKETS)}", f"--calls={given.calls}",
                timeout=max(1, self.stage.left()))
            name = f"{peer} {mode}".strip()
            if status != 0:
                self.stage.skipped.append(f"{name}: {common.last_line(text)}")
                continue
            row = json.loads(common.last_line(text))
            row["compile_s"] = self.seconds if peer == "minic" else 0
            row["total_s"] = (row["compile_s"] + row["ready_s"]
                              + row["calls_s"])
            rows[name] = row
            print(f"{given.calls} sizes, {name}: {row['total_s']:.2f} s in all"
                  f" ({row['compile_s']:.2f} s compiled ahead), longest call "
                  f"{row['longest_ms']:.2f} ms (call {row['longest_at'] + 1}),"
                  f" median {row['median_ms']:.3f} ms", flush=True)
        return rows
