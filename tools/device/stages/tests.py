# SPDX-License-Identifier: Apache-2.0
"""The GoogleTest programs labelled gpu; without a GPU they fail. A program whose tests
take minutes runs as several processes, each with a part of them."""

import concurrent.futures
import os
import sys

import common

#: By a part of the name; what measures must be alone.
SHARDS = {"cudnn": 8}

parser = common.parser(__doc__)
parser.add_argument("--filter", default="*")
parser.add_argument("--only", nargs="*", default=[],
                    help="programs whose name contains one of these")
arguments = parser.parse_args()
failed = []


def run(test, shard, shards):
    environment = os.environ | {
        "MINIC_REQUIRE_GPU": "1", "GTEST_TOTAL_SHARDS": str(shards),
        "GTEST_SHARD_INDEX": str(shard)}
    return common.run(test, f"--gtest_filter={arguments.filter}",
                      timeout=240, env=environment)


for test in sorted((arguments.root / "tests").iterdir()):
    if arguments.only and not any(o in test.name for o in arguments.only):
        continue
    shards = next((n for part, n in SHARDS.items() if part in test.name), 1)
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        runs = list(pool.map(lambda shard: run(test, shard, shards),
                             range(shards)))
    (arguments.out / f"{test.name}.log").write_text(
        "\n".join(text for _, text in runs))
    wrong = [run for run in runs if run[0] != 0]
    status, text = (wrong or runs)[0]
    print(f"{test.name}: {'passed' if not wrong else f'FAILED ({status})'}: "
          f"{common.last_line(text)}"
          + (f", in {shards} parts" if shards > 1 else ""), flush=True)
    if wrong:
        failed.append(test.name)
        print("\n".join(text.splitlines()[-60:]), flush=True)
print(f"{len(failed)} programs failed" if failed else "all passed")
sys.exit(1 if failed else 0)
