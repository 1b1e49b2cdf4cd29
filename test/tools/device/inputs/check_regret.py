# SPDX-License-Identifier: Apache-2.0
"""Checks test/bench/regret.py without running minic."""

import regret


def expect(got, wanted):
    assert got == wanted, f"expected {wanted!r}, got {got!r}"


def row(value, counts=True, kind="gemm"):
    return {"regret": value, "counts": counts, "kind": kind}


# A seed draws the same problems again, and a longer list begins alike.
names = [name for name, *_ in regret.sample("cpu", 24, 1)]
expect([name for name, *_ in regret.sample("cpu", 8, 1)], names[:8])
assert names != [name for name, *_ in regret.sample("cpu", 24, 2)]
assert names != [name for name, *_ in regret.sample("cuda", 24, 1)]
expect(len(set(names)), 24)
for i, kind in enumerate(("linear_relu_", "attention_", "", "conv")):
    assert all(name.startswith(kind) for name in names[i::4]), names[i::4]

# Which search covered what.
expect(regret.coverage_of("chosen by tuned: a; 21 of 167 legal schedules "
                          "tried\nchosen by tuned: b; 1 of 1 legal schedules "
                          "tried\n"), (21, 167))
expect(regret.coverage_of("chosen by tuned: a\n"), None)
expect(regret.plan_of("function main\n  implemented by gemm x\n"
                      "  chosen by tuned: gemm\n  commands: gemm;\n"),
       ["  implemented by gemm x", "  commands: gemm;"])

# Where the exhaustive plan is slower, the other one is the best.
expect([regret.regret_of(ratio) for ratio in (1.04, 1.0, 0.9)], [1.04, 1.0, 1.0])

# Targets; what was searched in part does not count.
met, is_met = regret.summary([row(1.0), row(1.02, kind="norm"),
                              row(9.0, counts=False)])
missed, is_missed = regret.summary(
    [row(1.0), row(1.1), row(9.0, counts=False, kind="attention")])
none, is_none = regret.summary([row(1.0, counts=False)])
expect([is_met, is_missed, is_none], [True, False, False])
expect(regret.judge([]), None)
shown = regret.shown({"problem": "p", "search": "descent", "coverage": [(2, 9), (5, 9)],
                      "seconds": [1, 2], "equal": False, "ratio": 0.99,
                      "low": 0.98, "high": 1.0, "regret": 1.0,
                      "counts": False})
expect(shown, "| p | descent | 2 of 9 | 5 of 9 | 1 and 2 | 0.990 [0.980, 1.000] | 1.000, "
       "partial: does not count |")
print("\n".join(met + missed + none))
# Several searches have a summary each.
lines, are_met = regret.summaries(
    [row(1.0) | {"search": "guided"}, row(1.5) | {"search": "descent"}],
    ("guided", "descent"))
expect([lines[0], lines[4], are_met], ["guided:", "descent:", False])
