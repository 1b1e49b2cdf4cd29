# SPDX-License-Identifier: Apache-2.0
"""Self-checking problems: one function for each op, dtype and shape.

A problem names its op, which is its tag. Where data matters beside the random
numbers of minic-run, it brings some by argument."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz"))
from tensors import tensor  # noqa: E402


class Problem:
    def __init__(self, tag, name, arguments, op, result, data=None,
                 random=True, before=(), updates=None):
        """`arguments` are {name: (shape, dtype)}; `result` is one such type,
        or a list of them; `data` are {kind: {argument: values}}. Without
        `random`, numbers that nobody chose are no data for it. The lines
        `before` are what stands ahead of the op. The first result is the
        argument `updates` in its own memory."""
        self.tag, self.name, self.arguments = tag, name, arguments
        self.random = random
        self.op, self.data = op, data or {}
        self.before, self.updates = before, updates
        self.results = result if isinstance(result, list) else [result]

    def text(self):
        inputs = ", ".join(f"%{name}: {tensor(*type_)}"
                           for name, type_ in self.arguments.items())
        types = ", ".join(tensor(*result) for result in self.results)
        names = ", ".join(f"%r{i}" for i in range(len(self.results)))
        declared = types
        if self.updates:
            number = list(self.arguments).index(self.updates)
            declared = " ".join((tensor(*self.results[0]),
                                 f"{{graph.in_place = {number} : i64}}"))
        before = "".join(f"  {line}\n" for line in self.before)
        return (f"func.func @{self.name}({inputs}) -> ({declared}) {{\n"
                f"{before}  {names} = graph.{self.op}\n"
                f"  return {names} : {types}\n}}\n")


def functional(arguments, results):
    """"(types) -> types" of an op that reads all arguments."""
    inputs = ", ".join(tensor(*type_) for type_ in arguments.values())
    outputs = ", ".join(tensor(*type_) for type_ in results)
    return f"({inputs}) -> ({outputs})" if len(results) > 1 else \
        f"({inputs}) -> {outputs}"
