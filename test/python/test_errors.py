# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear line each, and nothing is written."""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import unittest

import minic
import models
import numpy as np


class Errors(unittest.TestCase):
    def setUp(self):
        self.relu = models.load(models.relu())
        self.x = np.ones((4, 8), np.float32)

    def refuses(self, line, *arguments, error=minic.InvalidInputError,
                call=None, **named):
        with self.assertRaises(error) as raised:
            (call or self.relu)(*arguments, **named)
        self.assertRegex(str(raised.exception), line)
        self.assertNotIn("\n", str(raised.exception))

    def test_no_tensor(self):
        self.refuses("^input 'x': expected an array or tensor, got list$",
                     [1.0])
        self.refuses("^input 'x': expected an array or tensor, got NoneType$",
                     None)

    def test_expected_digest(self):
        path = models.artifact(models.relu())
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        for expected in (f"sha256:{digest}", digest):
            for artifact in (path, data):
                y = minic.load(artifact, expected_digest=expected)(self.x)
                np.testing.assert_array_equal(y, self.x)
        other = "sha256:" + 64 * "0"
        for artifact, name in ((path, str(path)), (data, "memory")):
            self.refuses(f"^'{name}': digest: expected {other}, got "
                         f"sha256:{digest}$", artifact, call=minic.load,
                         expected_digest=other)
        # Before all else that is wrong with it.
        self.refuses(f"digest: expected {other}, got", b"junk",
                     call=minic.load, expected_digest=other)
        self.refuses("^expected_digest: expected sha256: and 64 hexadecimal "
                     "digits, got 'today'$", path, call=minic.load,
                     expected_digest="today")

    def test_wrong_dtype(self):
        self.refuses("^input 'x': expected dtype f32, got f64$",
                     self.x.astype(np.float64))
        self.refuses("^input 'x': expected dtype f32, got u8$",
                     self.x.astype(np.uint8))
        self.refuses("^input 'x': expected dtype f32, got complex64$",
                     self.x.astype(np.complex64))
        self.refuses("^input 'x': expected elements of one machine type, got "
                     "the format '>f'$", self.x.astype(">f4"))
        self.refuses("^input 'x': expected elements of one machine type, got "
                     "the format 'T{", np.zeros((4, 8), [("a", "f4")]))

    def test_wrong_shape(self):
        self.refuses(r"^input 'x': expected shape \[4, 8\], got \[8, 4\]$",
                     np.ones((8, 4), np.float32))

    def test_not_contiguous(self):
        self.refuses(r"^input 'x': expected dense row-major strides, got "
                     r"\[1, 4\] for shape \[4, 8\]$",
                     np.ones((8, 4), np.float32).T)
        self.refuses("^output 'y': expected dense row-major strides",
                     self.x, out=np.ones((4, 16), np.float32)[:, ::2])

    def test_another_device(self):
        class OnGpu:
            def __init__(self, array):
                self.array = array

            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self, **options):
                raise BufferError("no such device")

        self.refuses("^input 'x': no such device$", OnGpu(self.x))

    def test_number_of_inputs(self):
        self.refuses(r"^expected 1 inputs \(x\), got 0$")
        self.refuses(r"^expected 1 inputs \(x\), got 2$", self.x, self.x)
        self.refuses("^expected inputs x, got one named 'z'$", z=self.x)
        two = models.load(models.two_results())
        self.refuses("^input 'a': given twice$", self.x, a=self.x, call=two)

    def test_out(self):
        self.refuses(r"^out: expected 1 tensors \(y\), got 2$", self.x,
                     out=(self.x, self.x))
        self.refuses("^output 'y': expected an array or tensor, got int$",
                     self.x, out=3)
        y = np.empty_like(self.x)
        y.flags.writeable = False
        self.refuses("^output 'y': expected memory that may be written, got a "
                     "read-only array$", self.x, out=y)
        self.refuses("^output 'y': expected memory of its own, got that of "
                     "input 'x'$", self.x, out=self.x)

    def test_stream_on_a_cpu(self):
        self.refuses("^stream: expected None, for the program runs on the CPU, "
                     "got one$", self.x, stream=0)

    def test_load(self):
        self.refuses("/no/such.minic", "/no/such.minic", call=minic.load)
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "text.minic")
            text.write_text("hello")
            self.refuses("not a minic artifact", text, call=minic.load)
        artifact = models.artifact(models.relu())
        self.refuses("no function 'other'|other", artifact, function="other",
                     call=minic.load)
        self.refuses("^graph: expected 'as-measured', 'off' or 'on', got "
                     "'maybe'$", artifact, graph="maybe", call=minic.load)
        damaged = bytearray(artifact.read_bytes())
        damaged[200] ^= 1
        self.refuses("damaged", bytes(damaged), call=minic.load)
        with self.assertRaises(TypeError):
            minic.load(3)

    def test_bfloat16_without_ml_dtypes(self):
        path = models.artifact(models.relu(dtype="bf16"))
        self.refuses(
            "^'x' is bf16, which NumPy lacks: install ml_dtypes, or pass "
            "tensors of a framework that has it$",
            error=minic.UnsupportedError,
            call=lambda: without("ml_dtypes", path))

    def test_classes(self):
        self.assertTrue(issubclass(minic.InvalidInputError, ValueError))
        for kind in (minic.InvalidInputError, minic.UnsupportedError,
                     minic.OutOfMemoryError, minic.InternalError):
            self.assertTrue(issubclass(kind, minic.Error))


def without(module, path):
    """model.inputs[0].empty() where `module` cannot be imported."""
    kept = sys.modules.get(module)
    sys.modules[module] = None
    try:
        return minic.load(path).inputs[0].empty()
    finally:
        del sys.modules[module]
        if kept:
            sys.modules[module] = kept


REFUSED = ("^minic: one Python interpreter of a process may import it, and "
           ".*\n$")


class Imports(unittest.TestCase):
    def test_numpy_alone_suffices(self):
        """Neither torch nor anything else is imported."""
        program = (
            "import sys; sys.modules['torch'] = None\n"
            "sys.modules['ml_dtypes'] = None\n"
            "import minic, numpy as np\n"
            f"model = minic.load({str(models.artifact(models.relu()))!r})\n"
            "print(model(np.ones((4, 8), np.float32)).sum())\n")
        done = subprocess.run([sys.executable, "-c", program], text=True,
                              capture_output=True)
        self.assertEqual((done.stdout, done.stderr), ("32.0\n", ""))

    def in_sub_interpreters(self, count, first=""):
        """What `count` sub-interpreters print that import minic in turn."""
        program = f"""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
{first}
for other in [interpreters.create() for _ in range({count})]:
    failed = interpreters.run_string(other, '''
try:
    import minic
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
''')
    if failed: print(failed)
"""
        done = subprocess.run([sys.executable, "-c", program], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_sub_interpreter(self):
        self.assertRegex(self.in_sub_interpreters(1, "import minic"), REFUSED)

    def test_two_sub_interpreters(self):
        first, second = self.in_sub_interpreters(2).splitlines(keepends=True)
        # From Python 3.12 on neither may.
        self.assertRegex(first, f"^imported\\n$|{REFUSED}")
        self.assertRegex(second, REFUSED)


if __name__ == "__main__":
    unittest.main()
