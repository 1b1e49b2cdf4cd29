# SPDX-License-Identifier: Apache-2.0
"""minic.compile: options, errors, progress, Ctrl-C."""

import os
import pathlib
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import minic
import models


class Compile(unittest.TestCase):
    def setUp(self):
        self.model = models.write(models.relu())

    def test_default_output(self):
        path = minic.compile(self.model, target="cpu")
        self.assertEqual(path, self.model.with_suffix(".minic"))
        self.assertTrue(path.is_file())

    def test_output_and_options(self):
        output = self.model.with_name("other.minic")
        db = self.model.with_name("tuning.db")
        lines = []
        path = minic.compile(str(self.model), str(output), target="cpu",
                             mode="max-autotune", db=db, threads=1,
                             tune_budget="1s", deterministic=True,
                             whole_model_check="off", progress=lines.append)
        self.assertEqual(path, output)
        self.assertTrue(db.is_file())
        self.assertFalse(self.model.with_suffix(".minic").exists())
        self.assertEqual(minic.load(path).mode, "tuned")
        self.assertTrue(any(line.startswith("AUTOTUNE ") for line in lines),
                        lines)
        self.assertTrue(any(line.startswith("tuning 1 of 1: ")
                            for line in lines), lines)
        self.assertTrue(lines[-1].startswith("  @main"), lines)
        self.assertFalse(any("\x1b" in line for line in lines), lines)

    def test_errors_are_the_compilers_line(self):
        def refuses(error, line, *arguments, **options):
            with self.assertRaises(error) as raised:
                minic.compile(*arguments, **options)
            self.assertRegex(str(raised.exception), line)
            self.assertNotIn("\n", str(raised.exception))

        refuses(minic.InvalidInputError, "no-such.onnx", "no-such.onnx")
        refuses(minic.InvalidInputError, "--mode", self.model, mode="fastest")
        refuses(minic.InvalidInputError, "frobnicate", self.model,
                frobnicate=1)
        refuses(minic.UnsupportedError, "^unsupported: --input-alignment=48, "
                "expected a power of two$", self.model, target="cpu",
                input_alignment=48)
        refuses(minic.InvalidInputError, "model.mlir", models.write("nonsense"))
        with mock.patch.dict(os.environ, MINIC_COMPILER="/no/such/minic"):
            refuses(minic.UnsupportedError,
                    "^/no/such/minic: No such file or directory$", self.model)
        with mock.patch.dict(os.environ, MINIC_COMPILER="/bin/false"):
            refuses(minic.InternalError, "^the compiler ended with exit code "
                    "1: it said nothing$", self.model)

    def test_without_a_compiler(self):
        with mock.patch.dict(os.environ, PATH="/none"), \
                mock.patch.dict(sys.modules, minic_compiler=None):
            os.environ.pop("MINIC_COMPILER", None)
            with self.assertRaisesRegex(minic.UnsupportedError,
                                        "^minic.compile needs the compiler: "):
                minic.compile(self.model)

    def test_ctrl_c(self):
        """KeyboardInterrupt at once, and nothing is left behind."""
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder, "product.mlir")
            model.write_text(models.product(2048))
            db = pathlib.Path(folder, "tuning.db")
            begun = []

            def interrupt(line):
                # While it measures.
                if not begun:
                    begun.append(time.monotonic())
                    os.kill(os.getpid(), signal.SIGINT)

            with self.assertRaises(KeyboardInterrupt):
                minic.compile(model, target="cpu", mode="max-autotune", db=db,
                              progress=interrupt)
            self.assertLess(time.monotonic() - begun[0], 10)
            left = {path.name.split("-")[0]
                    for path in pathlib.Path(folder).iterdir()}
            self.assertLessEqual(left, {"product.mlir", "tuning.db"})

    def test_in_a_thread(self):
        done = []
        thread = threading.Thread(
            target=lambda: done.append(minic.compile(self.model, target="cpu")))
        thread.start()
        thread.join()
        self.assertTrue(done[0].is_file())


if __name__ == "__main__":
    unittest.main()
