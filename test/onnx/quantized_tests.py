#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX's and ONNX Runtime's quantized ops through minic.

    .venv/bin/python test/onnx/quantized_tests.py [--only OP...]
    PYTHON test/onnx/quantized_tests.py --onnxruntime    checks the formulas

As contrib_tests.py does, with the cases of quantized_cases.py. Bytes and
integers are those that NumPy's integers say, without a tolerance.
"""

import sys

import contrib_tests
import quantized_cases

if __name__ == "__main__":
    sys.exit(contrib_tests.main(__doc__, quantized_cases.cases()))
