# SPDX-License-Identifier: Apache-2.0
"""What default mode loses on whole models: test/bench/default_models.py on the GPU.
Other arguments are its own, such as --rounds; --out gets its tables, reports and
database."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--models", nargs="+", required=True)
parser.add_argument("--limit-s", type=float, default=480,
                    help="no model begins later")
arguments, rest = parser.parse_known_args()
sys.exit(subprocess.run(
    [sys.executable, arguments.root / "test/bench/default_models.py",
     *arguments.models, "--bin", arguments.root / "bin", "--target=cuda",
     f"--limit-s={arguments.limit_s}", "--out", arguments.out,
     *rest]).returncode)
