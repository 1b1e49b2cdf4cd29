# SPDX-License-Identifier: Apache-2.0
"""Where a model's time goes on the GPU: each launch of one run, when it began and
how long it took, as CUPTI (through PyTorch's profiler) sees it inside the model.
Takes the artifacts and tensors that the stage models has left in --work; compiles
what is not there.

A launch that begins before the one ahead of it ends has a negative gap. `busy` is
the time in which at least one kernel ran; the span's other part are gaps. Blocks
are given per SM: a fraction behind the point is a tail wave. CUPTI costs launches
some time, so the span is longer than what minic-bench measures. --out gets all
launches as timeline.NAME.json."""

import argparse
import collections
import json
import statistics
import sys
import tempfile

import common

RUNS = 20
LIMIT_S = 120  # for a workload

parser = common.parser(__doc__)
parser.add_argument("--workload", nargs="+", required=True)
parser.add_argument("--mode", default="max-autotune")
parser.add_argument("--work", type=common.pathlib.Path,
                    default=common.pathlib.Path("/tmp/minic-peers"))
parser.add_argument("--launches", action="store_true",
                    help="each launch, not only sums by kernel")
parser.add_argument("--in-this-process", action="store_true",
                    help=argparse.SUPPRESS)
arguments = parser.parse_args()
sys.path.insert(0, str(arguments.root / "test/bench/peers"))
import build_runner  # noqa: E402
import launch  # noqa: E402


def traced(name):
    """Kernels of RUNS runs as a trace has them, ordered by their beginning."""
    import worker
    session = worker.Session(argparse.Namespace(
        peer=f"minic {arguments.mode}", workload=name, root=arguments.root,
        work=arguments.work, minic_option=[],
        runner=build_runner.module_path(arguments.work)))
    session.do_import()
    session.on_gpu()
    peer, torch = session.peer, session.torch
    peer.artifact = session.folder / f"{arguments.mode}.minic"
    if not peer.artifact.exists():
        peer.compile()
    peer.load()
    peer.loops.back_to_back(50)
    torch.cuda.synchronize()
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        peer.loops.back_to_back(RUNS)
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        with open(file.name) as trace:
            events = json.load(trace)["traceEvents"]
    return sorted((e for e in events
                   if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")),
                  key=lambda e: e["ts"])


def median_run(events):
    """One row per launch: medians over the runs but the first two."""
    per_run, left = divmod(len(events), RUNS)
    if left or not per_run:
        raise ValueError(f"{len(events)} kernels are no {RUNS} equal runs")
    runs = [events[i * per_run:(i + 1) * per_run] for i in range(RUNS)][2:]
    if any(a["name"] != b["name"] for run in runs
           for a, b in zip(run, runs[0])):
        raise ValueError("kernels do not begin in the order of the plan")
    rows = []
    for i, first in enumerate(runs[0]):
        begin = statistics.median(r[i]["ts"] - r[0]["ts"] for r in runs)
        took = statistics.median(r[i]["dur"] for r in runs)
        details = first.get("args", {})
        rows.append({"kernel": first["name"], "begin_us": begin,
                     "us": took,
                     "blocks_per_sm": details.get("blocks per SM", 0),
                     "grid": details.get("grid"),
                     "block": details.get("block"),
                     "registers": details.get("registers per thread"),
                     "shared": details.get("shared memory")})
    return rows


def sums(rows):
    """Span and busy time in us. Rows get the gap ahead of them, and by how
    much they end later than all before: these add up to the busy time."""
    end = busy = 0.0
    for row in rows:
        finish = row["begin_us"] + row["us"]
        row["gap_us"] = row["begin_us"] - end
        row["later_us"] = max(0.0, finish - max(end, row["begin_us"]))
        busy += row["later_us"]
        end = max(end, finish)
    return end, busy


def one(name):
    rows = median_run(traced(name))
    span, busy = sums(rows)
    result = {"workload": name, "launches": len(rows), "span_us": span,
              "busy_us": busy, "rows": rows}
    print(f"{name}: {len(rows)} launches, span {span:.1f} us, busy {busy:.1f},"
          f" gaps {100 * (1 - busy / span):.1f} %")
    if arguments.launches:
        for row in rows:
            print(f"{row['begin_us']:9.2f} +{row['us']:7.2f} gap "
                  f"{row['gap_us']:6.2f}  {row['blocks_per_sm']:6.2f}/SM "
                  f"regs {row['registers']} {row['block']} "
                  f"{row['kernel'][:90]}")
    totals = collections.defaultdict(list)
    for row in rows:
        totals[row["kernel"]].append((row["later_us"], row["us"]))
    print("later_us  times  each, us  kernel")
    for kernel, times in sorted(totals.items(),
                                key=lambda t: -sum(l for l, _ in t[1])):
        print(f"{sum(l for l, _ in times):8.1f} {len(times):6} "
              f"{statistics.median(t for _, t in times):9.2f}  "
              f"{kernel[:110]}")
    (arguments.out / f"timeline.{name}.json").write_text(
        json.dumps(result) + "\n")


if arguments.in_this_process:
    one(arguments.workload[0])
    sys.exit(0)
environment = launch.environment(arguments.work)
failed = 0
for name in arguments.workload:
    status, text = common.run(
        sys.executable, __file__, "--root", arguments.root, "--out",
        arguments.out, "--work", arguments.work, "--mode", arguments.mode,
        *(["--launches"] if arguments.launches else []), "--workload", name,
        "--in-this-process", env=environment, timeout=LIMIT_S)
    print(text)
    failed += status != 0
sys.exit(1 if failed else 0)
