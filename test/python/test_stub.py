# SPDX-License-Identifier: Apache-2.0
"""The committed type stub is what nanobind makes of the extension; --write
writes it."""

import pathlib
import sys
import unittest

import minic
from minic import _runtime
from nanobind.stubgen import StubGen


ROOT = pathlib.Path(__file__).resolve().parents[2]
STUB = ROOT / "python" / "minic" / "_runtime.pyi"


def generated():
    stub = StubGen(_runtime)
    stub.put(_runtime)
    return "# SPDX-License-Identifier: Apache-2.0\n" + stub.get()


class Stub(unittest.TestCase):
    def test_is_up_to_date(self):
        self.assertEqual(
            STUB.read_text(), generated(),
            "write it anew: docs/python.md, 'Changing the package'")
        installed = pathlib.Path(minic.__file__).parent
        self.assertEqual((installed / STUB.name).read_text(), STUB.read_text())
        self.assertTrue((installed / "py.typed").exists())

    def test_everything_has_a_docstring(self):
        for name in minic.__all__:
            thing = getattr(minic, name)
            if name != "__version__":
                self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type) and thing.__module__ == "minic._runtime":
                for member, value in vars(thing).items():
                    if not member.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{member}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        STUB.write_text(generated())
    else:
        unittest.main()
