# SPDX-License-Identifier: Apache-2.0
"""ONNX's own tests of operators on the GPU (test/onnx/node_tests.py), then those of
ONNX Runtime's ops and of quantized ones. What does not pass has to be in
test/onnx/not_passing_cuda.txt, and the other way round; --out gets the list as it is
on this GPU. --only names ops. Needs the onnx package."""

import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--limit-s", type=float, default=180)
parser.add_argument("--jobs", type=int, default=12)
parser.add_argument("--only", nargs="+", metavar="OP", default=[])
parser.add_argument("--target", choices=("cuda", "cpu"), default="cuda")
arguments = parser.parse_args()
tests = arguments.root / "test/onnx"
shared = ["--bin", arguments.root / "bin", f"--target={arguments.target}",
          *(["--only", *arguments.only] if arguments.only else [])]
status = subprocess.run(
    [sys.executable, tests / "node_tests.py", *shared,
     f"--jobs={arguments.jobs}", f"--limit-s={arguments.limit_s}",
     f"--write={arguments.out / f'not_passing_{arguments.target}.txt'}"]
).returncode
for what, script in (("ops of ONNX Runtime", "contrib_tests.py"),
                     ("quantized ops", "quantized_tests.py")):
    print(f"== {what}", flush=True)
    status |= subprocess.run([sys.executable, tests / script,
                              *shared]).returncode
sys.exit(status)
