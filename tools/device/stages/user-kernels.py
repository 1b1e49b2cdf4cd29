# SPDX-License-Identifier: Apache-2.0
"""What kernels of the user's do when they run: test/inputs/user_kernels.

- Bad ones have two configurations. The first reads or writes what is not its own,
  leaves something unwritten, races, crashes, hangs or wants too much shared memory:
  its row has to be rejected with the reason. The second is right: it and minic's own
  have to be measured after it. The model is compiled, and right. Nothing is left
  behind: no file, no process, no memory of the device. Asked for alone, the first one
  is an error and leaves no artifact.
- Updates and initial contents: a kernel that finds something else in its result stops
  the device, in whatever sample.
- Epilogues: each kind of operand, dtype and op. A softmax that Triton compiled.

A line a case, in user-kernels.json as well; --only takes some."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import common

OF_DEVICE = r"run: a run on CUDA device \d+ failed: CUDA_ERROR_"
# The status of the row, and its reason.
BAD = {
    "cuda": {
        "wrong": ("wrong", r"output \S+: expected .* got 0\.0099"),
        "beyond": ("wrong", r"memory around output \S+ was written"),
        "unwritten": ("wrong", r"element 999 of 1000 was not written"),
        "reads": ("wrong", r"output \S+\[999\]: expected .* got nan"),
        "operand": ("wrong", r"input \S+ was written"),
        "race": ("wrong", r"output \S+: expected 64000"),
        "far": ("crashed", OF_DEVICE + "ILLEGAL_ADDRESS"),
        "crash": ("crashed", OF_DEVICE + "ILLEGAL_ADDRESS"),
        "begins": ("crashed", OF_DEVICE + r"(LAUNCH_FAILED|ILLEGAL_INSTRUCTION)"),
        "shared": ("unavailable", r"bytes of shared memory a block: expected at "
                   r"most \d+ on this device, got \d+"),
        "hang": ("hung", r"no answer in 10 s"),
    },
    # Some, to try the stage itself without a GPU.
    "cpu": {
        "wrong": ("wrong", r"output \S+: expected .* got 0\.0099"),
        "beyond": ("wrong", r"memory around output \S+ was written"),
        "unwritten": ("wrong", r"element 999 of 1000 was not written"),
        "operand": ("wrong", r"input \S+ was written"),
        "crash": ("crashed", r"run: .*signal 11"),
        "hang": ("hung", r"no answer in 10 s"),
    },
}
MODELS = {
    "cuda": {"memory": "memory_cuda.mlir", "epilogue": "epilogue_cuda.mlir",
             "triton": "softmax.mlir"},
    "cpu": {},
}
# Functions whose kernel takes all that follows it.
FUSED = ("arithmetic", "functions", "angles", "dtypes", "half", "brain",
         "scalar", "beside")

parser = common.parser(__doc__)
parser.add_argument("--target", choices=list(BAD), default="cuda")
parser.add_argument("--only", default="", help="some of the names, by commas")
parser.add_argument("--limit-s", type=float, default=540,
                    help="what is left by then is not run")
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
BIN = arguments.root / "bin"
INPUTS = arguments.root / "test/inputs/user_kernels"
common.find_library("MINIC_NVRTC_LIBRARY", "libnvrtc.so.13")
start = time.monotonic()


class Failed(Exception):
    """What is not as it has to be."""


def left():
    return arguments.limit_s - (time.monotonic() - start)


def device_mib():
    """What is in use on the GPU; None where nobody says."""
    status, text = (common.run("nvidia-smi", "--query-gpu=memory.used",
                               "--format=csv,noheader,nounits", timeout=30)
                    if shutil.which("nvidia-smi") else (1, ""))
    found = re.findall(r"^\d+$", text, re.M) if status == 0 else []
    return sum(map(int, found)) if found else None


class Case:
    """A folder with the sources, and another for minic's temporary files."""

    def __init__(self, folder):
        self.folder, self.scratch = folder / "case", folder / "scratch"
        shutil.copytree(INPUTS, self.folder)
        self.scratch.mkdir(mode=0o700)
        self.sources = set(self.folder.iterdir())
        self.environment = os.environ | {
            name: str(self.scratch) for name in ("TMPDIR", "XDG_RUNTIME_DIR")}
        self.used = device_mib()

    def minic(self, model, *options, artifact="out.minic"):
        """(exit status, what it said), where it ends in time."""
        status, text = common.run(
            BIN / "minic", f"--target={arguments.target}",
            "--mode=max-autotune", "--search=offered",
            f"--tune-db={self.folder / 'fresh.db'}",
            f"--tune-report={self.folder / 'report.json'}",
            "--log=autotuning", *options, *arguments.option,
            self.folder / model, "-o", self.folder / artifact,
            timeout=max(1, left()), env=self.environment)
        if status == 124:
            raise Failed("the tuning did not end")
        if refused := re.search(r"warning: .*its reference is used.*", text):
            raise Failed(refused[0])  # no NVRTC, say
        return status, text

    def forget(self):
        for path in self.folder.glob("fresh.db*"):
            path.unlink()

    def problems(self):
        return json.loads((self.folder / "report.json").read_text())["problems"]

    def check(self, artifact="out.minic", *options):
        status, text = common.run(
            BIN / "minic-run", self.folder / artifact, "--check", *options,
            timeout=120, env=self.environment)
        if status != 0:
            raise Failed(f"{' '.join((artifact, *options))}: result: "
                         f"{common.last_line(text)}")

    def check_nothing_left(self, *expected):
        """Files of minic's, processes that it started, memory of the device."""
        names = {"fresh.db", "report.json", *expected}
        files = [path.name for path in self.folder.iterdir()
                 if path not in self.sources and path.name not in names
                 and not path.name.startswith("fresh.db-")]
        files += [path.name for path in self.scratch.iterdir()]
        if files:
            raise Failed(f"left behind: {', '.join(sorted(files))}")
        if processes := self.processes():
            raise Failed(f"still runs: {', '.join(processes)}")
        for _ in range(20):
            used = device_mib()
            if used is None or used <= self.used + 16:
                return
            time.sleep(0.25)
        raise Failed(f"{used} MiB of the device in use, {self.used} before")

    def processes(self):
        """Those that have this case's folder in their environment."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                said = (entry / "environ").read_bytes()
                name = (entry / "comm").read_text().strip()
            except OSError:
                continue  # ended, or another's
            if str(self.scratch).encode() in said:
                found.append(f"{name} {entry.name}")
        return found


def row_text(row):
    return f"{row['name']}: {row['status']}: {row['reason']}"


def is_timed(row):
    return (row["status"] == "verified"
            and bool(row.get("time_us") or row.get("screen_us")))


def only(rows, what, wanted):
    found = [row for row in rows if wanted(row)]
    if not found:
        raise Failed(f"no {what} among "
                     + ", ".join(row["name"] for row in rows))
    return found


def check_rows(name, problem):
    """The bad row, where all are as they have to be."""
    rows = problem["record"]["rows"]
    status, reason = BAD[arguments.target][name]
    bad, = only(rows, "bad row",
                lambda row: row["name"] == f"user @{name} BAD=1")
    if bad["status"] != status or not re.search(reason, bad["reason"]):
        raise Failed(f"expected {status}: {reason}, got {row_text(bad)}")
    others = (only(rows, "right row",
                   lambda row: row["name"] == f"user @{name} BAD=0")
              + only(rows, "row of minic's own",
                     lambda row: row["label"] == "generated"))
    for row in others:
        if rows.index(row) > rows.index(bad) and not is_timed(row):
            raise Failed(f"not measured after it: {row_text(row)}")
    if not any(rows.index(row) > rows.index(bad) for row in others):
        raise Failed("nothing was measured after it")
    if "BAD=1" in problem["chosen"]:
        raise Failed(f"chosen: {problem['chosen']}")
    return bad


def bad(name, case):
    model = "race" if name == "race" else "bad"
    text = (case.folder / f"{model}_{arguments.target}.mlir").read_text()
    text = text.replace("KERNEL", name)
    if name == "shared":
        # All that a block of an H100 may have, beside what the source has.
        text = text.replace('shared = "0"', 'shared = "BAD * 232448"')
    (case.folder / "model.mlir").write_text(text)
    (case.folder / "alone.mlir").write_text(text.replace("[1, 0]", "1"))
    begun = time.monotonic()
    status, said = case.minic("model.mlir")
    seconds = time.monotonic() - begun
    if status != 0:
        raise Failed(f"minic: {common.last_line(said)}")
    problem, = case.problems()
    row = check_rows(name, problem)
    if f"rejected: {row['name']} ({row['status']}: " not in said:
        raise Failed("no line says that it was rejected")
    case.check()
    case.check_nothing_left("model.mlir", "alone.mlir", "out.minic")
    case.forget()
    status, said = case.minic("alone.mlir", "--gemm-backends=user",
                              artifact="alone.minic")
    if status <= 0 or (case.folder / "alone.minic").exists():
        raise Failed(f"alone: exit status {status}, expected an error and no "
                     "artifact")
    case.check_nothing_left("model.mlir", "alone.mlir", "out.minic")
    return (f"{row_text(row)}; chosen: {problem['chosen']}, right; nothing left; "
            f"tuned in {seconds:.1f} s; alone: exit status {status}")


def all_verified(problems):
    """How many rows of the user's there are, all of them verified."""
    count = 0
    for problem in problems:
        rows = only(problem["record"]["rows"], "row of the user's",
                    lambda row: row["label"] == "user")
        for row in rows:
            if not is_timed(row):
                raise Failed(row_text(row))
        count += len(rows)
    return count


def good(name, case):
    """Beside minic's own rows, and then alone: what runs is the kernel."""
    model = MODELS[arguments.target][name]
    status, said = case.minic(model)
    if status != 0:
        raise Failed(f"minic: {common.last_line(said)}")
    count = all_verified(case.problems())
    case.forget()
    status, said = case.minic(model, "--gemm-backends=user",
                              artifact="alone.minic")
    if status != 0:
        raise Failed(f"alone: {common.last_line(said)}")
    all_verified(case.problems())
    if name == "epilogue":
        check_fused(said)
    functions = re.findall(r"^func\.func @(\w+)",
                           (case.folder / model).read_text(), re.M)
    for function in functions:
        for artifact in ("out.minic", "alone.minic"):
            case.check(artifact, f"--function={function}", "--repeat=3")
    case.check_nothing_left("out.minic", "alone.minic")
    return (f"{count} rows verified and timed; {len(functions)} functions right, "
            "as chosen and with the kernel alone; nothing left")


def check_fused(said):
    """What `minic` says that each function runs."""
    for function in FUSED:
        if not re.search(rf"^  @{function} \S.*: user @\w+ epilogue,", said,
                         re.M):
            raise Failed(f"@{function} does not run as one launch")


CASES = {name: bad for name in BAD[arguments.target]}
CASES |= {name: good for name in MODELS[arguments.target]}
wanted = [n for n in arguments.only.split(",") if n] or list(CASES)
if unknown := [name for name in wanted if name not in CASES]:
    sys.exit(f"user-kernels: error: --only: expected some of {', '.join(CASES)}, "
             f"got {', '.join(unknown)}")
failed, skipped, lines = [], [], {}
for name in wanted:
    if left() <= 0:
        skipped.append(name)
        continue
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            lines[name] = CASES[name](name, Case(pathlib.Path(scratch)))
        except (Failed, OSError, KeyError, ValueError,
                subprocess.SubprocessError) as why:
            failed.append(name)
            lines[name] = f"FAILED: {type(why).__name__}: {why}"
    print(f"{name}: {lines[name][:400]} [{time.monotonic() - begun:.1f} s]",
          flush=True)
    common.write_json(arguments.out / "user-kernels.json", lines)
print(f"===== {len(lines) - len(failed)} of {len(wanted)} passed, failed: "
      f"{', '.join(failed) or 'none'}; not run: {', '.join(skipped) or 'none'}")
sys.exit(1 if failed or skipped else 0)
