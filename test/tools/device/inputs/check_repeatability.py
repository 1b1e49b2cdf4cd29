# SPDX-License-Identifier: Apache-2.0
"""Checks test/bench/repeatability.py without running minic."""

import pathlib
import tempfile

import repeatability


def expect(got, wanted):
    assert got == wanted, f"expected {wanted!r}, got {got!r}"


class Case:
    """Plans whose artifacts are the seconds that they take."""
    name = "p"

    def time(self, plan, usual):
        ratio = plan / usual
        return (ratio, round(ratio * 0.995, 3), round(ratio * 1.005, 3)), ""


# The plan that was found most often is the one that others are compared with.
tuned = [(1.08, "c")] + [(1.0, "a")] * 17 + [(1.015, "b")] * 2
row, why = repeatability.judge(Case(), tuned)
expect(why, "")
expect([row["same"], row["within"], repeatability.is_met(row)], [17, 2, True])
tuned[1] = (1.08, "c")
row, _ = repeatability.judge(Case(), tuned)
expect([row["same"], row["within"], repeatability.is_met(row)],
       [16, 2, False])
# The median decides: that its interval reaches 1.02 is not enough.
tuned[0] = (1.022, "d")
row, _ = repeatability.judge(Case(), tuned)
assert any(low < repeatability.WITHIN < ratio
           for ratio, low, _ in (other["ratio"] for other in row["others"]))
expect([row["same"], row["within"], repeatability.is_met(row)],
       [16, 2, False])
expect([row["plan"], [other["plan"] for other in row["others"]]],
       ["a", ["b", "d", "c"]])
# Faster by more is not the same either.
expect([repeatability.is_within(ratio)
        for ratio in (0.97, 0.981, 1.0, 1.02, 1.021)],
       [False, True, True, True, False])
# Of each plan the report of the tuning that found it first.
with tempfile.TemporaryDirectory() as scratch:
    folder, kept = pathlib.Path(scratch), pathlib.Path(scratch, "kept")
    found = [(folder / f"p.{i}.minic", plan) for i, plan in enumerate("abaab")]
    for artifact, _ in found:
        artifact.with_suffix(".json").write_text("{}")
    repeatability.keep_reports(found, kept)
    expect(sorted(path.name for path in kept.iterdir()), ["p.0.json", "p.1.json"])
print(repeatability.shown(
    {"name": "p", "tunings": 20, "same": 17, "within": 2, "others": [
        {"count": 2, "ratio": (1.01, 1.005, 1.015)},
        {"count": 1, "ratio": (1.08, 1.05, 1.12)}]}))
