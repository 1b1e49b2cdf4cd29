# SPDX-License-Identifier: Apache-2.0
"""Verifies every candidate at awkward shapes: test/bench/shape_sweep.py on the
GPU, by default linear+relu at a set of sizes that covers all pairs. Arguments
after -- replace that choice, as in -- --convolutions --part=1/2; --out gets
sweep.txt with every candidate that did not verify."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=280)
parser.add_argument("--jobs", type=int, default=6)
parser.add_argument("--dtypes", nargs="+", default=["bf16", "f16", "f32"])
arguments, rest = parser.parse_known_args()
rest = [argument for argument in rest if argument != "--"]
sys.exit(subprocess.run(
    [sys.executable, arguments.root / "test/bench/shape_sweep.py", "--bin",
     arguments.root / "bin", "--target=cuda", "--dtypes", *arguments.dtypes,
     f"--jobs={arguments.jobs}", f"--limit-s={arguments.limit_s}", "--notes",
     arguments.out / "sweep.txt", *(rest or ["--few"])]).returncode)
