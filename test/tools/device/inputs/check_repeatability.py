# SPDX-License-Identifier: Apache-2.0
"""Checks test/bench/repeatability.py without running minic."""

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
# Faster by more is not the same either.
expect(repeatability.reaches(0.9, 0.89, 0.95), False)
expect(repeatability.reaches(0.97, 0.95, 0.99), True)
expect(repeatability.reaches(1.02, None, None), True)
print(repeatability.shown(
    {"name": "p", "tunings": 20, "same": 17, "within": 2, "others": [
        {"count": 2, "ratio": (1.01, 1.005, 1.015)},
        {"count": 1, "ratio": (1.08, 1.05, 1.12)}]}))
