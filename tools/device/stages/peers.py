# SPDX-License-Identifier: Apache-2.0
"""The peers benchmark: test/bench/peers/peers.py, one process a workload."""

import os
import subprocess
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--workload", nargs="+", required=True)
arguments, rest = parser.parse_known_args()

# AOTInductor's packages bring a libstdc++ of their own and die in std::regex
# where the process has another that is not visible to them.
libstdcxx = common.run("g++", "-print-file-name=libstdc++.so.6")[1].strip()
environment = os.environ | {"LD_PRELOAD": libstdcxx}
failed = 0
for name in arguments.workload:
    # What compilers print while they tune is long: it goes to a file.
    with open(arguments.out / f"peers-{name}.log", "w") as log:
        status = subprocess.run(
            [sys.executable, arguments.root / "test/bench/peers/peers.py",
             "--root", arguments.root, "--workload", name, "--json",
             arguments.out / f"peers-{name}.json", *rest],
            stderr=log, env=environment).returncode
    if status != 0:
        print(f"{name}: exit status {status}; last of its log:")
        print("\n".join((arguments.out / f"peers-{name}.log").read_text()
                        .splitlines()[-8:]))
    failed += status != 0
sys.exit(1 if failed else 0)
