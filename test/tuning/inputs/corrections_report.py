# SPDX-License-Identifier: Apache-2.0
"""A report of 40 linears: of each two kernels that differ in stages, a call, and a
candidate of two parts."""

import json
import sys


def row(name, us, estimate, *parts):
    choice = " ".join(f'#kernel.impl<family = "{family}", schedule = '
                      f"{{{schedule}}}>" for family, schedule in parts)
    return {"name": name, "choice": choice, "status": "verified",
            "estimate_us": estimate, "time_us": us}


def schedule(stages):
    return (f'bk = 32 : i64, bm = 16 : i64, bn = 32 : i64, math = "mma", '
            f"split = 1 : i64, stages = {stages} : i64, warps_m = 1 : i64")


def rows(i):
    estimate = 2 + 0.1 * (i % 7)
    fast, slow = (("gemm_sm80", schedule(stages)) for stages in (2, 4))
    return [row("generated gemm_sm80 stages=2", estimate, estimate, fast),
            # Its estimate is the better one of every second problem.
            row("generated gemm_sm80 stages=4",
                1.5 * estimate * (0.9 if i % 2 else 1.1),
                estimate * (0.9 if i % 2 else 1.1), slow),
            row("library-fused cublaslt", 9, 1, ("cublaslt", "")),
            row("generated both", 9, 1, fast, ("pointwise", ""))]


def main():
    problems = [{"record": {
        "problem": str(i), "rows": rows(i), "description":
            f"linear_relu({1 + 3 * i}x{64 * (1 + i % 5)}, "
            f"{32 * (1 + i % 8)}x{64 * (1 + i % 5)}) bf16, warm"}}
        for i in range(40)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"problems": problems}, file)


main()
