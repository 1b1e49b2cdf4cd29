#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX Runtime's own ops (domain com.microsoft) through minic.

    .venv/bin/python test/onnx/contrib_tests.py [--only OP...]
    PYTHON test/onnx/contrib_tests.py --onnxruntime    checks the formulas

Cases (contrib_cases.py, contrib_attention.py) are models of one node, random
inputs and what a formula in float64 says. --onnxruntime compares the formulas
with ONNX Runtime instead, where PYTHON has it: that is how they are known to be
right.
"""

import sys

import numpy

import contrib_attention
import contrib_cases
from node_tests import Runner, argument_parser, only, options


# What ONNX Runtime says of what it has not, or for scalars alone.
LACKS = ("not implemented", "NOT_IMPLEMENTED", "must be a scalar")


def by_onnxruntime(case):
    """What is wrong with the formula of `case`; empty for nothing."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            case.model.SerializeToString(), options,
            providers=["CPUExecutionProvider"])
        got = session.run(None, case.inputs)
    except Exception as error:  # it has classes of its own
        if not any(text in str(error) for text in LACKS):
            raise
        print(f"{case.name}: not implemented by ONNX Runtime")
        return ""
    for k, (theirs, ours) in enumerate(zip(got, case.outputs, strict=True)):
        if theirs.shape != ours.shape or theirs.dtype != ours.dtype:
            return (f"result {k} is {theirs.dtype}{list(theirs.shape)}, the "
                    f"formula says {ours.dtype}{list(ours.shape)}")
        worst = numpy.max(abs(theirs.astype(float) - ours))
        if not worst <= 1e-4:
            return f"result {k} differs by {worst}"
    return ""


def main(text, every):
    """Runs the cases `every`; `text` describes the program."""
    parser = argument_parser(text)
    parser.add_argument("--onnxruntime", action="store_true")
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    arguments = parser.parse_args()
    cases = only(arguments.only, every)
    if arguments.onnxruntime:
        verdicts = {case.name: by_onnxruntime(case) for case in cases}
    else:
        verdicts = {}
        with options(arguments.target) as chosen:
            runner = Runner(arguments.bin, chosen)
            for opset in sorted({case.opset for case in cases}):
                verdicts.update(
                    runner.check([c for c in cases if c.opset == opset]))
    wrong = {name: why for name, why in verdicts.items() if why}
    for name, why in wrong.items():
        print(f"{name}: {why}")
    print(f"{len(cases)} cases: {len(cases) - len(wrong)} pass")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main(__doc__, [*contrib_cases.cases(),
                            *contrib_attention.cases()]))
