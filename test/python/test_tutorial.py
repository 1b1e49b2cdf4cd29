# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of docs/python.md, as they are printed there."""

import doctest
import os
import pathlib
import tempfile
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


class Tutorial(unittest.TestCase):
    def test_runs_as_printed(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                result = doctest.testfile(
                    str(DOCS / "python.md"), module_relative=False,
                    optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
            finally:
                os.chdir(before)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)


if __name__ == "__main__":
    unittest.main()
