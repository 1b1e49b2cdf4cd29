# SPDX-License-Identifier: Apache-2.0
"""What the stages say of what they saw; runs nothing.

A row is a dictionary with the median ratio of tuned over default times and its
95 % interval, `low` and `high`, None where there were too few rounds."""

import re

#: Printed with the table that it explains.
RULE = (
    "slower: the whole interval lies above 1. Such a row is looked at again as "
    "a model\nof its own, with either artifact loaded first: SLOWER is what is "
    "slower in both load\norders, the rest says which. Where memory lies makes "
    "equal plans a few percent apart."
)


def is_slower(row):
    return row["low"] is not None and row["low"] > 1


def is_faster(row):
    return row["high"] is not None and row["high"] < 1


def ratio_text(row):
    interval = ("(too few rounds)" if row["low"] is None else
                f"[{row['low']:.3f}, {row['high']:.3f}]")
    return f"{row['ratio']:.3f} {interval}"


def judge_row(row, equal):
    """Of a function among others; what is "slower" is looked at alone."""
    if equal:
        return "equal plans"
    if row["low"] is None:
        return "too few rounds"
    if is_slower(row):
        return "slower"
    return "faster" if is_faster(row) else "no difference"


def judge_looks(tuned_first, default_first, equal):
    """Of a model of its own, by both load orders."""
    if equal:
        return "equal plans alone"
    slower = [is_slower(tuned_first), is_slower(default_first)]
    if all(slower):
        return "SLOWER"
    if slower[0]:
        return "slower only if loaded first"
    if slower[1]:
        return "slower only if loaded last"
    if is_faster(tuned_first) and is_faster(default_first):
        return "faster alone"
    return "no difference alone"


def shown(tuned_first, default_first):
    """The look that stands in the table: the one that the verdict names, the
    worse of both."""
    return max((tuned_first, default_first),
               key=lambda look: (is_slower(look), look["ratio"]))


def backend_options(backend):
    """minic's options for one kind of backend, of contractions and convolutions
    alike; "" is any. What a library fuses with a convolution is called cudnn."""
    if not backend:
        return []
    convolutions = "cudnn" if backend == "library-fused" else backend
    return [f"--gemm-backends={backend}", f"--conv-backends={convolutions}"]


def judge_check(status, text, most):
    """What is wrong with the results that `minic-run --check` looked at, by its
    exit status and what it said; empty for nothing. Where its bounds say
    nothing, the RMS error may be `most` parts of the RMS."""
    outputs = re.findall(r"^check (\S+): (?:ok|WRONG)", text, re.M)
    if status != 0 or not outputs:
        wrong = re.search(r"^check .* WRONG.*", text, re.M)
        return (wrong[0] if wrong else
                f"exit status {status}: {(text.strip() or '?').splitlines()[-1]}")
    vacuous = re.findall(r"^check (\S+): vacuous, .*the RMS error is (\S+) of it",
                         text, re.M)
    return "; ".join(
        f"{name}: an RMS error of {error} of its RMS, expected at most {most:.3g}"
        for name, error in vacuous if not float(error) <= most)


#: minic's exit status for what it cannot do, though the model is right.
UNSUPPORTED = 4

VERDICTS = ("passed", "unsupported", "FAILED")


def compile_verdict(status):
    """Of a model that did not compile."""
    return "unsupported" if status == UNSUPPORTED else "FAILED"


def count_verdicts(cases):
    """Lines of a table from pairs (backend, verdict): a row for each backend,
    a column for each verdict."""
    backends = list(dict.fromkeys(backend for backend, _ in cases))
    lines = [f"{'':16}" + "".join(f"{verdict:>13}" for verdict in VERDICTS)]
    for name in backends + [None]:
        counts = [sum(verdict == wanted and name in (backend, None)
                      for backend, verdict in cases) for wanted in VERDICTS]
        title = "all" if name is None else name or "any"
        lines.append(f"{title:16}" + "".join(f"{n:13}" for n in counts))
    return lines
