# SPDX-License-Identifier: Apache-2.0
"""The peers benchmark, test/bench/peers/peers.py, workload by workload, after
ahead.py has made what takes long for all of them. Tables are printed as they
come, and all in short at the end; --out gets peers.txt, peers.json, and in
peers.log what compilers printed."""

import json
import sys
import time

import common

parser = common.parser(__doc__)
parser.add_argument("--workload", nargs="+", default=["all"])
parser.add_argument("--limit-s", type=float, default=65,
                    help="of each workload, more of large ones")
parser.add_argument("--total-s", type=float, default=570,
                    help="workloads that no longer fit are not run")
parser.add_argument("--ahead-s", type=float, default=150,
                    help="of what is made ahead, a part of --total-s")
parser.add_argument("--compile-ahead", nargs="?", default="",
                    const="max-autotune", metavar="MODE",
                    help="torch.compile in this mode, of all workloads side by "
                    "side, too")
parser.add_argument("--peers", nargs="*", default=[],
                    help="only peers whose name contains one of these, or "
                    "ends so: max-autotune$")
parser.add_argument("--work", type=common.pathlib.Path,
                    default=common.pathlib.Path("/tmp/minic-peers"))
arguments, rest = parser.parse_known_args()
sys.path.insert(0, str(arguments.root / "test/bench/peers"))
import ahead  # noqa: E402
import launch  # noqa: E402
import report  # noqa: E402
import workloads  # noqa: E402

FEWEST_S = 25      # for a workload; less is not begun
OVERRUN_S = 120    # of loads and the fewest rounds after a workload's time
LOG_BYTES = 12000  # kept of each log

known = workloads.KNOWN
names = (sorted(workloads.WORKLOADS, key=lambda name: known[name].patience)
         if arguments.workload == ["all"] else arguments.workload)
unknown = [name for name in names if name not in known]
if unknown:
    sys.exit(f"peers: error: no workload {unknown[0]}; there are "
             + ", ".join(known))
start = time.monotonic()
results, not_run = {}, {}


def keep_logs(name, output):
    with open(arguments.out / "peers.log", "a") as kept:
        kept.write(f"===== {name}\n{output}")
        for log in sorted((arguments.work / name).glob("*.log")):
            text = log.read_text(errors="replace")[-LOG_BYTES:]
            kept.write(f"===== {name}: {log.name}\n{text}\n")


def short(result):
    """One line: figures of minic, then how many times as fast as each group."""
    minic = next((r for r in result["rows"] if r["name"] == report.MINIC), None)
    cells = ["minic not run" if minic is None else " / ".join(
        report.cell(minic[kind]) for kind in report.KINDS)]
    for one in result["comparisons"]:
        # Back to back, and whatever else something is required of.
        if one["figure"] != "back_to_back" and one["factor"] is None:
            continue
        ratio = f"{one['ratio']:.2f}x" if "ratio" in one else "not run"
        required = (f" ({one['verdict']}: {one['factor']:.2f})"
                    if one["factor"] else "")
        figure = ("" if one["figure"] == "back_to_back"
                  else " " + one["figure"].replace("_", " "))
        cells.append(f"{one['group']}{figure} {ratio}{required}")
    return "\n    ".join([f"{result['workload']}: {cells[0]}",
                          ", ".join(cells[1:]), *report.wanted_lines(result)])


ahead.Ahead(arguments.root, arguments.work, arguments.ahead_s,
            not launch.left_out(ahead.PEER, arguments.peers),
            arguments.compile_ahead).make(names)
keep_logs(".", "")
for name in names:
    left = arguments.total_s - (time.monotonic() - start)
    if left < FEWEST_S:
        not_run[name] = f"only {max(0, left):.0f} s left"
        continue
    report_path = arguments.out / "peers.part.json"
    report_path.unlink(missing_ok=True)
    limit = min(arguments.limit_s * known[name].patience, left - 5)
    status, text = common.run(
        sys.executable, arguments.root / "test/bench/peers/peers.py",
        "--root", arguments.root, "--workload", name, "--json", report_path,
        "--work", arguments.work, f"--limit-s={limit}", "--ahead-done",
        "--peers", *arguments.peers, *rest,
        timeout=limit + OVERRUN_S)
    print(text, flush=True)
    keep_logs(name, text)
    if report_path.exists():
        results[name] = json.loads(report_path.read_text())
        report_path.unlink()
        common.write_json(arguments.out / "peers.json", results)
        with open(arguments.out / "peers.txt", "a") as tables:
            tables.write(report.table(results[name]) + "\n")
    else:
        not_run[name] = f"status {status}: {common.last_line(text)}"

print("===== minic max-autotune: back to back / one call / device / host us, "
      "and how many times as fast as the best of")
for name in names:
    print(short(results[name]) if name in results
          else f"{name}: not run: {not_run[name]}")
missed = [f"{name}: {report.comparison_line(one)}"
          for name, result in results.items()
          for one in result["comparisons"] if one["verdict"] == "MISSED"]
lost = [f"{name}: {peer}: not run: {why}" for name, result in results.items()
        for peer, why in result["not_run"].items() if why != "left out"]
print(f"===== {len(missed)} missed, {len(lost)} peers and {len(not_run)} "
      f"workloads not run, {time.monotonic() - start:.0f} s")
print("\n".join(missed + [line[:200] for line in lost]))
sys.exit(1 if missed or not_run or any(": minic " in l for l in lost) else 0)
