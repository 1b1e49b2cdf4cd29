# SPDX-License-Identifier: Apache-2.0
"""examples/inference/inference.py, as README has it run."""

import pathlib
import subprocess
import sys
import unittest

import models

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "inference" / "inference.py"


def run(*arguments):
    done = subprocess.run([sys.executable, EXAMPLE, *arguments], text=True,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


class Example(unittest.TestCase):
    def test_runs(self):
        self.assertEqual(run(models.artifact(models.relu())),
                         (0, "x -> y: 0\n", ""))

    def test_says_what_is_wrong(self):
        code, out, line = run("/no/such.minic")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(line, "^inference: .*/no/such.minic.*\n$")


if __name__ == "__main__":
    unittest.main()
