# SPDX-License-Identifier: Apache-2.0
"""The committed list of ONNX's tests that do not pass, with a reason each, and what
differs from it: it is checked both ways."""

# Whether such tests pass depends on the order in which kernels add. They may be
# listed or not.
ROUNDING = ("within two units of the last place: the test rounds to 16 bits after "
            "each step, minic computes in float32 and rounds once")
CANCELLING = ("within four units of the last place of the greatest element: sums "
              "that cancel, and no absolute tolerance for it")
EITHER = (ROUNDING, CANCELLING)
NOT_RUN = "not run"  # for want of time: says nothing


def read(path):
    """{name: reason}"""
    reasons = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            reasons[name] = reason
    return reasons


def write(path, target, verdicts, compiled_only=False):
    """`verdicts`: {name: reason, "" for a test that passes}"""
    reasons = {name: reason for name, reason in verdicts.items() if reason}
    where = "a CPU" if target == "cpu" else "a GPU"
    what = (f"are not compiled for {where} (nothing ran)" if compiled_only
            else f"do not pass on {where}")
    path.write_text(
        f"# ONNX's tests of operators that {what}, and why: "
        f"{len(reasons)} of {len(verdicts)}.\n"
        "# Written by node_tests.py --write, which checks it both ways.\n"
        + "".join(f"{name}: {reasons[name]}\n" for name in sorted(reasons)))


def differences(listed, verdicts, compiled_only=False):
    """A line for each test that is listed and passes, or fails and is not. Where
    tests were compiled only, nothing is known of the results of the others."""
    lines = []
    for name, reason in verdicts.items():
        of_result = listed.get(name, "").startswith("result ")
        if reason == NOT_RUN or reason in EITHER or \
                not reason and (listed.get(name) in EITHER
                                or compiled_only and of_result):
            continue
        if reason and listed.get(name, ROUNDING) in EITHER:
            lines.append(f"{name}: {reason}")
        if not reason and name in listed:
            lines.append(f"{name}: passes, and is listed as: {listed[name]}")
    return lines
