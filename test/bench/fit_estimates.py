#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits estimates to what was measured.

    minic --mode=max-autotune --tune-report=REPORT.json model.mlir
    python3 test/bench/fit_estimates.py REPORT.json... \\
        [--write compiler/target/cuda/EstimateFits.inc]

For each kind of implementation, as Implementation::kind names it without numbers,
finds the line offset + factor * estimate that comes closest to the measured
microseconds: the least sum of |log(measured / line)|, over the candidates of one
kernel or call that were measured and whose estimates are within 1.5 times of the
kind's best of the problem, for those are what an estimate has to tell apart. Prints
each line with the typical error before and after, and with --check how far the
choices of estimates alone are from the fastest candidate of each problem."""

import argparse
import json
import math
import pathlib
import re
import statistics
import sys

OFFSETS = [i / 4 for i in range(-10, 25)]
FACTORS = [i / 50 for i in range(30, 81)]
#: Rows of a tile from which on its kind is "wide".
WIDE = 64
#: Blocks of a cluster beyond which its kind is "deep".
DEEP = 4
#: Bytes of weights from which on few rows of them are bound by memory, as
#: streamsWeights has it.
STREAMED = 24_000_000
#: Fewer records say too little.
LEAST = 8
#: What a candidate takes at least: fits are lines, and short ones would cross 0.
LEAST_US = 0.4


def streams(description):
    """Whether a product of up to 16 rows, such as "linear(1x1x2048, 512x2048) bf16",
    reads so many weights."""
    found = re.search(r"\(([\dx]+), (\d+)x(\d+)\) (f32)?", description)
    if not found:
        return False
    rows = math.prod(map(int, found.group(1).split("x")[:-1]))
    size = 4 if found.group(4) else 2
    return rows <= 16 and (int(found.group(2)) * int(found.group(3)) * size
                           >= STREAMED)


def kind_of(name, families, description):
    """Implementation::kind without numbers, of a candidate of one part."""
    family = families[0]
    has = lambda text: text in name  # noqa: E731
    tile = re.search(r" (\d+)x\d+", name)
    cluster = re.search(r"cluster=(\d+)", name)
    rows = int(tile.group(1)) if tile else 0
    shared = (" wide" if rows >= WIDE else "") + (
        " cluster" + (" deep" if int(cluster.group(1)) > DEEP else "") if cluster
        else " split" if has("split=") else "")
    if family in ("gemm_sm80", "conv_sm80"):
        math_of = re.search(r"math=(\w+)", name)
        few = " few" if rows == 16 else ""
        if family == "gemm_sm80" and streams(description):
            few, shared = " streamed", shared.removeprefix(" wide")
        return (f"{family} {math_of.group(1) if math_of else 'ffma'}{few}{shared}")
    if family in ("gemm_sm90", "conv_sm90"):
        return (family + ("_tma" if has("copies=tma") else "")
                + (" pingpong registers" if has("registers=")
                   else " pingpong" if has("pingpong=")
                   else " multicast" if has("multicast=")
                   else shared.removeprefix(" wide")))
    if family == "gemm_skinny":
        split = re.search(r"(split|cluster)=(\d+)", name)
        product = re.search(r"(^|_)(linear|matmul)", description)
        return (f"{family} {re.search(r'skinny [0-9]+ (.+?) ', name).group(1)}"
                + (f" {split.group(1)}" if split and int(split.group(2)) > 1
                   else "")
                + (" lhs" if product and product.start() > 0 else ""))
    if family == "attention":
        return (family + (" wgmma" if has("wgmma") else "")
                + (" wide" if rows >= WIDE else "")
                + (" split cluster" if cluster else
                   " split" if has("split=") else ""))
    return family


def records(paths):
    """(problem, name, kind or None, estimate, measured) of measured candidates."""
    seen = set()
    for path in paths:
        report = json.loads(pathlib.Path(path).read_text())
        for problem in report["problems"]:
            record = problem["record"]
            for row in record["rows"]:
                measured = row.get("time_us") or row.get("screen_us")
                key = (record["problem"], row["name"])
                if not measured or not row.get("estimate_us") or key in seen:
                    continue
                seen.add(key)
                families = re.findall(r'family = "(\w+)"', row["choice"])
                plain = (len(families) == 1 and "padded" not in row["name"]
                         and not ("groups" in record["description"]
                                  and families[0] == "cudnn_conv"))
                yield (record["problem"], record["description"], row["name"],
                       kind_of(row["name"], families, record["description"])
                       if plain else None, row["estimate_us"], measured)


def line(offset, factor, least, most, estimate):
    """Where few records are, beyond `most`, parallel to the estimate; below
    `least` in proportion to it: an offset of large kernels says nothing there."""
    at = min(max(estimate, least), most)
    value = max(LEAST_US, offset + factor * at)
    return value * estimate / least if estimate < least else value + estimate - at


def error(rows, offset, factor, least=0, most=math.inf):
    return sum(
        abs(math.log(measured / line(offset, factor, least, most, estimate)))
        for estimate, measured in rows) / len(rows)


def near_best(rows):
    """(estimate, measured) of the candidates near the best of their problem."""
    best = {}
    for problem, _, _, _, estimate, _ in rows:
        best[problem] = min(estimate, best.get(problem, estimate))
    return [(estimate, measured) for problem, _, _, _, estimate, measured in rows
            if estimate <= 1.5 * best[problem]]


def fit(rows):
    return min(((offset, factor) for offset in OFFSETS for factor in FACTORS),
               key=lambda used: error(rows, *used))


def fits_of(found):
    kinds = {}
    for row in found:
        if row[3]:
            kinds.setdefault(row[3], []).append(row)
    fits = {}
    for kind, rows in sorted(kinds.items()):
        near = near_best(rows)
        if len(near) >= LEAST:
            estimates = [estimate for estimate, _ in near]
            used = (*fit(near), min(estimates),
                    statistics.quantiles(estimates, n=10)[-1])
            fits[kind] = (used, len(near), math.exp(error(near, 0, 1)),
                          math.exp(error(near, *used)))
    return fits


def choices(found, fits):
    """Measured time of the best estimate over the least, of each problem; of
    candidates of one part."""
    problems = {}
    for problem, description, name, kind, estimate, measured in found:
        if not kind:
            continue
        used = fits[kind][0] if kind in fits else (0, 1, 0, math.inf)
        problems.setdefault((problem, description), []).append(
            (line(*used, estimate), measured, name))
    return {key: min(rows)[1] / min(row[1] for row in rows)
            for key, rows in problems.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--skip", nargs="*", default=[], metavar="KIND",
                        help="leave out these, whose estimates have changed")
    parser.add_argument("--only", nargs="*", metavar="KIND",
                        help="write lines of these alone, and leave others as "
                        "the file has them")
    arguments = parser.parse_args()
    found = [row for row in records(arguments.reports)
             if row[3] not in arguments.skip]
    if not found:
        sys.exit("fit_estimates.py: error: no measured candidates in these reports")
    fits = fits_of(found)
    print(f"{'kind':36}{'records':>8}{'offset us':>11}{'factor':>8}{'least':>8}"
          f"{'most':>8}{'error':>8}{'before':>8}")
    for kind, (used, count, before, after) in fits.items():
        print(f"{kind:36}{count:8}{used[0]:11.2f}{used[1]:8.2f}{used[2]:8.1f}"
              f"{used[3]:8.1f}{after:8.2f}{before:8.2f}")
    if arguments.check:
        for what, used in (("as estimated", {}), ("fitted", fits)):
            ratios = choices(found, used)
            mean = math.exp(statistics.mean(map(math.log, ratios.values())))
            print(f"{what}: best estimates take {mean:.3f} of the least time of "
                  f"{len(ratios)} problems, at most {max(ratios.values()):.2f}")
    if arguments.write:
        lines = {kind: f'{{"{kind}", {used[0]}, {used[1]}, {used[2]:.1f}, '
                       f"{used[3]:.1f}}}, // {count}, {after:.2f} ({before:.2f})"
                 for kind, (used, count, before, after) in fits.items()}
        if arguments.only is not None:
            before = re.findall(r'^(\{"(.+?)".*)$', arguments.write.read_text(),
                                re.MULTILINE)
            lines = {kind: line for line, kind in before} | {
                kind: line for kind, line in lines.items()
                if kind in arguments.only}
        arguments.write.write_text(
            "// Written by test/bench/fit_estimates.py: kind, offset in us, "
            "factor, estimates in\n// us from and up to which there are records; "
            "behind it how many, and the typical\n// error, with the one "
            "before.\n"
            + "".join(f"{lines[kind]}\n" for kind in sorted(lines)))


if __name__ == "__main__":
    main()
