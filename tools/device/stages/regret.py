# SPDX-License-Identifier: Apache-2.0
"""What a guided search loses against one of every legal schedule:
test/bench/regret.py on the GPU. Other arguments are its own, such as --search,
--count, --seed, --skip and --kinds; --out gets regret.json."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=560,
                    help="what is left by then is not run")
parser.add_argument("--problem-s", type=float, default=0,
                    help="budget of each exhaustive search; 0: none")
arguments, rest = parser.parse_known_args()
sys.exit(subprocess.run(
    [sys.executable, arguments.root / "test/bench/regret.py", "--bin",
     arguments.root / "bin", "--target=cuda",
     f"--limit-s={arguments.limit_s}", f"--problem-s={arguments.problem_s}",
     "--json", arguments.out / "regret.json", *rest]).returncode)
