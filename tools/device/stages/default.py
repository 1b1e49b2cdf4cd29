# SPDX-License-Identifier: Apache-2.0
"""max-autotune beside default over at least 60 problems, interleaved: it is
never slower. A row is missed when the 95 % interval of the paired ratio lies
wholly above one."""

import json
import pathlib
import sys
import tempfile

import common

parser = common.parser(__doc__)
parser.add_argument("--limit", type=int, default=10**6)
parser.add_argument("--rounds", type=int, default=15)
arguments = parser.parse_args()
sys.path.insert(0, str(arguments.root / "test/inputs"))
import problems  # noqa: E402

LIST = [(m, n, k, d) for d in ("bf16", "f32", "f16")
        for m in (1, 8, 32, 256, 560)
        for n, k in ((1024, 1024), (4096, 1024), (1280, 3420), (513, 129))]
LIST += [(2048, 1280, 3420, "bf16"), (2048, 2048, 2048, "bf16"),
         (64, 4096, 4096, "bf16"), (1024, 1024, 1024, "bf16")]

rows, missed = [], 0
with tempfile.TemporaryDirectory() as scratch:
    for problem in LIST[:arguments.limit]:
        model = problems.write(scratch, *problem)
        artifacts, status = {}, 0
        for mode in ("default", "max-autotune"):
            artifacts[mode] = pathlib.Path(scratch) / f"{model.stem}.{mode}"
            # Default with an empty database, not with what tuning found.
            database = pathlib.Path(scratch) / f"{mode}.db"
            status, text = common.run(
                arguments.root / "bin/minic", "--target=cuda",
                f"--mode={mode}", f"--tune-db={database}", model, "-o",
                artifacts[mode], timeout=120)
            if status != 0:
                print(f"{model.stem} {mode}: FAILED: {common.last_line(text)}")
                missed += 1
                break
        if status != 0:
            continue
        report = pathlib.Path(scratch) / "bench.json"
        status, text = common.run(
            arguments.root / "bin/minic-bench", artifacts["max-autotune"],
            f"--compare={artifacts['default']}",
            f"--rounds={arguments.rounds}", f"--json={report}", timeout=120)
        if status != 0:
            print(f"{model.stem}: FAILED: {common.last_line(text)}")
            missed += 1
            continue
        tuned, default = json.loads(report.read_text())["artifacts"]
        pairs = sorted(t / d for t, d in zip(tuned["samples_us"],
                                             default["samples_us"]))
        ratio = pairs[len(pairs) // 2]
        # The 95 % interval of a median by order statistics.
        spread = int(0.98 * len(pairs) ** 0.5 + 1)
        low = pairs[max(0, len(pairs) // 2 - spread)]
        slower = low > 1.0
        missed += slower
        rows.append({"problem": model.stem, "default_us": default["median_us"],
                     "tuned_us": tuned["median_us"], "ratio": ratio,
                     "low": low})
        print(f"{model.stem:36}{default['median_us']:10.2f}"
              f"{tuned['median_us']:10.2f}{ratio:8.3f}"
              f"{'   SLOWER' if slower else ''}", flush=True)
common.write_json(arguments.out / "default.json", rows)
print(f"{missed} of {len(rows)} problems missed")
sys.exit(1 if missed else 0)
