# SPDX-License-Identifier: Apache-2.0
"""Whether tuning again finds the same plan, or one that is as fast.

Tunes each problem and model --tunings times from nothing. The plan that was found
most often is timed beside each other one that was found, in the same rounds and
with either one loaded first. A tuning is repeated where it found that plan, or one
whose time is within 2 % of it: the median of the rounds' ratios is at most 1.02 and
at least 1 / 1.02. A faster plan counts as little as a slower one: the usual tuning
then missed it. Problems are the first ones of regret.py's sample.

    python3 test/bench/repeatability.py --target=cpu --threads=1
    python3 test/bench/repeatability.py --count=0 --models bert.mlir vit.mlir
    tools/device/run --stage=repeatability

With --reports it keeps a tuning report of the usual plan and of each other one.

Exits with 1 where fewer tunings than 19 of 20 are repeated, or one failed.
"""

import argparse
import collections
import json
import math
import pathlib
import shutil
import sys
import tempfile
import time

import regret

WITHIN = 1.02
SHARE = 19 / 20


class Case:
    """A model that is tuned several times."""

    def __init__(self, arguments, folder, name, model):
        self.arguments, self.folder = arguments, folder
        self.name, self.model = name, model

    def tune(self, number):
        """((artifact, plan), "") or (None, why). The report of the tuning lies
        beside the artifact."""
        artifact = self.folder / f"{self.name}.{number}.minic"
        options = [f"--target={self.arguments.target}", "--mode=max-autotune",
                   f"--tune-db={artifact.with_suffix('.db')}",
                   f"--tune-report={artifact.with_suffix('.json')}",
                   "-o", artifact]
        if self.arguments.target == "cpu":
            options.append(f"--threads={self.arguments.threads}")
        _, why = regret.run(self.arguments.bin / "minic", *options, self.model)
        if why:
            return None, why
        text, why = regret.run(self.arguments.bin / "minic", "explain",
                               artifact)
        if why:
            return None, f"explain: {why}"
        return (artifact, tuple(regret.plan_of(text))), ""

    def time(self, plan, usual):
        """The summary of the rounds' ratios, and why there is none."""
        contest = regret.Contest(self.arguments, self.folder)
        samples, why = contest.time({"artifact": plan}, {"artifact": usual})
        return (regret.ratios(samples), "") if samples else (None, why)


def keep_reports(tuned, folder):
    """Copies the report of the first tuning that found each plan."""
    folder.mkdir(parents=True, exist_ok=True)
    first = {plan: artifact for artifact, plan in reversed(tuned)}
    for artifact in first.values():
        shutil.copy(artifact.with_suffix(".json"), folder)


def is_within(ratio):
    """Whether a plan that takes `ratio` of the usual one's time is as fast."""
    return 1 / WITHIN <= ratio <= WITHIN


def judge(case, tuned):
    """(row, "") of [(artifact, plan)], or (None, why)."""
    found = collections.Counter(plan for _, plan in tuned)
    artifacts = {plan: artifact for artifact, plan in reversed(tuned)}
    usual, same = found.most_common(1)[0]
    within, others = 0, []
    for plan, count in found.most_common()[1:]:
        ratio, why = case.time(artifacts[plan], artifacts[usual])
        if why:
            return None, why
        others.append({"count": count, "ratio": ratio, "plan": plan})
        within += count if is_within(ratio[0]) else 0
    return {"name": case.name, "tunings": len(tuned), "same": same,
            "within": within, "plan": usual, "others": others}, ""


def shown(row):
    others = ", ".join(
        f"{other['ratio'][0]:.3f}" + (
            "" if other["ratio"][1] is None else
            f" [{other['ratio'][1]:.3f}, {other['ratio'][2]:.3f}]")
        for other in row["others"]) or "-"
    return (f"| {row['name']} | {row['tunings']} | {row['same']} | "
            f"{row['within']} | {len(row['others']) + 1} | {others} |")


def is_met(row):
    return row["same"] + row["within"] >= math.floor(SHARE * row["tunings"])


def cases(arguments, folder):
    drawn = list(regret.sample(arguments.target, arguments.count,
                               arguments.seed))
    for name, dtype, text, weights in drawn[arguments.skip:]:
        model = folder / f"{name}.mlir"
        model.write_text(f"module {{\n{text}\n}}\n")
        regret.problems.write_weights(model.with_suffix(".safetensors"),
                                      weights, dtype, 0)
        yield Case(arguments, folder, name, model)
    for model in arguments.models:
        yield Case(arguments, folder, model.stem, model)


def parse(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=regret.ROOT / "build/release/bin")
    parser.add_argument("--target", choices=tuple(regret.DTYPES),
                        default="cpu")
    parser.add_argument("--tunings", type=int, default=20)
    parser.add_argument("--count", type=int, default=8, help="of problems")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0,
                        help="leave out the first problems")
    parser.add_argument("--models", nargs="*", default=[], type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=21,
                        help="of each load order")
    parser.add_argument("--limit-s", type=float, default=math.inf,
                        help="no tuning begins later")
    parser.add_argument("--reports", type=pathlib.Path,
                        help="folder for tuning reports")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args(argv)


def main():
    arguments = parse()
    begun, rows, failed, left_out = time.monotonic(), [], {}, []
    print("| problem or model | tunings | same plan | within 2 % | plans | "
          "other plans' time over it |\n" + "|---" * 6 + "|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases(arguments, pathlib.Path(scratch)):
            tuned, why = [], ""
            for number in range(arguments.tunings):
                if time.monotonic() - begun > arguments.limit_s or why:
                    break
                result, why = case.tune(number)
                tuned += [result] if result else []
            row = None
            if tuned and arguments.reports:
                keep_reports(tuned, arguments.reports)
            if tuned and not why:
                row, why = judge(case, tuned)
            if why:
                failed[case.name] = why
                print(f"| {case.name} | FAILED: {why} |", flush=True)
            elif row:
                rows.append(row)
                print(shown(row), flush=True)
            else:
                left_out.append(case.name)
            if arguments.json:
                arguments.json.write_text(json.dumps(
                    {"rows": rows, "failed": failed, "not_run": left_out},
                    indent=1) + "\n")
    missed = [row["name"] for row in rows if not is_met(row)]
    repeated = sum(row["same"] + row["within"] for row in rows)
    print(f"\n{repeated} of {sum(row['tunings'] for row in rows)} tunings are "
          f"repeated; fewer than {SHARE:.2f} of "
          f"{', '.join(missed) or 'no problem'}; {len(failed)} failed, "
          f"{len(left_out)} not run, {time.monotonic() - begun:.0f} s")
    return 1 if missed or failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
