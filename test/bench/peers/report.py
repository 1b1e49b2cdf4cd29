# SPDX-License-Identifier: Apache-2.0
"""From samples to a table, and to how many times as fast minic is as the best
peer of each group."""

import dataclasses
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import paired  # noqa: E402

KINDS = ("back_to_back", "one_call", "device", "host")
COMPARED = KINDS[:3]
MINIC = "minic max-autotune"


@dataclasses.dataclass
class Row:
    name: str
    group: str
    samples: dict = dataclasses.field(default_factory=dict)
    error: float = None
    note: str = ""
    setup_s: float = 0.0

    def median(self, kind):
        values = self.samples.get(kind)
        return statistics.median(values) if values else None

    def json(self):
        return dataclasses.asdict(self) | {k: self.median(k) for k in KINDS}


def verdict(factor, middle, low, high):
    """The interval has to lie wholly below the factor to miss it."""
    if factor is None:
        return ""
    if middle >= factor:
        return "met"
    return "MISSED" if high is None or high < factor else "met in the noise"


def comparisons(rows, factors):
    """One for each group and figure: the best of the group against minic."""
    found = []
    minic = next((row for row in rows if row.name == MINIC), None)
    groups = list(dict.fromkeys(r.group for r in rows if r.group != "minic"))
    groups += [g for g, _ in factors if g not in groups]
    for group in dict.fromkeys(groups):
        for kind in COMPARED:
            factor = factors.get((group, kind))
            peers = [r for r in rows
                     if r.group == group and r.median(kind) is not None]
            if minic is None or minic.median(kind) is None or not peers:
                if factor is not None:
                    found.append({"group": group, "figure": kind,
                                  "factor": factor, "verdict": "not run"})
                continue
            best = min(peers, key=lambda row: row.median(kind))
            middle, low, high = paired.ratio(best.samples[kind],
                                             minic.samples[kind])
            found.append({
                "group": group, "figure": kind, "factor": factor,
                "peer": best.name, "ratio": middle, "low": low, "high": high,
                "verdict": verdict(factor, middle, low, high)})
    return found


def comparison_line(one):
    required = ("" if one["factor"] is None
                else f"   required {one['factor']:.2f}: {one['verdict']}")
    what = f"{one['figure'].replace('_', ' '):13}"
    if "ratio" not in one:
        return f"minic against {one['group']:15} {what}not run{required}"
    inside = ("too few rounds for an interval" if one["low"] is None
              else f"[{one['low']:.3f}, {one['high']:.3f}]")
    return (f"minic against {one['group']:15} {what}{one['ratio']:6.3f} "
            f"{inside}  {one['peer']}{required}")


def cell(value):
    return "-" if value is None else f"{value:.2f}"


def libraries(result):
    """A line, where the peers have said."""
    versions = result.get("versions", {})
    if not versions.get("torch"):
        return []
    number = versions["cudnn"] or 0
    cudnn = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return [f"PyTorch {versions['torch']}, CUDA {versions['cuda']}, cuDNN "
            f"{cudnn}; minic with the same files of "
            + (", ".join(result["shared"]) or "none")]


def wanted_lines(result):
    """One, where so many microseconds are wanted of the workload."""
    wanted = result.get("wanted_us")
    seen = next((row["back_to_back"] for row in result["rows"]
                 if row["name"] == MINIC), None)
    if not wanted or seen is None:
        return []
    return [f"{MINIC} {seen:.1f} us back to back, wanted at most {wanted}: "
            + ("met" if seen <= wanted else "MISSED")]


def table(result):
    """Text of a result of peers.py."""
    lines = [f"{result['workload']} on {result['device']}, us, medians of "
             f"{result['rounds']} interleaved rounds, a process each; "
             f"{result['seconds']:.0f} s in all", *libraries(result),
             f"{'':41}{'back to back':>13}{'one call':>10}{'device':>9}"
             f"{'host':>8}{'error':>9}"]
    for row in result["rows"]:
        cells = [cell(row[kind]) for kind in KINDS]
        error = "-" if row["error"] is None else f"{row['error']:.1e}"
        lines.append(f"{row['name']:41}{cells[0]:>13}{cells[1]:>10}"
                     f"{cells[2]:>9}{cells[3]:>8}{error:>9}  {row['note']}")
    lines += [f"{name:41} not run: {why}"
              for name, why in result["not_run"].items()]
    lines += [comparison_line(one) for one in result["comparisons"]]
    lines += wanted_lines(result)
    return "\n".join(line.rstrip() for line in lines) + "\n"
