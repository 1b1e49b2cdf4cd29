# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/inference, as the READMEs have them run."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import minic
import models

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "examples" / "models" / "models.py"


def run(program, *arguments):
    path = ROOT / "examples" / "inference" / program
    done = subprocess.run([sys.executable, path, *map(str, arguments)],
                          text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


class Inference(unittest.TestCase):
    def test_runs(self):
        self.assertEqual(run("inference.py", models.artifact(models.relu())),
                         (0, "x -> y: 0\n", ""))

    def test_says_what_is_wrong(self):
        code, out, line = run("inference.py", "/no/such.minic")
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(line, "^inference: .*/no/such.minic.*\n$")


class Generate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.artifact = cls.make("gpt2_cached")

    @classmethod
    def make(cls, model, *options):
        path = pathlib.Path(cls.folder.name, f"{model}{len(options)}.mlir")
        subprocess.run([sys.executable, MODELS, model, "--size=tiny", *options,
                        "-o", path], check=True, stdout=subprocess.DEVNULL)
        return minic.compile(path, target="cpu", threads=1)

    def test_takes_any_model_with_such_functions(self):
        code, out, errors = run("generate.py", self.make("llama_cached"), 10,
                                5, 17, 99, 0)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(len(out.splitlines()[0].split()), 14)

    def test_generates_what_is_likeliest(self):
        # All that the cache holds, and one more.
        code, out, errors = run("generate.py", self.artifact, 10, 5, 17, 99, 0)
        self.assertEqual((code, errors), (0, ""))
        tokens, took = out.splitlines()
        self.assertRegex(
            took, r"^prompt: [0-9.]+ ms; then [0-9.]+ tokens a second$")
        self.assertTrue(tokens.startswith("5 17 99 0 "))
        compiler = pathlib.Path(os.environ["MINIC_COMPILER"])
        check = ROOT / "test" / "models" / "check_generated.py"
        self.assertEqual(
            subprocess.run([sys.executable, check, compiler.parent,
                            self.folder.name, "4", *tokens.split()],
                           check=True, text=True, capture_output=True).stdout,
            "10 tokens are the likeliest\n")

    def test_says_what_is_wrong(self):
        limits = "expected a prompt of at most 7 tokens and 14 in all"
        known = "expected the functions of gpt2_cached, with a batch of 1"
        for arguments, code, line in (
                ((self.artifact, 11, 5, 17, 99, 0), 1, limits),
                ((self.artifact, 1, *[1] * 8), 1, limits),
                ((self.make("gpt2_cached", "--batch=2"), 1, 1), 1, known),
                ((models.artifact(models.relu()), 1, 1), 1,
                 "no function 'prefill'"),
                ((self.artifact, 1), 2, "usage: "),
                ((self.artifact, "x", 1), 2, "usage: ")):
            with self.subTest(line, arguments=arguments):
                got, out, errors = run("generate.py", *arguments)
                self.assertEqual((got, out), (code, ""))
                self.assertIn(line, errors)
                self.assertEqual(errors.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
