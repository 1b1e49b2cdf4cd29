# SPDX-License-Identifier: Apache-2.0
"""What default mode loses on whole models where nothing was measured: its plan beside
the tuned one in the same rounds, each loaded first once. Missed where it takes more
than 1.12 of the tuned plan's time.

    python3 test/bench/default_models.py resnet50_b1_bf16 clip_vision_b1_bf16
    python3 test/bench/default_models.py --target=cpu model.mlir
    tools/device/run --stage=default-models --models resnet50_b1_bf16

Models are those of model_workloads.py, or files. They are tuned in this order with
one database, without shipped records. --out keeps that database, and a tuning report
and what explain says of each plan.
"""

import argparse
import json
import math
import pathlib
import sys
import tempfile
import time

import regret

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
import model_workloads  # noqa: E402

LIMIT = 1.12


def write(name, folder):
    """(model file, function), written below `folder` where `name` is no file."""
    if pathlib.Path(name).suffix == ".mlir":
        return pathlib.Path(name), "main"
    workload = model_workloads.EVERY[name]
    made = folder / name
    made.mkdir()
    workload.write(made)
    return made / "model.mlir", workload.function


class Models:
    """Tunes and times one model after the other."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.kept = arguments.out or folder
        self.contest = regret.Contest(arguments, folder)

    def compile(self, name, model, function):
        """({mode: artifact}, seconds of tuning, "") or (None, None, why)."""
        options = {
            "tuned": ["--mode=max-autotune",
                      f"--tune-db={self.kept / 'tuning.db'}",
                      f"--tune-report={self.kept / name}.json"],
            "default": ["--tune-db=none"]}
        if self.arguments.target == "cpu":
            for mode in options.values():
                mode.append(f"--threads={self.arguments.threads}")
        plans, seconds = {}, None
        for mode, own in options.items():
            plans[mode] = self.folder / f"{name}.{mode}.minic"
            begun = time.monotonic()
            _, why = regret.run(
                self.arguments.bin / "minic", *own, "--shipped-db=off",
                f"--target={self.arguments.target}", f"--function={function}",
                "-o", plans[mode], model)
            if why:
                return None, None, f"{mode}: {why}"
            seconds = seconds or time.monotonic() - begun
            text, why = regret.run(self.arguments.bin / "minic", "explain",
                                   plans[mode])
            (self.kept / f"{name}.{mode}.txt").write_text(text or why)
        return plans, seconds, ""

    def row(self, name):
        """(row, "") or (None, why)."""
        model, function = write(name, self.folder)
        name = pathlib.Path(name).stem
        plans, seconds, why = self.compile(name, model, function)
        if why:
            return None, why
        samples, why = self.contest.time({"artifact": plans["default"]},
                                         {"artifact": plans["tuned"]},
                                         f"--function={function}")
        if why:
            return None, why
        default, tuned = (regret.paired.statistics.median(times)
                          for times in zip(*samples))
        return {"model": name, "seconds": seconds, "tuned_us": tuned,
                "default_us": default, "ratio": regret.ratios(samples)}, ""


def shown(row):
    ratio, low, high = row["ratio"]
    interval = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    return (f"| {row['model']} | {row['seconds']:.1f} | {row['tuned_us']:.1f} | "
            f"{row['default_us']:.1f} | {ratio:.3f}{interval} |")


def parse(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+",
                        help="files, or " + ", ".join(model_workloads.EVERY))
    parser.add_argument("--bin", type=pathlib.Path,
                        default=regret.ROOT / "build/release/bin")
    parser.add_argument("--target", choices=tuple(regret.DTYPES),
                        default="cuda")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=21,
                        help="of each load order")
    parser.add_argument("--limit-s", type=float, default=math.inf,
                        help="no model begins later")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args(argv)
    unknown = [name for name in arguments.models
               if name not in model_workloads.EVERY
               and pathlib.Path(name).suffix != ".mlir"]
    if unknown:
        parser.error(f"expected a file or a known model, got {unknown[0]}")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    return arguments


def main():
    arguments = parse()
    begun, rows, failed, left_out = time.monotonic(), [], {}, []
    print("| model | tuned in, s | max-autotune, us | default, us | default / "
          "max-autotune |\n" + "|---" * 5 + "|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        models = Models(arguments, pathlib.Path(scratch))
        for name in arguments.models:
            if time.monotonic() - begun > arguments.limit_s:
                left_out.append(name)
                continue
            row, why = models.row(name)
            if row:
                rows.append(row)
            else:
                failed[name] = why
            print(shown(row) if row else f"| {name} | FAILED: {why} |",
                  flush=True)
    if arguments.out:
        (arguments.out / "default-models.json").write_text(json.dumps(
            {"rows": rows, "failed": failed, "not_run": left_out},
            indent=1) + "\n")
    missed = [row["model"] for row in rows if row["ratio"][0] > LIMIT]
    print(f"\nmore than {LIMIT} of the tuned plan's time: "
          f"{', '.join(missed) or 'none'}; {len(failed)} failed, "
          f"{len(left_out)} not run, {time.monotonic() - begun:.0f} s")
    return 1 if missed or failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
