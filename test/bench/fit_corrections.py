#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits corrections of estimates of plain products, and of convolutions that are
such, to what was measured.

    minic --mode=max-autotune --search=offered --tune-report=REPORT.json model.mlir
    python3 test/bench/fit_corrections.py REPORT.json... \\
        [--write compiler/target/cuda/EstimateCorrections.inc]

Reports may be compressed, REPORT.json.xz.

Of each group of candidates (a family with one kind of math), log(measured /
estimated) is fitted by a ridge regression in features: logarithms of the problem's
and of the schedule's numbers, words of the schedule as 0 or 1. EstimateFeatures.cpp
has the same features; test/inputs/estimate_features.json holds both to one table.

Prints each group's typical error before and after, and what the choices of
estimates alone take of the fastest candidate's time, also of problems that were held
back while the others were fitted, an eighth at a time.
"""

import argparse
import json
import lzma
import math
import pathlib
import random
import re
import sys

import numpy

#: Multiprocessors of the GPUs that the records are of.
MULTIPROCESSORS = 132
#: Numbers of a schedule that count.
NUMBERS = ("bk", "bm", "bn", "cluster", "columns", "pdl", "pingpong",
           "registers", "split", "stages", "unroll", "warpgroups_k", "warps_k")
#: Words of a schedule that do not.
NO_WORDS = ("algorithm", "compute")
#: Left out: all algorithms of a call have one estimate, and calls keep lines.
LIBRARIES = ("cublas", "cublaslt", "cudnn_matmul", "cudnn_conv")
#: Candidates whose estimates are beyond this many times the best one's of their
#: problem are not what an estimate has to tell apart. They have a small weight.
NEAR, FAR_WEIGHT = 2.5, 0.15
RIDGE = 0.003
#: Fewer records say too little.
LEAST_RECORDS = 30
ELEMENT_BYTES = {"bf16": 2, "f16": 2, "f32": 4}
ROOT = pathlib.Path(__file__).resolve().parents[2]


def limits():
    """How far a correction goes either way, as a logarithm: what applies it
    says."""
    source = (ROOT / "compiler/target/cuda/EstimateFit.cpp").read_text()
    return map(float, re.search(
        r"leastCorrection = (\S+), mostCorrection = (\S+);", source).groups())


LEAST, MOST = limits()


def schedule_of(choice):
    """({name: number}, {name: word}) of the one part of `choice`."""
    body = re.search(r"schedule = \{(.*?)\}>", choice)
    entries = re.findall(r'(\w+) = (?:"([^"]*)"|(-?\d+) : i64)',
                         body.group(1) if body else "")
    return ({name: int(number) for name, _, number in entries if number},
            {name: word for name, word, number in entries if not number})


def group_of(family, sizes, words):
    """What shares coefficients: EstimateFeatures.cpp's groupOf."""
    return (("conv " if sizes.get("convolution") else "") + family + " " +
            (words.get("math") or ("f32" if sizes["bytes"] == 4 else "f16")))


def tile_of(sizes, family, numbers, words):
    """(rows, columns) of a tile, or None."""
    if family == "gemm_skinny":
        m = sizes["m"]
        return (-(-m // 16) * 16 if words.get("math") == "mma" else m,
                numbers["columns"])
    return (numbers["bm"], numbers["bn"]) if "bm" in numbers else None


def parts_of(numbers):
    return max(1, numbers.get("split", 1))


def steps_of(sizes, numbers):
    """Logarithm of the stages of K that a block passes."""
    return max(0.0, math.log(
        sizes["k"] / (numbers.get("bk", 1) * parts_of(numbers))))


def tiles_of(sizes, tile):
    return -(-sizes["m"] // tile[0]) * -(-sizes["n"] // tile[1])


def features_of_convolution(sizes, family, numbers, words):
    """Fewer, since there are fewer records: above all how many results a block
    stores after its sums."""
    found = {"steps": steps_of(sizes, numbers)}
    if "bm" in numbers:
        tile = tile_of(sizes, family, numbers, words)
        waves = tiles_of(sizes, tile) / MULTIPROCESSORS
        found |= {"results": math.log(tile[0] * tile[1]),
                  "waves": max(0.0, math.log(waves))}
    return found


def features_of(sizes, family, numbers, words, estimate):
    """{name: value}, as EstimateFeatures.cpp has them."""
    if sizes.get("convolution"):
        return features_of_convolution(sizes, family, numbers, words)
    m, n, k = (sizes[name] for name in "mnk")
    found = {"estimate": math.log(estimate), "m": math.log(m),
             "n": math.log(n), "k": math.log(k)}
    aligned = math.gcd(k * sizes["bytes"], 16)
    if aligned < 16 and words.get("lhs") != "padded":
        found |= {f"aligned={aligned}": 1.0, "unaligned m": math.log(m),
                  "unaligned n": math.log(n)}
    tile = tile_of(sizes, family, numbers, words)
    if tile:
        tiles = tiles_of(sizes, tile)
        waves = tiles * parts_of(numbers) / MULTIPROCESSORS
        warps = numbers.get("warps", 1)
        for name in ("warps", "warpgroups"):
            for axis in "mnk":
                warps *= numbers.get(f"{name}_{axis}", 1)
        found |= {"tiles": math.log(tiles),
                  "tail": max(0.0, math.log(math.ceil(waves) / waves))
                  if waves > 1 else 0.0,
                  "idle": min(0.0, math.log(waves)),
                  "waste": math.log(tiles * tile[0] * tile[1] / (m * n)),
                  "steps": steps_of(sizes, numbers),
                  "warps": math.log(warps)}
    found |= {name: math.log(1 + numbers[name]) for name in NUMBERS
              if numbers.get(name, 0) > 0}
    found |= {f"{name}={word}": 1.0 for name, word in words.items()
              if name not in NO_WORDS}
    return found


def sizes_of_convolution(description):
    """Of "conv2d_add(1x28x28x64, 128x64x1x1, nhwc) bf16, cold"; None where it is
    no convolution that multiplies matrices."""
    found = re.match(r"conv2d\w*\((\d+)x(\d+)x(\d+)x\d+, (\d+)x(\d+)x1x1, "
                     r"nhwc\) (\w+)", description)
    if not found or found.group(6) not in ELEMENT_BYTES:
        return None
    images, height, width, n, k = map(int, found.groups()[:5])
    return {"m": images * height * width, "n": n, "k": k,
            "bytes": ELEMENT_BYTES[found.group(6)], "convolution": 1}


def sizes_of(description):
    """Of "linear_relu(16x256, 512x256) bf16, warm"; None where it is no plain
    product: a fusion that begins with a linear or matmul of two matrices, or
    with a convolution that is one."""
    if description.startswith("conv2d"):
        return sizes_of_convolution(description)
    found = re.match(r"(linear|matmul)\w*\((\d+)x(\d+), (\d+)x(\d+)\) (\w+)",
                     description)
    if not found or found.group(6) not in ELEMENT_BYTES:
        return None
    m, k, first, second = map(int, found.groups()[1:5])
    return {"m": m, "k": k,
            "n": first if found.group(1) == "linear" else second,
            "bytes": ELEMENT_BYTES[found.group(6)]}


def records(paths):
    """A dict of each measured candidate of one part."""
    seen = set()
    for path in paths:
        opened = lzma.open(path) if path.endswith(".xz") else open(path, "rb")
        with opened as file:
            report = json.load(file)
        for problem in report["problems"]:
            record = problem["record"]
            sizes = sizes_of(record["description"])
            for row in record["rows"] if sizes else ():
                measured = row.get("time_us") or row.get("screen_us")
                families = re.findall(r'family = "(\w+)"', row["choice"])
                key = (record["problem"], row["name"])
                if (not measured or not row.get("estimate_us") or key in seen
                        or len(families) != 1 or row["status"] != "verified"
                        or families[0] in LIBRARIES):
                    continue
                seen.add(key)
                numbers, words = schedule_of(row["choice"])
                yield {"problem": record["problem"], "name": row["name"],
                       "description": record["description"],
                       "group": group_of(families[0], sizes, words),
                       "features": features_of(sizes, families[0], numbers,
                                               words, row["estimate_us"]),
                       "estimate": row["estimate_us"], "measured": measured}


def by_problem(rows):
    found = {}
    for row in rows:
        found.setdefault(row["problem"], []).append(row)
    return found


def weigh(rows):
    for own in by_problem(rows).values():
        best = min(row["estimate"] for row in own)
        for row in own:
            row["weight"] = (1.0 if row["estimate"] <= NEAR * best
                             else FAR_WEIGHT)


def fit(rows):
    """[(feature, coefficient, least, most)] of a group; the first is the
    constant."""
    names = sorted({name for row in rows for name in row["features"]})
    matrix = numpy.array([[row["features"].get(name, 0.0) for name in names]
                          for row in rows])
    goal = numpy.array([math.log(row["measured"] / row["estimate"])
                        for row in rows])
    weights = numpy.array([row["weight"] for row in rows])
    mean = numpy.average(matrix, axis=0, weights=weights)
    spread = matrix.std(axis=0) + 1e-9
    scaled = (matrix - mean) / spread
    level = numpy.average(goal, weights=weights)
    square = (scaled * weights[:, None]).T @ scaled
    square += RIDGE * weights.sum() * numpy.eye(len(names))
    solved = numpy.linalg.solve(
        square, (scaled * weights[:, None]).T @ (goal - level)) / spread
    constant = level - float(mean @ solved)
    return [("", round(constant, 4), 1.0, 1.0)] + [
        (name, round(float(value), 4), round(float(low), 4),
         round(float(high), 4))
        for name, value, low, high in zip(names, solved, matrix.min(axis=0),
                                          matrix.max(axis=0))
        if high > low]


def corrected(row, fits):
    """EstimateFit.cpp's time of a row."""
    total = 0.0
    for name, value, least, most in fits.get(row["group"], ()):
        at = 1.0 if not name else row["features"].get(name, 0.0)
        total += value * min(max(at, least), most)
    return row["estimate"] * math.exp(min(max(total, LEAST), MOST))


def fits_of(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    return {group: fit(own) for group, own in sorted(groups.items())
            if len(own) >= LEAST_RECORDS}


def held_back(rows, parts=8):
    """`rows` with the time that fits of other problems expect."""
    problems = sorted({row["problem"] for row in rows})
    random.Random(0).shuffle(problems)
    for part in range(parts):
        test = set(problems[part::parts])
        fits = fits_of([row for row in rows if row["problem"] not in test])
        for row in rows:
            if row["problem"] in test:
                row["expected"] = corrected(row, fits)


def error(rows, of):
    near = [row for row in rows if row["weight"] == 1]
    return math.exp(sum(abs(math.log(row["measured"] / of(row)))
                        for row in near) / max(1, len(near)))


def choices(rows, of):
    """(geometric mean, worst, its problem) of what the best estimates take."""
    lost = []
    for own in by_problem(rows).values():
        chosen = min(own, key=of)
        lost.append((chosen["measured"] / min(row["measured"] for row in own),
                     chosen["description"]))
    mean = math.exp(sum(math.log(ratio) for ratio, _ in lost) / len(lost))
    return (mean, *max(lost))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = list(records(arguments.reports))
    if not rows:
        sys.exit("fit_corrections.py: error: no measured candidates of plain "
                 "products in these reports")
    weigh(rows)
    held_back(rows)
    fits = fits_of(rows)
    print(f"{'group':28}{'records':>8}{'error':>8}{'held back':>11}{'before':>8}")
    errors = {}
    for group in fits:
        own = [row for row in rows if row["group"] == group]
        errors[group] = (len(own), error(own, lambda r: corrected(r, fits)),
                         error(own, lambda r: r["expected"]),
                         error(own, lambda r: r["estimate"]))
        print("{:28}{:8}{:8.2f}{:11.2f}{:8.2f}".format(group, *errors[group]))
    for what, of in (("as estimated", lambda r: r["estimate"]),
                     ("held back", lambda r: r["expected"]),
                     ("corrected", lambda r: corrected(r, fits))):
        print("{}: best estimates take {:.3f} of the least time of {} problems, "
              "at most {:.2f}: {}".format(what, choices(rows, of)[0],
                                          len(by_problem(rows)),
                                          *choices(rows, of)[1:]))
    if arguments.write:
        lines = []
        for group, features in fits.items():
            lines.append("// {}: {} records, error {:.2f} ({:.2f} of what was "
                         "held back, {:.2f} before)".format(group,
                                                            *errors[group]))
            lines += [f'{{"{group}", "{name}", {value}, {least}, {most}}},'
                      for name, value, least, most in features]
        arguments.write.write_text(
            "// Written by test/bench/fit_corrections.py: group, feature (none: the "
            "constant),\n// coefficient, least and most value that records had.\n"
            + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
