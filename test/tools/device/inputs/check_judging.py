# SPDX-License-Identifier: Apache-2.0
"""Checks tools/device/stages/judging.py."""

import judging


def row(ratio, low, high):
    return {"ratio": ratio, "low": low, "high": high}


def expect(got, wanted):
    assert got == wanted, f"expected {wanted!r}, got {got!r}"


SLOWER, FASTER = row(1.021, 1.021, 1.022), row(0.607, 0.605, 0.611)
SAME, FEW = row(1.002, 0.99, 1.01), row(1.3, None, None)

# A function among others.
expect(judging.judge_row(SLOWER, equal=False), "slower")
expect(judging.judge_row(SLOWER, equal=True), "equal plans")
expect(judging.judge_row(FASTER, equal=False), "faster")
expect(judging.judge_row(SAME, equal=False), "no difference")
expect(judging.judge_row(FEW, equal=False), "too few rounds")

# Alone, in both load orders; the row that is shown is the one that is judged.
expect(judging.judge_looks(SLOWER, SLOWER, equal=False), "SLOWER")
expect(judging.judge_looks(SLOWER, SAME, equal=False),
       "slower only if loaded first")
expect(judging.judge_looks(FASTER, SLOWER, equal=False),
       "slower only if loaded last")
expect(judging.judge_looks(FASTER, FASTER, equal=False), "faster alone")
expect(judging.judge_looks(FASTER, SAME, equal=False), "no difference alone")
expect(judging.judge_looks(SLOWER, SLOWER, equal=True), "equal plans alone")
expect(judging.shown(SLOWER, SAME), SLOWER)
expect(judging.shown(row(1.05, 0.9, 1.2), SLOWER), SLOWER)
expect(judging.ratio_text(SLOWER), "1.021 [1.021, 1.022]")
expect(judging.ratio_text(FEW), "1.300 (too few rounds)")

# What minic-run --check says.
OK = "check y: ok, error at most 0.3 of its tolerance, 1e-7 relative\n"
VACUOUS = ("check y: vacuous, tolerances are inf of its RMS; the RMS error is "
           "0.004 of it\n")
WRONG = "check y: WRONG: y[3]: expected 0 ±0, got 1"
expect(judging.judge_check(0, OK, 0.01), "")
expect(judging.judge_check(0, OK + VACUOUS, 0.01), "")
expect(judging.judge_check(0, OK + VACUOUS, 0.003),
       "y: an RMS error of 0.004 of its RMS, expected at most 0.003")
expect(judging.judge_check(0, OK + VACUOUS.replace("0.004", "nan"), 0.01),
       "y: an RMS error of nan of its RMS, expected at most 0.01")
expect(judging.judge_check(1, WRONG + "\nmore\n", 0.01), WRONG)
expect(judging.judge_check(1, "took longer than 9 s", 0.01),
       "exit status 1: took longer than 9 s")
expect(judging.judge_check(0, "output y: 1xf32\n", 0.01),
       "exit status 0: output y: 1xf32")

# Backends of contractions and convolutions alike.
expect(judging.backend_options(""), [])
expect(judging.backend_options("generated"),
       ["--gemm-backends=generated", "--conv-backends=generated"])
expect(judging.backend_options("library-fused"),
       ["--gemm-backends=library-fused", "--conv-backends=cudnn"])

# What minic cannot do is neither passed nor failed; a bad model failed.
expect(judging.compile_verdict(4), "unsupported")
expect([judging.compile_verdict(status) for status in (3, 5, 124, -11)],
       ["FAILED"] * 4)
print("\n".join(judging.count_verdicts(
    [("", "passed"), ("generated", judging.compile_verdict(4)),
     ("", "passed"), ("generated", judging.compile_verdict(5))])))
