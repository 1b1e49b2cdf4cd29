# SPDX-License-Identifier: Apache-2.0
"""The GoogleTest programs labelled gpu; without a GPU they fail."""

import os
import sys

import common

parser = common.parser(__doc__)
parser.add_argument("--filter", default="*")
parser.add_argument("--only", nargs="*", default=[],
                    help="programs whose name contains one of these")
arguments = parser.parse_args()
environment = os.environ | {"MINIC_REQUIRE_GPU": "1"}
failed = []
for test in sorted((arguments.root / "tests").iterdir()):
    if arguments.only and not any(o in test.name for o in arguments.only):
        continue
    status, text = common.run(test, f"--gtest_filter={arguments.filter}",
                              "--gtest_brief=1", timeout=240, env=environment)
    (arguments.out / f"{test.name}.log").write_text(text)
    print(f"{test.name}: {'passed' if status == 0 else f'FAILED ({status})'}: "
          f"{common.last_line(text)}")
    if status != 0:
        failed.append(test.name)
        print("\n".join(text.splitlines()[-60:]))
print(f"{len(failed)} programs failed" if failed else "all passed")
sys.exit(1 if failed else 0)
