#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every op in every dtype at awkward shapes against the reference.

    test/conformance/conformance.py [--only OP...] [OPTIONS OF minic]
    test/conformance/conformance.py --every-candidate --only softmax

Each problem runs on random data, and on peaked, special or other data where it
brings some. --every-candidate pins each candidate of each problem in turn, so
that each kernel family and library meets all data."""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fuzz"))
from arrays import npy  # noqa: E402
import convolution_problems  # noqa: E402
import image_problems  # noqa: E402
import move_problems  # noqa: E402
import pointwise_problems  # noqa: E402
import product_problems  # noqa: E402
import row_problems  # noqa: E402
from tools import BATCH, RIGHT, Tools, Verdict, compile_verdict, \
    run_verdict  # noqa: E402

NOT_BEGUN = "not begun"

GROUPS = {"rows": row_problems, "pointwise": pointwise_problems,
          "moves": move_problems, "products": product_problems,
          "convolutions": convolution_problems, "images": image_problems}


class Conformance:
    """Begins nothing `limit_s` seconds from now on."""

    def __init__(self, tools, limit_s):
        self.tools = tools
        self.end = time.monotonic() + limit_s

    def is_late(self):
        return time.monotonic() > self.end

    def run(self, problems, artifact, prepared=None):
        """[(problem and kind of data, Verdict)] of compiled problems.
        `prepared`: one's data but for what is random, or part of it."""
        names, lines = [], []
        for problem in problems:
            kinds = {**({"random": {}} if problem.random else {}),
                     **(problem.data if prepared is None else prepared)}
            for kind, data in kinds.items():
                line = f"--dtype=bf16 --function={problem.name} --check"
                for name, values in data.items():
                    path = artifact.with_name(f"{len(lines)}.{name}.npy")
                    path.write_bytes(npy(*problem.arguments[name], values))
                    line += f" --input={name}={path}"
                names.append((problem.name, kind))
                lines.append(line)
        return [(name, kind, run_verdict(*run)) for (name, kind), run in
                zip(names, self.tools.runs(artifact, lines))]

    def check(self, problems):
        """[(what, Verdict)] with the candidates that minic chooses."""
        with tempfile.TemporaryDirectory() as scratch:
            artifact = pathlib.Path(scratch) / "m.minic"
            status, line = self.tools.compile(
                {problem.name: problem.text() for problem in problems},
                artifact)
            if status == 0:
                if self.tools.compile_only:
                    return [(p.name, Verdict(RIGHT)) for p in problems]
                return [(f"{name}, {kind}", verdict) for name, kind, verdict
                        in self.run(problems, artifact)]
        if len(problems) == 1:
            return [(problems[0].name, compile_verdict(status, line))]
        middle = len(problems) // 2
        return self.check(problems[:middle]) + self.check(problems[middle:])

    def check_each_candidate(self, problems):
        return [row for problem in problems
                for row in self.check_candidates(problem)]

    def check_candidates(self, problem):
        """[(what, Verdict)] with each candidate pinned that the tuner finds
        and can build."""
        # A candidate is pinned for a whole model, so the problem stays one
        # fusion: no relayouts of images.
        options = [*self.tools.options, "--assign-layouts=off"]
        with tempfile.TemporaryDirectory() as scratch:
            artifact = pathlib.Path(scratch) / "m.minic"
            report = pathlib.Path(scratch) / "report.json"
            tuning = Tools(self.tools.binaries, [
                *options, "--mode=max-autotune",
                "--search=offered", "--whole-model-check=off",
                f"--tune-report={report}"])
            status, line = tuning.compile({"": problem.text()}, artifact)
            if status != 0:
                return [(problem.name, compile_verdict(status, line))]
            rows = [row for entry in json.loads(report.read_text())["problems"]
                    for row in entry["record"]["rows"]]
            verdicts = [
                (f"{problem.name} {row['name']}",
                 Verdict(row["status"], row["reason"])) for row in rows
                if row["status"] in ("wrong", "crashed", "hung")]
            for name in dict.fromkeys(row["name"] for row in rows
                                      if row["status"] == "verified"):
                if self.is_late():
                    verdicts.append((f"{problem.name} {name}",
                                     Verdict(NOT_BEGUN)))
                    continue
                # What is said to lose a NaN is held to numbers.
                prepared = {kind: values for kind, values in problem.data.items()
                            if kind != "special" or "(NaN lost" not in name}
                pinned = Tools(self.tools.binaries,
                               [*options, f"--candidate={name}"])
                status, line = pinned.compile({"": problem.text()}, artifact)
                ran = self.run([problem], artifact, prepared) \
                    if status == 0 else \
                    [(problem.name, "compiled", compile_verdict(status, line))]
                verdicts += [(f"{problem.name} {name}, {kind}", verdict)
                             for _, kind, verdict in ran]
            return verdicts


def arguments_of_command():
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=HERE.parents[1] / "build/release/bin")
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=GROUPS)
    parser.add_argument("--only", nargs="+", metavar="OP", default=[])
    parser.add_argument("--without", nargs="+", metavar="WORD", default=[],
                        help="parts of problems' names to leave out")
    parser.add_argument("--every-candidate", action="store_true")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--part", default="1/1", metavar="I/N",
                        help="every Nth problem, starting with the Ith")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=1e9,
                        help="begin nothing after so many seconds")
    return parser.parse_known_args()


def main():
    arguments, options = arguments_of_command()
    part, parts = map(int, arguments.part.split("/"))
    problems = [problem for group in arguments.group
                for problem in GROUPS[group].all_problems()
                if (not arguments.only or problem.tag in arguments.only) and
                not any(word in problem.name for word in arguments.without)]
    problems = problems[part - 1::parts]
    conformance = Conformance(Tools(arguments.bin, options,
                                    arguments.compile_only),
                              arguments.limit_s)
    check = conformance.check_each_candidate if arguments.every_candidate \
        else conformance.check
    begin, words = time.monotonic(), collections.Counter()

    def run(batch):
        return [(problem.name, Verdict(NOT_BEGUN)) for problem in batch] \
            if conformance.is_late() else check(batch)

    size = 1 if arguments.every_candidate else BATCH
    batches = [problems[at:at + size]
               for at in range(0, len(problems), size)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for verdicts in pool.map(run, batches):
            for what, verdict in verdicts:
                words[verdict.word] += 1
                if verdict.word not in (RIGHT, NOT_BEGUN):
                    print(f"{what}: {verdict.word}: {verdict.message}",
                          flush=True)
    print(f"{len(problems)} problems, {time.monotonic() - begin:.0f} s: "
          + ", ".join(f"{count} {word}" for word, count in
                      words.most_common()))
    return 0 if problems and set(words) <= {RIGHT, NOT_BEGUN} else 1


if __name__ == "__main__":
    sys.exit(main())
