# SPDX-License-Identifier: Apache-2.0
#
# The summary of ./demo: each form of a model beside the first one, by the ratios
# that minic-bench measured within rounds. It says nothing that an interval does
# not show.
#
#   summarize.py FORM FORM ... -- FILE FILE ...
#
# FILE is what minic-bench wrote with --json, FORM names its artifacts in order.

import json
import os
import sys

FORMAT = "minic-bench "


def time_text(microseconds):
    """As minic-bench prints it: four digits."""
    for limit, unit, name in (
        (1e6, 1e-6, "s"),
        (1e3, 1e-3, "ms"),
        (1, 1, "us"),
        (0, 1e3, "ns"),
    ):
        if microseconds >= limit:
            value = microseconds * unit
            whole = len(str(int(value))) if value >= 1 else 1
            return f"{value:.{max(0, 4 - whole)}f} {name}"
    return "?"


def rate_text(gflops):
    unit, value = (
        ("TFLOP/s", gflops / 1e3) if gflops >= 1e3 else ("GFLOP/s", gflops)
    )
    return f"{value:.4g} {unit}"


def ratio_text(ratio, base):
    """What the ratio of a time to the time of `base` shows."""
    low, high = ratio["low"], ratio["high"]
    if low is None or high is None:
        return f"too few rounds to compare with {base}"
    value = ratio["time_ratio"]
    same = ", the same kernels" if ratio.get("equal_choices") else ""
    interval = f"{value:.4f} [{low:.4f}, {high:.4f}]"
    if same or low <= 1 <= high:
        return f"no difference from {base}: {interval}{same}"
    if value >= 2:
        return f"{value:.2f} times the time of {base}: {interval}"
    percent = f"{100 * abs(value - 1):.1f} %"
    word = "more" if value > 1 else "less"
    return f"{percent} {word} time than {base}: {interval}"


def read(path, forms):
    """Two lists, of artifacts and of ratios to the first of them."""
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"summarize.py: error: {path}: {error}")
    kind = result.get("format", "") if isinstance(result, dict) else ""
    if not str(kind).startswith(FORMAT):
        sys.exit(
            f"summarize.py: error: {path}: expected a file that minic-bench "
            "wrote with --json"
        )
    artifacts = result["artifacts"]
    if len(artifacts) != len(forms):
        sys.exit(
            f"summarize.py: error: {path}: expected {len(forms)} artifacts, "
            f"got {len(artifacts)}"
        )
    return artifacts, result["comparisons"]


def rows(path, forms):
    artifacts, comparisons = read(path, forms)
    shown = [""] + [ratio_text(ratio, forms[0]) for ratio in comparisons]
    for form, artifact, text in zip(forms, artifacts, shown):
        model = os.path.basename(artifact["path"]).split(".")[0]
        yield (
            model,
            form,
            time_text(artifact["median_us"]),
            rate_text(artifact["gflops"]),
            text,
        )


def main(arguments):
    if "--" not in arguments or arguments[0] == "--" or arguments[-1] == "--":
        sys.exit("usage: summarize.py FORM FORM ... -- FILE FILE ...")
    end = arguments.index("--")
    forms, files = arguments[:end], arguments[end + 1 :]
    table = [("model", "form", "median", "rate", "time by paired rounds, 95 %")]
    for path in files:
        table += rows(path, forms)
    widths = [max(len(row[i]) for row in table) for i in range(4)]
    for model, form, time, rate, text in table:
        print(
            f"{model:{widths[0]}}  {form:{widths[1]}}  {time:>{widths[2]}}  "
            f"{rate:>{widths[3]}}  {text}".rstrip()
        )


if __name__ == "__main__":
    main(sys.argv[1:])
