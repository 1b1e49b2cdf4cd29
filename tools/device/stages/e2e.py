# SPDX-License-Identifier: Apache-2.0
"""Compiles the end-to-end models for the GPU with each kind of backend, for
contractions and convolutions, and compares every function with the float64
reference on random data. A model with a function that a kind of backend cannot
implement is unsupported, a column of its own."""

import concurrent.futures
import re
import sys
import tempfile

import common
import judging

parser = common.parser(__doc__)
parser.add_argument("--only", nargs="*", default=[])
parser.add_argument("--backends", nargs="*",
                    default=["", "generated", "aten", "library-fused"])
parser.add_argument("--jobs", type=int, default=6)
parser.add_argument("--option", action="append", default=[])
arguments = parser.parse_args()
binaries = arguments.root / "bin"
sys.path.append(str(arguments.root / "test/fuzz"))
import tools  # noqa: E402


def check(case):
    model, backend = case
    what = f"{model.name} {backend or 'any'}"
    with tempfile.TemporaryDirectory() as scratch:
        artifact = f"{scratch}/m.minic"
        status, text = common.run(
            binaries / "minic", model, "-o", artifact, "--target=cuda",
            f"--tune-db={scratch}/t.db", *judging.backend_options(backend),
            *arguments.option, timeout=300)
        if status != 0:
            return what, judging.compile_verdict(status), \
                common.last_line(text)
        _, inspected = common.run(binaries / "minic", "inspect", artifact)
        functions = re.findall(r"^function (\S+)", inspected, re.M)
        lines = [f"--function={function} --seed={seed} --check"
                 for function in functions for seed in (1, 2)]
        for line, (status, said) in zip(
                lines, tools.Tools(binaries, []).runs(artifact, lines)):
            if status != 0:
                return what, "FAILED", f"{line}: {said}"
        return what, "passed", f"{len(functions)} functions"


models = sorted((arguments.root / "test/e2e").glob("*.mlir"))
models = [m for m in models
          if "safetensors" not in m.read_text() and  # lit makes that file
          (not arguments.only or any(o in m.name for o in arguments.only))]
cases = [(m, b) for m in models for b in arguments.backends]
verdicts = []
with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
    for (_, backend), (what, verdict, detail) in zip(cases,
                                                     pool.map(check, cases)):
        verdicts.append((backend, verdict))
        print(f"{what}: {verdict}: {detail}", flush=True)
print("\n".join(judging.count_verdicts(verdicts)))
sys.exit(1 if "FAILED" in (verdict for _, verdict in verdicts) else 0)
