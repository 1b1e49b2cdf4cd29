# SPDX-License-Identifier: Apache-2.0
"""Sizes that vary. Parts, of which --only takes some; sizes.json keeps those of
runs before:

- of a linear in three buckets: runs (64 sizes, nothing tunes), alone (each bucket
  beside the artifact of its size alone), dispatch (what picking costs), suggest
  (what --suggest-buckets proposes), torch (200 random sizes beside torch.compile
  with mark_dynamic and with automatic dynamic);
- bert (a length that varies, a padding mask) and decode (two caches beside
  prefill): results, and memory of the device."""

import json
import pathlib
import sys
import tempfile
import time

import common
from sizes_linear import Linear
from sizes_models import Models
from sizes_state import Stage

PARTS = ("runs", "alone", "dispatch", "torch", "bert", "decode", "suggest")

parser = common.parser(__doc__)
parser.add_argument("--target", default="cuda", choices=("cuda", "cpu"))
parser.add_argument("--only", default="", help="some parts, by commas")
parser.add_argument("--sizes", type=int, default=64)
parser.add_argument("--checked", type=int, default=8,
                    help="of these, how many are compared with the reference")
parser.add_argument("--calls", type=int, default=200, help="of torch")
parser.add_argument("--torch-modes", default="max-autotune-no-cudagraphs")
parser.add_argument("--rounds", type=int, default=31)
parser.add_argument("--limit-s", type=float, default=540,
                    help="what is left by then is not run")
parser.add_argument("--features", default="3420,1280",
                    help="of another linear, to try the stage itself")
parser.add_argument("--size", default="base", choices=("base", "tiny"),
                    help="of bert and decode")
parser.add_argument("--dtype", default="bf16", help="of bert and decode")
parser.add_argument("--mode", default="max-autotune",
                    help="of bert and decode")
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
wanted = [part for part in arguments.only.split(",") if part] or list(PARTS)
if unknown := [part for part in wanted if part not in PARTS]:
    sys.exit(f"sizes: error: --only: expected some of {', '.join(PARTS)}, got "
             f"{', '.join(unknown)}")

store = arguments.out / "sizes.json"
kept = json.loads(store.read_text()) if store.exists() else {}
with tempfile.TemporaryDirectory() as scratch:
    stage = Stage(arguments, pathlib.Path(scratch))
    linear, models = Linear(stage), Models(stage)
    for part in wanted:
        if stage.left() <= 0:
            stage.skipped.append(part)
            continue
        print(f"===== {part}", flush=True)
        begun = time.monotonic()
        try:
            kept[part] = getattr(models if part in ("bert", "decode")
                                 else linear, part)()
        except RuntimeError as why:
            stage.failures.append(f"{part}: {why}")
        common.write_json(store, kept)
        print(f"      {part}: {time.monotonic() - begun:.1f} s", flush=True)

print("=====")
for what, lines in (("FAILED", stage.failures), ("MISSED", stage.missed)):
    for line in lines:
        print(f"{what}: {line[:200]}")
if stage.skipped:
    print(f"not run: {', '.join(stage.skipped)}"[:1000])
print(f"{len(wanted)} parts, {len(stage.missed)} missed, "
      f"{len(stage.failures)} failed; {time.monotonic() - stage.start:.0f} s")
sys.exit(1 if stage.missed or stage.failures else 0)
