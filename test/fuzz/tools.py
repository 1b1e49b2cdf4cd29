# SPDX-License-Identifier: Apache-2.0
"""Compiles functions and compares them with the float64 reference, and says
in one word what came of it."""

import pathlib
import re
import subprocess
import sys
import tempfile

RIGHT = "right"
USAGE, UNSUPPORTED = 2, 4  # docs/exit-codes.md
BATCH = 20


class Verdict:
    def __init__(self, word, message=""):
        self.word, self.message = word, message

    def kind(self):
        """What a smaller graph has to do, too: without names and numbers."""
        return self.word, re.sub(r"%?[@/.\w-]*\d[\w.x-]*", "", self.message)


class Tools:
    def __init__(self, binaries, options, compile_only=False, data_seed=1,
                 timeout=120):
        self.binaries = pathlib.Path(binaries)
        self.options, self.data_seed = options, data_seed
        self.compile_only, self.timeout = compile_only, timeout

    def run(self, *command):
        """Exit status and the line that says the most; None: it hangs."""
        try:
            done = subprocess.run([str(c) for c in command], text=True,
                                  capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return None, f"ran for {self.timeout} s"
        lines = (done.stdout + done.stderr).strip().splitlines()
        return done.returncode, said_most(lines)

    def runs(self, artifact, lines):
        """[(exit status, line that says the most)] of a run of `artifact` for
        each of `lines`, options of minic-run. One process does them all; one
        that it does not come back from, and those after it, get their own."""
        try:
            done = subprocess.run(
                [self.binaries / "minic-run", artifact, "--batch=-"],
                input="".join(f"{line}\n" for line in lines), text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=self.timeout + 2 * len(lines))
            text = done.stdout
        except subprocess.TimeoutExpired as expired:
            text = (expired.stdout or b"").decode(errors="replace")
        found, said = [], []
        for line in text.splitlines():
            ended = re.fullmatch(r"run (\d+): (\d+)", line)
            if ended and int(ended[1]) == len(found):
                found.append((int(ended[2]), said_most(said)))
                said = []
            else:
                said.append(line)
        return found + [self.run(self.binaries / "minic-run", artifact,
                                 *line.split()) for line in lines[len(found):]]

    def compile(self, functions, artifact):
        """`functions` are {name: text}."""
        model = artifact.with_suffix(".mlir")
        model.write_text("\n".join(functions.values()))
        status, line = self.run(
            self.binaries / "minic", model, "-o", artifact,
            f"--tune-db={artifact.with_suffix('.db')}", *self.options)
        if status == USAGE:
            sys.exit(line)
        return status, line

    def check(self, functions):
        """{name: Verdict} of all functions; those that do not compile are
        found by halves."""
        with tempfile.TemporaryDirectory() as scratch:
            artifact = pathlib.Path(scratch) / "m.minic"
            status, line = self.compile(functions, artifact)
            if status == 0:
                return self.checked(artifact, list(functions))
        if len(functions) == 1:
            return dict.fromkeys(functions, compile_verdict(status, line))
        items = list(functions.items())
        middle = len(items) // 2
        return {**self.check(dict(items[:middle])),
                **self.check(dict(items[middle:]))}

    def checked(self, artifact, names):
        if self.compile_only:
            return dict.fromkeys(names, Verdict(RIGHT))
        runs = self.runs(artifact, [
            f"--function={name} --seed={self.data_seed} --check"
            for name in names])
        return {name: run_verdict(*run) for name, run in zip(names, runs)}


def said_most(lines):
    told = [line for line in lines if "WRONG" in line or "error:" in line]
    return (told or lines or [""])[0].strip()


def run_verdict(status, line):
    if status == 0:
        return Verdict(RIGHT)
    return Verdict("hung" if status is None else
                   "wrong" if status == 1 else "failed", line)


def compile_verdict(status, line):
    if status == UNSUPPORTED:
        return Verdict("refused", line)
    return Verdict("hung" if status is None else "not compiled",
                   f"exit status {status}: {line}")
