# SPDX-License-Identifier: Apache-2.0
"""minic beside its peers on one GPU: same weights, inputs and numerics, each
peer in a process of its own, timed in interleaved rounds, outputs compared with
float64.

    python3 test/bench/peers/peers.py --workload NAME --root DIR --json OUT

Needs PyTorch with CUDA; peers that cannot run are listed as "not run" with the
reason. `--root` holds bin/, lib/ and include/ of minic. timing.py says what the
figures are. Loops of minic, AOTInductor and "captured graph (C++)" run in C++
(runner.cpp), others in Python, as their users call them.
"""

import argparse
import dataclasses
import json
import pathlib
import random
import statistics
import sys
import time

import ahead
import launch
import pool
import report
import schedule
import torch_libraries
import workloads

SAMPLE_S = 30
MEASURING = 0.2        # of a workload's time is kept for the rounds
FEWEST_ROUNDS = 7      # even where time is up
CALLS_US = 30000       # about what a sample takes, at most 200 calls


@dataclasses.dataclass
class Peer:
    name: str
    group: str
    compiles: bool = False     # what takes long
    tunes: bool = False        # by measuring on the GPU
    after: tuple = ()          # compiles once those peers have
    uses_runner: bool = False
    environment: dict = dataclasses.field(default_factory=dict)
    worker: pool.Worker = None
    missing: str = ""          # why it does not run
    note: str = ""             # of what was made ahead for it
    seconds: dict = dataclasses.field(default_factory=dict)  # by step
    loaded: dict = None        # what its worker says of itself
    samples: dict = dataclasses.field(default_factory=dict)

    @property
    def steps(self):
        # minic compiles in another program: nothing to import first.
        compiling = ["compile"] if self.compiles else []
        imports = ["import"]
        return (compiling + imports if self.group == "minic"
                else imports + compiling) + ["load"]


# Inductor keeps what max-autotune found for a product, so that no-cudagraphs,
# which comes later, hardly measures again.
TUNED = ("XLA (JAX)", "torch.compile max-autotune")
PEERS = (
    ("minic max-autotune", "minic",
     {"compiles": True, "tunes": True, "uses_runner": True}),
    ("minic default", "minic",
     {"compiles": True, "after": ("minic max-autotune",),
      "uses_runner": True}),
    ("torch eager", "torch", {}),
    ("XLA (JAX)", "XLA",
     {"compiles": True, "tunes": True, "environment": {
         "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}}),
    ("torch.compile max-autotune", "torch",
     {"compiles": True, "tunes": True}),
    ("torch.compile max-autotune-no-cudagraphs", "torch",
     {"compiles": True, "tunes": True, "after": TUNED}),
    ("torch.compile reduce-overhead", "torch",
     {"compiles": True, "after": TUNED}),
    ("torch.compile default", "torch", {"compiles": True, "after": TUNED}),
    (ahead.PEER, "AOTInductor", {"uses_runner": True}),
    ("captured graph (Python)", "captured graph", {}),
    ("captured graph (C++)", "captured graph", {"uses_runner": True}),
    ("read-only probe", "probe", {"uses_runner": True}),
)


def start_workers(arguments, workload, made):
    """`made`: what ahead.json says."""
    environment = launch.environment(arguments.work)
    package = made["packages"].get(workload.name, ahead.NO_PACKAGE)
    peers = []
    for name, group, options in PEERS:
        if group == "probe" and not workload.probe:
            continue
        peer = Peer(name, group, **options)
        peers.append(peer)
        if (launch.left_out(name, arguments.peers)
                or group == "XLA" and not workload.has_jax):
            peer.missing = "left out"
        elif peer.uses_runner and made["runner"]:
            peer.missing = f"runner.cpp: {made['runner']}"
        elif name == ahead.PEER:
            peer.missing, peer.note = package["missing"], package["note"]
            peer.seconds["ahead"] = package["seconds"]
            peer.environment = launch.shared_libstdcxx()
        if peer.missing:
            continue
        peer.worker = launch.worker(
            arguments.root, arguments.work, name, workload.name,
            arguments.work / workload.name / f"{name.replace(' ', '-')}.log",
            environment | peer.environment,
            *(f"--minic-option={o}" for o in arguments.minic_option))
    return peers


def try_sample(peer, kind, n):
    """None where it has no such figure or has failed."""
    try:
        return peer.worker.ask("sample", SAMPLE_S, kind=kind, n=n)
    except pool.Failure as failure:
        peer.missing = f"{failure} ({kind.replace('_', ' ')})"
        print(f"not run: {peer.name}: {peer.missing}", flush=True)
        return None


def measure(peers, rounds, deadline):
    """Rounds in which each peer is asked in random order, one at a time."""
    def alive():
        return [p for p in peers if not p.missing]
    once = [try_sample(p, "back_to_back", 20) for p in alive()]
    once = [us for us in once if us is not None]
    if not once:
        return 0
    calls = int(min(200, max(30, CALLS_US / statistics.median(once))))
    order, done = random.Random(0), 0
    while done < rounds and (done < FEWEST_ROUNDS
                             or time.monotonic() < deadline):
        for peer in order.sample(alive(), len(alive())):
            for kind in report.KINDS:
                if peer.missing or (kind == "device" and done > 0
                                    and kind not in peer.samples):
                    continue
                n = calls if kind == "back_to_back" else calls // 4 + 1
                value = try_sample(peer, kind, n)
                if value is not None:
                    peer.samples.setdefault(kind, []).append(value)
        done += 1
    return done


def bench(arguments, workload):
    """The result of one workload."""
    start = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - start:6.1f} s  {text}", flush=True)
    peers = start_workers(arguments, workload, ahead.read(arguments.work))
    try:
        limit = arguments.limit_s
        schedule.Schedule([p for p in peers if not p.missing],
                          start + (1 - MEASURING) * limit, limit, say).run()
        say("measuring")
        rounds = measure(peers, arguments.rounds, start + limit)
    finally:
        for peer in peers:
            if peer.worker:
                peer.worker.close()
    rows = [report.Row(p.name, p.group, p.samples, p.loaded["error"],
                       "; ".join(n for n in (p.loaded["note"], p.note) if n),
                       sum(p.seconds.values()))
            for p in peers if not p.missing]
    about = next((p.loaded for p in peers if p.loaded), {})
    return {"workload": workload.name, "rounds": rounds,
            "wanted_us": workload.wanted_us,
            "seconds": time.monotonic() - start,
            "device": about.get("device", "no device"),
            "versions": {w: about.get(w) for w in ("torch", "cuda", "cudnn")},
            "shared": sorted(pathlib.Path(path).name for path in
                       torch_libraries.environment(arguments.work).values()),
            "rows": [row.json() for row in rows],
            "comparisons": report.comparisons(rows, workload.factors),
            "not_run": {p.name: p.missing for p in peers if p.missing}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workload", choices=sorted(workloads.KNOWN),
                        required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True,
                        help="folder with minic's bin/, lib/ and include/")
    parser.add_argument("--work", type=pathlib.Path,
                        default=pathlib.Path("/tmp/minic-peers"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--limit-s", type=float, default=65,
                        help="peers that are not ready in time are not run")
    parser.add_argument("--peers", nargs="*", default=[],
                        help="only peers whose name contains one of these, or "
                        "ends so: max-autotune$")
    parser.add_argument("--minic-option", action="append", default=[])
    parser.add_argument("--ahead-s", type=float, default=150,
                        help="of what is made ahead, before --limit-s begins")
    parser.add_argument("--ahead-done", action="store_true",
                        help="it was made, for several workloads at once")
    arguments = parser.parse_args()
    if not arguments.ahead_done:
        ahead.Ahead(arguments.root, arguments.work, arguments.ahead_s,
                    not launch.left_out(ahead.PEER, arguments.peers)
                    ).make([arguments.workload])
    result = bench(arguments, workloads.KNOWN[arguments.workload])
    print("\n" + report.table(result), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    lost = [n for n in result["not_run"]
            if n.startswith("minic") and result["not_run"][n] != "left out"]
    missed = [c for c in result["comparisons"] if c["verdict"] == "MISSED"]
    return 1 if lost or missed else 0


if __name__ == "__main__":
    sys.exit(main())
