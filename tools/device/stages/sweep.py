# SPDX-License-Identifier: Apache-2.0
"""Verifies every candidate at awkward shapes: test/bench/shape_sweep.py on the
GPU. Arguments after -- are passed on."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
arguments, rest = parser.parse_known_args()
sys.exit(subprocess.run(
    [sys.executable, arguments.root / "test/bench/shape_sweep.py", "--bin",
     arguments.root / "bin", "--target=cuda", *[r for r in rest if r != "--"]]
).returncode)
