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
        told = [line for line in lines if "WRONG" in line or "error:" in line]
        return done.returncode, (told or lines or [""])[0].strip()

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
                return {name: self.checked(artifact, name)
                        for name in functions}
        if len(functions) == 1:
            return dict.fromkeys(functions, compile_verdict(status, line))
        items = list(functions.items())
        middle = len(items) // 2
        return {**self.check(dict(items[:middle])),
                **self.check(dict(items[middle:]))}

    def checked(self, artifact, name):
        if self.compile_only:
            return Verdict(RIGHT)
        status, line = self.run(
            self.binaries / "minic-run", artifact, f"--function={name}",
            f"--seed={self.data_seed}", "--check")
        if status == 0:
            return Verdict(RIGHT)
        return Verdict("hung" if status is None else
                       "wrong" if status == 1 else "failed", line)


def compile_verdict(status, line):
    if status == UNSUPPORTED:
        return Verdict("refused", line)
    return Verdict("hung" if status is None else "not compiled",
                   f"exit status {status}: {line}")
