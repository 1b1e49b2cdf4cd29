# SPDX-License-Identifier: Apache-2.0
"""Kernels that minic did not write, beside its own rows: the examples of
examples/kernels (vector_add, sin, add_gelu, linear_epilogue, and softmax, which
this machine's Triton compiles), a generated kernel's own code as a user's (equal), and a
plug-in's GEMMs on ten problems (cutlass-1 to cutlass-10).

Each is tuned alone, and its line is printed as soon as it is known. --only
names some of them; kernels.json keeps the lines of runs before.

Limits: a user's kernel with the code of a generated one takes the same time (the
95 % interval of their ratio meets [0.98, 1.02]); a configuration costs tuning at
most 150 ms more than its compiler's own time, by the medians of three tunings with
and without it."""

import ctypes
import json
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time

import common

EXAMPLES = {
    "cuda": {"vector_add": ("vector_add_cuda.mlir", "--dim=N=1048576"),
             "sin": ("sin_cuda.mlir",), "add_gelu": ("add_gelu.mlir",),
             "linear_epilogue": ("linear_epilogue_cuda.mlir",),
             "softmax": ("softmax.mlir",)},
    "cpu": {"vector_add": ("vector_add.mlir", "--dim=N=100000"),
            "sin": ("sin.mlir",),
            "linear_epilogue": ("linear_epilogue.mlir",),
            "relu_avx512": ("relu_avx512.mlir",)},
}
# M, N, K, what follows.
PROBLEMS = [(4096, 4096, 4096, ""), (2048, 1280, 3424, ""),
            (512, 768, 768, "bias"), (512, 3072, 768, "bias gelu"),
            (512, 768, 3072, "add"), (256, 1024, 1024, "bias relu"),
            (8192, 1024, 1024, "bias relu"), (1024, 4096, 4096, "add"),
            (4096, 11008, 4096, ""), (128, 4096, 4096, "")]
EQUAL = """func.func @main(%a: tensor<4000000xf32>, %b: tensor<4000000xf32>)
    -> tensor<4000000xf32> {
  %0 = graph.add %a, %b : tensor<4000000xf32>
  %1 = graph.gelu %0 : tensor<4000000xf32>
  return %1 : tensor<4000000xf32>
}
"""
WRAPPED = """func.func @main(%a: tensor<4000000xf32>, %b: tensor<4000000xf32>)
    -> tensor<4000000xf32> {{
  %0 = graph.kernel @same(%a, %b) {{language = "ptx", files = ["same.ptx"],
      entry = "{entry}", configs = [{{THREADS = {threads}}}], grid = "{grid}",
      block = "THREADS", reference = @body}}
    : (tensor<4000000xf32>, tensor<4000000xf32>) -> tensor<4000000xf32>
  return %0 : tensor<4000000xf32>
}}
"""
MOST_MS, NEAR = 150, (0.98, 1.02)
TUNINGS = 3  # with and without the user's kernel, whose medians are compared

parser = common.parser(__doc__)
parser.add_argument("--target", choices=list(EXAMPLES), default="cuda")
parser.add_argument("--only", default="", help="some of the names, by commas")
parser.add_argument("--plugin", type=pathlib.Path,
                    help="cutlass.so; as packed, where it was")
parser.add_argument("--rounds", type=int, default=31)
parser.add_argument("--limit-s", type=float, default=540,
                    help="what is left by then is not run")
parser.add_argument("--option", action="append", default=[], help="of minic")
arguments = parser.parse_args()
sys.path[:0] = [str(arguments.root / "test/bench")]
import paired  # noqa: E402

BIN = arguments.root / "bin"
KERNELS = arguments.root / "examples/kernels"
plugin = arguments.plugin or arguments.root / "plugins/cutlass.so"
nvrtc_library = common.find_library("MINIC_NVRTC_LIBRARY", "libnvrtc.so.13")
start = time.monotonic()
store = arguments.out / "kernels.json"
rows = json.loads(store.read_text()) if store.exists() else {}
# Where a GPU is only described, the stage itself can be tried: nothing is timed.
described = any("device-profile" in option for option in arguments.option)


class NotRun(Exception):
    """Why."""


def left():
    return arguments.limit_s - (time.monotonic() - start)


def minic(model, *options, tuned=True):
    """(wall seconds, what it said, the report's first problem)."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    begun = time.monotonic()
    target = [o for o in (*arguments.option, *options)
              if o.startswith("--target=")][-1:] or [
                  f"--target={arguments.target}"]
    status, text = common.run(
        BIN / "minic", *target,
        *(["--mode=max-autotune", "--whole-model-check=off",
           f"--tune-db={folder / f'{time.monotonic_ns()}.db'}",
           f"--tune-report={report}"] if tuned and not described else
          [f"--tune-db={folder / 'none.db'}"]),
        *(o for o in (*arguments.option, *options)
          if not o.startswith("--target=")),
        model, "-o", folder / "out.minic", timeout=max(1, left()))
    if status != 0:
        raise RuntimeError(common.last_line(text))
    problems = (json.loads(report.read_text())["problems"]
                if report.exists() else [])
    return time.monotonic() - begun, text, problems[0] if problems else None


def best(problem, *labels):
    timed = [row for row in problem["record"]["rows"]
             if row["label"] in labels and row["status"] == "verified"
             and (row.get("time_us") or row.get("screen_us"))]
    return min(timed, default=None,
               key=lambda row: row.get("time_us") or row.get("screen_us"))


def figure(row):
    """As a table of its own says it: name, time, error."""
    if row is None:
        return None
    return {"name": row["name"], "us": row.get("time_us") or row["screen_us"],
            "screen": not row.get("time_us"),
            "error": row.get("max_absolute_error")}


def beside(problem, ours, *others):
    """The best row of `ours` beside those of each group of labels."""
    mine = [row for row in problem["record"]["rows"] if row["label"] == ours]
    result = {"chosen": problem["chosen"], ours: figure(best(problem, ours)),
              "configurations": len(mine),
              "rejected": [f"{r['name']}: {r['status']}: {r['reason']}"
                           for r in mine if r["status"] not in
                           ("verified", "slow", "screened")]}
    for labels in others:
        result[labels[0]] = figure(best(problem, *labels))
    return result


def told(result):
    parts = []
    for name in ("user", "plugin", "generated", "aten", "library-fused"):
        if result.get(name):
            row = result[name]
            parts.append(f"{row['name']} {row['us']:.2f} us"
                         + (" (screen)" if row["screen"] else ""))
    return ("; ".join(parts) + f"; chosen: {result['chosen']}"
            + "".join(f"\n    rejected {r[:150]}" for r in result["rejected"]))


def capture_softmax():
    """The example in Triton, compiled by this machine's."""
    status, text = common.run(
        sys.executable, arguments.root / "tools/capture/triton_kernel.py",
        f"{KERNELS / 'triton/softmax.py'}:softmax", "-o",
        folder / "softmax.mlir", "--reference",
        KERNELS / "triton/reference.mlir", "--tensor", "x=f32[M,N]",
        "--tensor", "y=f32[M,N]", "--result", "y", "--scalar", "n_rows=M",
        "--scalar", "n_cols=N", "--constexpr", "COLUMNS=1024", "--size",
        "M=512", "--size", "N=1000", "--grid", "ceildiv(M, ROWS)", "--where",
        "N <= 1024", "--ptx-version=83", timeout=120)
    if status != 0:
        raise NotRun(common.last_line(text))


def example(name):
    model, *options = EXAMPLES[arguments.target][name]
    if model == "softmax.mlir":
        capture_softmax()
    seconds, text, problem = minic(folder / model, *options)
    refused = re.findall(r"warning: .*", text)
    if refused:
        raise NotRun(refused[0])
    if problem is None:
        return {"said": common.last_line(text)}, common.last_line(text)
    status, checked = common.run(BIN / "minic-run", folder / "out.minic",
                                 "--check", timeout=60)
    result = beside(problem, "user", ("generated",))
    # A single tuning varies by as much as some configurations cost.
    seconds, alone = [seconds], []
    for _ in range(TUNINGS):
        alone.append(minic(folder / model, *options,
                           "--gemm-backends=generated")[0])
        if len(seconds) < TUNINGS:
            seconds.append(minic(folder / model, *options)[0])
    seconds, alone = statistics.median(seconds), statistics.median(alone)
    result["seconds"], result["seconds_without"] = seconds, alone
    # What a compiler takes is in build_ms, and in the wall clock as well,
    # where it overlaps with measurements.
    built = [row["build_ms"] for row in problem["record"]["rows"]
             if row["label"] == "user"]
    count = max(1, result["configurations"])
    result["build_ms"] = statistics.median(built) if built else None
    result["measure_ms"] = (1e3 * problem["record"]["measure_seconds"]
                            / len(problem["record"]["rows"]))
    result["more_ms"] = 1e3 * (seconds - alone) / count
    result["compiler_ms"] = compiler_ms(name)
    beyond = result["more_ms"] - (result["compiler_ms"] or 0)
    result["missed"] = beyond > MOST_MS or status != 0
    line = (f"{told(result)}\n    {count} configurations: "
            f"{result['more_ms']:.0f} ms more of tuning each (built in "
            f"{result['build_ms'] or 0:.0f}, measured in "
            f"{result['measure_ms']:.0f}); a compiler alone takes "
            f"{result['compiler_ms'] or 0:.0f}")
    if status != 0:
        line += f"\n    FAILED: {common.last_line(checked)}"
    return result, line


#: What minic defines for an example's source besides its parameters.
DEFINED = {"linear_epilogue": "#define K 256\n#define finish_operands\n"
                              "#define finish(sum, m, n) (sum)\n"}


def compiler_ms(name):
    """NVRTC's, or clang's, own time for the source of that example: median of
    three compilations of its first configuration. None where it has none."""
    source = KERNELS / (name + (".cu" if arguments.target == "cuda" else ".c"))
    if not source.exists():
        return None
    text = ("#define BLOCK 256\n#define N 100000\n#define ROWS 1\n"
            + DEFINED.get(name, "") + source.read_text())
    times = []
    for _ in range(3):
        begun = time.monotonic()
        if arguments.target == "cpu":
            copy = folder / "alone.c"
            copy.write_text(text)
            status, _ = common.run(shutil.which("clang-22") or "clang", "-O3",
                                   "-mavx512f", "-c", copy, "-o",
                                   folder / "alone.o")
        else:
            status = nvrtc(text)
        if status != 0:
            return None
        times.append(1e3 * (time.monotonic() - begun))
    return statistics.median(times)


def nvrtc(text):
    """0 where NVRTC compiled it."""
    if not nvrtc_library:
        return 1
    dll, program = ctypes.CDLL(nvrtc_library), ctypes.c_void_p()
    dll.nvrtcCreateProgram(ctypes.byref(program), text.encode(), None, 0, None,
                           None)
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90a")
    status = dll.nvrtcCompileProgram(program, 1, options)
    dll.nvrtcDestroyProgram(ctypes.byref(program))
    return status


def equal():
    """A generated kernel, and its own PTX as a kernel of the user's."""
    model = folder / "equal.mlir"
    model.write_text(EQUAL)
    common.run("rm", "-rf", folder / "dump")
    # For sm_80, whose code has no programmatic launches: a user's has none.
    options = ("--target=cuda:sm_80", "--ptx=on")
    minic(model, *options, "--gemm-backends=generated",
          f"--dump-kernels-to={folder}/dump", tuned=False)
    shutil.copy(folder / "out.minic", folder / "generated.minic")
    ptx = next((folder / "dump").glob("*.ptx")).read_text()
    entry = re.search(r"\.entry (\w+)", ptx)[1]
    (folder / "same.ptx").write_text(ptx)
    _, shown = common.run(BIN / "minic", "inspect", folder / "generated.minic")
    grid = re.search(r"launch \S+ grid (\d+)", shown)[1]
    threads = re.search(r"\.reqntid (\d+)", ptx)[1]
    (folder / "wrapped.mlir").write_text(WRAPPED.format(
        entry=entry, threads=threads, grid=grid)
        + EQUAL.replace("@main", "private @body"))
    minic(folder / "wrapped.mlir", *options, "--gemm-backends=user", tuned=False)
    if described:
        return {"said": "compiled"}, "compiled; nothing was timed"
    status, text = common.run(
        BIN / "minic-bench", folder / "generated.minic",
        f"--compare={folder / 'out.minic'}", f"--rounds={arguments.rounds}",
        f"--json={folder / 'bench.json'}", timeout=120)
    if status != 0:
        raise RuntimeError(common.last_line(text))
    a, b = json.loads((folder / "bench.json").read_text())["artifacts"]
    ratio, low, high = paired.ratio(b["samples_us"], a["samples_us"])
    result = {"generated_us": statistics.median(a["samples_us"]),
              "user_us": statistics.median(b["samples_us"]), "ratio": ratio,
              "low": low, "high": high,
              "missed": low > NEAR[1] or high < NEAR[0]}
    return result, (f"generated {result['generated_us']:.2f} us, its code as a "
                    f"user's {result['user_us']:.2f} us, ratio {ratio:.3f} "
                    f"[{low:.3f}, {high:.3f}]")


def cutlass(at):
    if not plugin.exists():
        raise NotRun(f"no plug-in at {plugin}")
    m, n, k, then = PROBLEMS[at]
    x, w, y = (f"tensor<{a}x{b}xbf16>" for a, b in ((m, k), (n, k), (m, n)))
    bias = f"tensor<{n}xbf16>"
    more = f", %c: {bias if 'bias' in then else y}" if then else ""
    body = (f"  %0 = graph.linear %x, %w{', %c' if 'bias' in then else ''} : "
            f"({x}, {w}{', ' + bias if 'bias' in then else ''}) -> {y}\n")
    last = 0
    for op in then.split():
        if op != "bias":
            last += 1
            body += (f"  %{last} = graph.{op} %{last - 1}"
                     f"{', %c' if op == 'add' else ''} : {y}\n")
    model = folder / "gemm.mlir"
    model.write_text(f"func.func @main(%x: {x}, %w: {w}{more}) -> {y} {{\n"
                     f"{body}  return %{last} : {y}\n}}\n")
    _, text, problem = minic(
        model, f"--plugin={plugin}",
        *(["--gemm-backends=plugin"] if described else []))
    what = f"{m}x{k}, {n}x{k} {then}".strip()
    if problem is None:
        return {"said": common.last_line(text)}, f"{what}: {common.last_line(text)}"
    result = beside(problem, "plugin", ("generated",),
                    ("library-fused", "aten", "cudnn"))
    result["problem"] = what
    return result, f"{what}: {told(result)}"


CASES = {name: (lambda name=name: example(name))
         for name in EXAMPLES[arguments.target]}
if arguments.target == "cuda":
    CASES["equal"] = equal
    CASES |= {f"cutlass-{i + 1}": (lambda i=i: cutlass(i))
              for i in range(len(PROBLEMS))}
wanted = [n for n in arguments.only.split(",") if n] or list(CASES)
unknown = [name for name in wanted if name not in CASES]
if unknown:
    sys.exit(f"kernels: error: --only: expected some of {', '.join(CASES)}, "
             f"got {', '.join(unknown)}")
failed, missed, skipped = [], [], []
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    for file in KERNELS.glob("*.*"):
        shutil.copy(file, folder)
    for name in wanted:
        if left() <= 0:
            skipped.append(name)
            continue
        begun = time.monotonic()
        try:
            rows[name], line = CASES[name]()
        except NotRun as why:
            skipped.append(name)
            line = f"not run: {why}"
        except RuntimeError as why:
            failed.append(name)
            line = f"FAILED: {why}"
        if rows.get(name, {}).get("missed") and not line.startswith("not run"):
            missed.append(name)
        print(f"{name}: {line} [{time.monotonic() - begun:.1f} s]", flush=True)
        common.write_json(store, rows)
print(f"===== {len(wanted) - len(failed) - len(skipped)} of {len(wanted)} ran, "
      f"failed: {', '.join(failed) or 'none'}; missed: "
      f"{', '.join(missed) or 'none'}; not run: {', '.join(skipped) or 'none'}")
sys.exit(1 if failed or missed else 0)
