# SPDX-License-Identifier: Apache-2.0
"""Sizes that vary, on the model of a public thread on re-tuning: a linear of 3420 to
1280 features in bf16 without bias, buckets of 560, 1024 and 2048 rows, and 64 sizes
sampled from 1 to 4096, with padding.

- Nothing tunes after minic ends: the 64 runs leave the tuning database as it was,
  byte for byte, and a run finds no compiler (its PATH has none). Sizes above the
  largest bucket are refused with the sizes that there are.
- Results: the rows of a padded run beside the float64 reference, for some sizes.
- Each bucket equals the artifact of its size alone: equal choices count as equal,
  else the 95 % interval of the paired ratio of their times must not lie above one
  (judging.py), whichever is loaded first.
- Picking a bucket adds at most 0.3 us to a call (dispatch_bench, a tiny model).
- --suggest-buckets over the same range, for comparison: what it proposes."""

import hashlib
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time

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

parser = common.parser(__doc__)
parser.add_argument("--target", default="cuda")
parser.add_argument("--sizes", type=int, default=64)
parser.add_argument("--checked", type=int, default=8,
                    help="of these, how many are compared with the reference")
parser.add_argument("--rounds", type=int, default=31)
parser.add_argument("--limit-s", type=float, default=540,
                    help="what is left by then is not run")
parser.add_argument("--features", default="3420,1280",
                    help="of another linear, to try the stage itself")
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
sys.path[:0] = [str(arguments.root / "test/bench")]
import paired  # noqa: E402

BIN = arguments.root / "bin"
start = time.monotonic()
failures, missed, skipped = [], [], []


def left():
    return arguments.limit_s - (time.monotonic() - start)


def compile_sizes(sizes, *options):
    """(artifact, seconds, what minic said)."""
    artifact = folder / ("t" + "_".join(map(str, sizes)) + ".minic")
    begun = time.monotonic()
    status, text = common.run(
        BIN / "minic", f"--target={arguments.target}", "--mode=max-autotune",
        f"--tune-db={folder / 'db'}", f"--dim=T={','.join(map(str, sizes))}",
        *options, *arguments.option, model, "-o", artifact,
        timeout=max(1, left()))
    if status != 0:
        sys.exit(f"sizes: {artifact.name}: {common.last_line(text)}")
    return artifact, time.monotonic() - begun, text


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_sizes(artifact):
    """The 64 runs; {size: what went wrong}."""
    chosen = random.Random(14).sample(range(1, 4097), arguments.sizes)
    # A run that looked for a compiler would find none.
    alone = os.environ | {"PATH": "/nonexistent"}
    before = digest(folder / "db")
    padded = refused = 0
    for size in sorted(chosen):
        if left() <= 0:
            skipped.append(f"T={size}")
            continue
        status, text = common.run(BIN / "minic-run", artifact,
                                  f"--dim=T={size}", timeout=60, env=alone)
        if size > max(BUCKETS):
            refused += 1
            if status != 3 or f"no plan for T={size}: expected" not in text:
                failures.append(f"T={size}: expected a refusal, got "
                                + common.last_line(text))
            continue
        bucket = min(b for b in BUCKETS if b >= size)
        padded += size not in BUCKETS
        said = f"T={size} is padded to T={bucket}:"
        if status != 0 or (size not in BUCKETS and said not in text):
            failures.append(f"T={size}: {common.last_line(text)}")
    if digest(folder / "db") != before:
        failures.append("the tuning database changed while models ran")
    for size in sorted(s for s in chosen if s <= max(BUCKETS))[
            ::max(1, len(chosen) // arguments.checked)]:
        if left() <= 0:
            skipped.append(f"check of T={size}")
            continue
        status, text = common.run(BIN / "minic-run", artifact, "--check",
                                  f"--dim=T={size}", f"--model={model}",
                                  timeout=120)
        if status != 0:
            failures.append(f"check of T={size}: {common.last_line(text)}")
    print(f"{len(chosen)} sizes: {padded} padded, {refused} refused, "
          "database unchanged", flush=True)


def plan(artifact, function):
    """What `minic explain` says that a function runs."""
    _, text = common.run(BIN / "minic", "explain", artifact)
    blocks = re.split(r"^function (\S+),", text, flags=re.M)
    found = dict(zip(blocks[1::2], blocks[2::2]))
    return re.findall(r"^ +implemented by .*", found[function], re.M)


def compare(first, function, second, other):
    path = folder / "bench.json"
    status, text = common.run(
        BIN / "minic-bench", first, f"--function={function}",
        f"--compare={second}", f"--compare-function={other}",
        f"--rounds={arguments.rounds}", f"--json={path}", timeout=120)
    if status != 0:
        return None, common.last_line(text)
    a, b = json.loads(path.read_text())["artifacts"]
    return (a["samples_us"], b["samples_us"]), ""


def judge_bucket(artifact, size):
    """A row of a bucket beside the artifact of its size alone."""
    alone, seconds, _ = compile_sizes([size], "--tune-replay")
    name = f"main[T={size}]"
    equal = plan(artifact, name) == plan(alone, "main")
    looks = []
    for alone_first in (False, True):
        samples, why = (compare(alone, "main", artifact, name) if alone_first
                        else compare(artifact, name, alone, "main"))
        if samples is None:
            failures.append(f"{name}: {why}")
            return None
        bucket, own = samples[::-1] if alone_first else samples
        ratio, low, high = paired.ratio(bucket, own)
        looks.append({"problem": name, "tuned_us": sorted(bucket)[
            len(bucket) // 2], "default_us": sorted(own)[len(own) // 2],
            "ratio": ratio, "low": low, "high": high})
    row = judging.shown(*looks)
    row["verdict"] = judging.judge_looks(*looks, equal)
    row["equal_choices"] = equal
    if row["verdict"] == "SLOWER":
        missed.append(name)
    print(f"{name:16}{row['tuned_us']:10.2f} us, alone {row['default_us']:.2f}"
          f" us, {judging.ratio_text(row)}, "
          f"{'equal' if equal else 'different'} choices, {row['verdict']}",
          flush=True)
    return row


def dispatch():
    """What picking adds to a call, in ns by bucket."""
    tiny = folder / "tiny.mlir"
    tiny.write_text(TINY)
    status, text = common.run(
        BIN / "minic", f"--target={arguments.target}", tiny, "--pad=T",
        "--dim=T=" + ",".join(str(16 * i) for i in range(1, 65)),
        *arguments.option, "-o", folder / "tiny.minic", timeout=300)
    if status == 0:
        status, text = common.run(BIN / "dispatch_bench",
                                  folder / "tiny.minic", "31", timeout=300)
    if status != 0:
        failures.append(f"dispatch: {common.last_line(text)}")
        return {}
    rows = {name: (float(more), float(low)) for name, more, low in re.findall(
        r"(main\[T=\d+\]) +\S+ +\S+ +(-?[\d.]+) \[(-?[\d.]+),", text)}
    for name, (more, low) in rows.items():
        if low > LIMIT_NS:
            missed.append(f"dispatch of {name}: {more:.0f} ns")
    values = sorted(more for more, _ in rows.values())
    if values:
        print(f"dispatch among {len(values)} buckets: median "
              f"{values[len(values) // 2]:.0f} ns, most {values[-1]:.0f} ns",
              flush=True)
    return {name: more for name, (more, _) in rows.items()}


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    model = folder / "linear.mlir"
    k, n = arguments.features.split(",")
    model.write_text(MODEL.replace("3420", k).replace("1280", n))
    artifact, seconds, said = compile_sizes(BUCKETS, "--pad=T")
    print(f"three buckets tuned and compiled in {seconds:.1f} s\n"
          + "\n".join(re.findall(r"^  bucket .*", said, re.M)), flush=True)
    _, text = common.run(BIN / "minic", "explain", artifact, "--dim=T=300")
    print(text, flush=True)
    run_sizes(artifact)
    rows = [judge_bucket(artifact, size) for size in BUCKETS if left() > 0]
    added = dispatch() if left() > 0 else {}
    proposal = ""
    if left() > 60:
        status, proposal = common.run(
            BIN / "minic", f"--target={arguments.target}",
            "--mode=max-autotune", "--log=none", f"--tune-db={folder / 'db'}",
            f"--tune-budget={int(left() - 30)}s",
            "--suggest-buckets=T=1:4096", *arguments.option, model,
            timeout=left() + 60)
        if status != 0:
            failures.append(f"suggest: {common.last_line(proposal)}")
        print(proposal, flush=True)
    else:
        skipped.append("--suggest-buckets")

print("=====")
for what, lines in (("FAILED", failures), ("MISSED", missed)):
    for line in lines:
        print(f"{what}: {line[:200]}")
if skipped:
    print(f"not run: over {arguments.limit_s:g} s: {', '.join(skipped)}")
print(f"{len([r for r in rows if r])} of {len(BUCKETS)} buckets compared, "
      f"{len(missed)} missed, {len(failures)} failed; "
      f"{time.monotonic() - start:.0f} s")
common.write_json(arguments.out / "sizes.json", {
    "rows": rows, "dispatch_ns": added, "proposal": proposal,
    "failed": failures, "missed": missed, "not_run": skipped})
sys.exit(1 if missed or failures else 0)
