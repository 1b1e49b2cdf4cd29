# SPDX-License-Identifier: Apache-2.0
"""Whether docs/debugging.md has minic's table of TorchInductor's names."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
table = (root / "compiler/options/InductorNames.cpp").read_text()
docs = (root / "docs/debugging.md").read_text()
help_text = subprocess.run(["minic", "--help"], capture_output=True,
                           text=True).stdout
rows = re.findall(r'\{"([a-z_.]+)",\s*"([^"]*)"', table)
for name, option in rows:
    said = subprocess.run(["minic", "--inductor-option", name],
                          capture_output=True, text=True).stdout
    assert option in said, (name, said)
    assert f"`{name}`" in docs, f"{name} is not in docs/debugging.md"
    flag = option.split("=")[0]
    assert flag in help_text, f"{flag} is no option of minic"
print(len(rows), "names, all in docs/debugging.md, all of minic's options exist")
