# SPDX-License-Identifier: Apache-2.0
"""Every op in every dtype on the GPU against the float64 reference:
test/conformance/conformance.py with what minic chooses, then with each
candidate pinned, for --limit-s seconds in all. Arguments after -- are its own
or minic's, as in -- --only softmax."""

import subprocess
import sys
import time

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=500)
parser.add_argument("--jobs", type=int, default=6)
arguments, rest = parser.parse_known_args()
rest = [argument for argument in rest if argument != "--"]
begin, status = time.monotonic(), 0
for mode, share in (([], 0.5), (["--every-candidate"], 1)):
    left = (arguments.limit_s - (time.monotonic() - begin)) * share
    print(f"== {' '.join(mode) or 'chosen candidates'}", flush=True)
    status |= subprocess.run(
        [sys.executable, arguments.root / "test/conformance/conformance.py",
         "--bin", arguments.root / "bin", f"--jobs={arguments.jobs}",
         f"--limit-s={left:.0f}", "--target=cuda", *mode, *rest]).returncode
sys.exit(status)
