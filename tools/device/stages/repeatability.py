# SPDX-License-Identifier: Apache-2.0
"""Whether tuning again finds the same plan: test/bench/repeatability.py on the
GPU. Other arguments are its own, such as --tunings, --count, --seed and --models;
--out gets repeatability.json."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=500,
                    help="no tuning begins later")
arguments, rest = parser.parse_known_args()
sys.exit(subprocess.run(
    [sys.executable, arguments.root / "test/bench/repeatability.py", "--bin",
     arguments.root / "bin", "--target=cuda", f"--limit-s={arguments.limit_s}",
     "--json", arguments.out / "repeatability.json", *rest]).returncode)
