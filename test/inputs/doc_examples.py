# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a page in docs, and compares what they print.

    doc_examples.py [--exact] PAGE.md [SECTION]

Of the page, or of one section. The first ```mlir block, of the section or else of the
page, is model.mlir. In a block without a language, a line "$ command" is run, and the
lines below it have to be what it prints, in order; "..." stands for any lines, or any
text of a line. A command that shows an error has to fail. Figures, what is made of them
(names of schedules) and the name of the machine may be others.

With --exact whole numbers have to be equal but for times and shares. A block of a
shell's language, or a command of minic without "$", is an error: nothing runs it.
"""

import argparse
import pathlib
import re
import subprocess
import sys


def comparable(line, exact):
    line = re.sub(r"__\S+", "__schedule", line)
    line = re.sub(r"^(AUTOTUNE .* on ).*", r"\1machine", line)
    line = re.sub(r", \d+ bytes spilled", "", line)  # not on every machine
    line = re.sub(r"±[\d.]+%|\bfew\b", "spread", line)  # of samples
    if exact:
        line = re.sub(r"\b\d+ (?=[mun]?s\b)|\d+\.\d+(e[+-]?\d+)?", "# ", line)
        line = re.sub(r"^ *\d+ %", "# %", line)
    else:
        line = re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", line)
    line = re.sub(r"# +[mun]s\b", "# s", line)
    return " ".join(line.split())


def same(expected, printed, exact):
    parts = comparable(expected.replace("...", "\0"), exact).split("\0")
    return re.fullmatch(".*".join(map(re.escape, parts)),
                        comparable(printed, exact)) is not None


def agree(expected, printed, exact):
    """Whether `printed` is `expected`, a list in which "..." may be any lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(agree(expected[1:], printed[i:], exact)
                   for i in range(len(printed) + 1))
    return bool(printed) and same(expected[0], printed[0], exact) and agree(
        expected[1:], printed[1:], exact)


def examples(block):
    """(command, lines that it prints) of a block."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *lines = part.rstrip("\n").split("\n")
        yield command, lines


def run(command, lines, exact):
    ran = subprocess.run(command, shell=True, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # Other tests measure, too.
    printed = [line for line in ran.stdout.splitlines()
               if not line.startswith("minic: waiting for another minic")]
    fails = any(" error: " in line for line in lines)
    if (ran.returncode != 0) != fails or not agree(lines, printed, exact):
        sys.exit(f"$ {command}\nexpected\n" + "\n".join(lines) +
                 f"\ngot, exit code {ran.returncode}\n{ran.stdout}")


def blocks_of(text):
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("section", nargs="?")
    options = parser.parse_args()
    page = section = options.page.read_text()
    if options.section:
        section, = re.findall(rf"^## {options.section}\n(.*?)(?=^## |\Z)", page,
                              flags=re.MULTILINE | re.DOTALL)
    models = [text for language, text in blocks_of(section) + blocks_of(page)
              if language == "mlir"]
    if models:
        pathlib.Path("model.mlir").write_text(models[0])
    count = 0
    for language, block in blocks_of(section):
        if options.exact and (language == "sh" or not language and re.search(
                r"^ *minic(-\w+)? ", block, re.MULTILINE)):
            sys.exit("nothing runs\n" + block)
        for command, lines in examples(block if not language else ""):
            run(command, lines, options.exact)
            print(command, flush=True)
            count += 1
    print(count, "commands print what the page shows")


main()
