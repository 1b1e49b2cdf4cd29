# SPDX-License-Identifier: Apache-2.0
"""Runs a compiled model once, in Python. Usage: inference.py model.minic

Models with one input and one output. docs/python.md says how to install minic.
"""

import sys

import minic
import numpy as np

if len(sys.argv) != 2:
    sys.exit("usage: inference.py model.minic")
try:
    model = minic.load(sys.argv[1])
    x = model.inputs[0].empty()
    x.flat = np.arange(x.size) % 8 / 8
    y = model(x)
except minic.Error as error:
    sys.exit(f"inference: {error}")
print(f"{model.inputs[0].name} -> {model.outputs[0].name}: {y.flat[0]:g}")
