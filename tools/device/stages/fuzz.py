# SPDX-License-Identifier: Apache-2.0
"""Random graphs on the GPU against the float64 reference: test/fuzz/fuzz.py
with any backends, then with generated kernels alone, for --limit-s seconds in
all. Arguments after -- are fuzz.py's or minic's, as in -- --seed=9. --out gets
each graph that fails, made smaller."""

import subprocess
import sys
import time

import common
import judging

#: Share of the time, and backends; a library alone need not take everything.
SHARES = {"": 0.6, "generated": 0.4}

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=500)
parser.add_argument("--graphs", type=int, default=5000)
parser.add_argument("--jobs", type=int, default=6)
arguments, rest = parser.parse_known_args()
rest = [argument for argument in rest if argument != "--"]
begin, status = time.monotonic(), 0
for part, (backend, share) in enumerate(SHARES.items()):
    left = arguments.limit_s - (time.monotonic() - begin)
    later = sum(list(SHARES.values())[part:])
    print(f"== {backend or 'any backend'}", flush=True)
    status |= subprocess.run(
        [sys.executable, arguments.root / "test/fuzz/fuzz.py", "--bin",
         arguments.root / "bin", f"--seed={100 + part}",
         f"--graphs={arguments.graphs}", f"--jobs={arguments.jobs}",
         f"--limit-s={left * share / later:.0f}", "--timeout-s=30", "--out",
         arguments.out / (backend or "any"), "--target=cuda",
         *judging.backend_options(backend), *rest]).returncode
sys.exit(status)
