# SPDX-License-Identifier: Apache-2.0
"""Whole models on a CPU: minic beside ONNX Runtime, OpenVINO and PyTorch. The
same weights and inputs, f32, a process each, timed in interleaved rounds;
outputs compared with float64. With --precision=bf16 minic and OpenVINO compute in
bf16; others have no such mode for a CPU.

    python3 -m venv /tmp/cpu-peers
    /tmp/cpu-peers/bin/pip install torch onnx onnxscript onnxruntime openvino \\
        numpy safetensors
    /tmp/cpu-peers/bin/python test/bench/peers/cpu_models.py --threads 1 2

A figure is the median of single calls, each waited for. A peer waits on a pipe
while another runs. "CPU ms" is what all threads of a peer together took for a
call, spinning included; with one thread it counts nothing that others took.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import model_workloads  # noqa: E402
import paired  # noqa: E402
import pool  # noqa: E402

#: minic has to be no slower than the fastest of them. Opset 23 has attention as
#: one op, the other export as products and a softmax.
RIVALS = ("ONNX Runtime", "ONNX Runtime opset23", "OpenVINO",
          "OpenVINO opset23")
PEERS = ("minic default", "minic max-autotune", *RIVALS, "torch eager",
         "torch.compile")
LOAD_S, SAMPLE_S = 300, 120
PAUSE_S = 0.02  # until the threads of the peer before have stopped to spin
QUIET, TRIES = 0.03, 4  # of the cores may others have, else a turn is repeated


@dataclasses.dataclass
class Peer:
    name: str
    worker: pool.Worker
    loaded: dict = None
    missing: str = ""
    samples: list = dataclasses.field(default_factory=list)  # medians, us
    cpu_us: list = dataclasses.field(default_factory=list)  # of all threads
    shares: list = dataclasses.field(default_factory=list)  # others', of cores

    def take_turn(self, calls):
        """Again where other processes had a part of the cores meanwhile; the
        turn with the smallest such part counts."""
        turns = []
        while len(turns) < TRIES and (not turns or min(turns)[0] > QUIET):
            begin, others = time.monotonic(), self.others_seconds()
            turn = self.worker.ask("sample", SAMPLE_S, n=calls)
            others = self.others_seconds() - others
            cores = (time.monotonic() - begin) * os.cpu_count()
            turns.append((max(0, others / cores),
                          statistics.median(turn["us"]), turn["cpu_us"]))
        share, median, cpu_us = min(turns)
        self.shares.append(share)
        self.samples.append(median)
        self.cpu_us.append(cpu_us)

    def others_seconds(self):
        return cpu_seconds("stat") - cpu_seconds(
            f"{self.worker.process.pid}/stat")


def cpu_seconds(path):
    """What /proc/PATH says: "stat" of all processes, "PID/stat" of one."""
    with open(f"/proc/{path}") as file:
        text = file.readline()
    if path == "stat":
        user, nice, system, _, _, *interrupts = map(int, text.split()[1:9])
        ticks = user + nice + system + sum(interrupts)
    else:  # its name may have spaces
        ticks = sum(map(int, text.rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def run(*command, log):
    with open(log, "w") as output:
        done = subprocess.run([str(c) for c in command], stdout=output,
                              stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = log.read_text().strip().splitlines() or ["?"]
        sys.exit(f"failed: {' '.join(map(str, command))}\n{lines[-1]}")


def make_ahead(arguments, name):
    """The folder of a workload, with all that peers load. What is there from
    an earlier run is kept, but with --again minic's artifacts."""
    folder = arguments.work / name
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "export.json").exists():
        run(sys.executable, HERE / "cpu_export.py", name, folder,
            log=folder / "export.log")
    for threads in arguments.threads:
        for peer in arguments.peers:
            mode = peer.split()[-1]
            own = folder / "bf16" if arguments.precision == "bf16" else folder
            artifact = own / f"{mode}-{threads}.minic"
            if peer.startswith("minic") and (arguments.again
                                             or not artifact.exists()):
                run(arguments.bin / "minic", "--target=cpu", f"--mode={mode}",
                    f"--threads={threads}",
                    f"--tune-db={arguments.work / f'{mode}.db'}",
                    "--shipped-db=off",
                    *arguments.minic_option, "-o", artifact,
                    own / "model.mlir", log=artifact.with_suffix(".log"))
    return folder


def start(arguments, name, folder, threads):
    library = arguments.library or (
        arguments.bin.parent / "runtime/api/libminic_runtime.so")
    environment = os.environ | {
        "OMP_NUM_THREADS": str(threads),
        "TORCHINDUCTOR_CACHE_DIR": str(arguments.work / "inductor")}
    peers = []
    for peer in arguments.peers:
        worker = pool.Worker(
            [sys.executable, HERE / "cpu_worker.py", f"--peer={peer}",
             f"--workload={name}", f"--folder={folder}",
             f"--threads={threads}", f"--minic-library={library}",
             f"--precision={arguments.precision}"],
            folder / f"{peer.replace(' ', '-')}.log", environment)
        peers.append(Peer(peer, worker))
    return peers


def load(peers):
    """One after the other: some compile."""
    for peer in peers:
        try:
            peer.loaded = peer.worker.ask("load", LOAD_S)
        except pool.Failure as failure:
            peer.missing = str(failure)


def measure(peers, rounds, calls, limit_s):
    """Rounds in which each peer is asked in random order, one at a time."""
    order = random.Random(0)
    begin, done = time.monotonic(), 0
    while done < rounds and time.monotonic() - begin < limit_s:
        alive = [p for p in peers if not p.missing]
        for peer in order.sample(alive, len(alive)):
            time.sleep(PAUSE_S)
            try:
                peer.take_turn(calls)
            except pool.Failure as failure:
                peer.missing = str(failure)
        done += 1
    return done


def ratio_text(estimate):
    middle, low, high = estimate
    return (f"{middle:.3f}" if low is None
            else f"{middle:.3f} [{low:.3f}, {high:.3f}]")


def verdict(peers):
    """A line for each mode of minic: against the fastest rival."""
    rivals = [p for p in peers if p.name in RIVALS and not p.missing]
    if not rivals:
        return []
    best = min(rivals, key=lambda p: statistics.median(p.samples))
    lines = []
    for peer in peers:
        if peer.name.startswith("minic") and not peer.missing:
            estimate = paired.ratio(peer.samples, best.samples)
            over = (estimate[1] or estimate[0]) > 1
            lines.append(f"{peer.name} / {best.name}: {ratio_text(estimate)} "
                         + ("MISSED" if over else "met"))
    return lines


def table(peers):
    first = peers[0]
    lines = [f"| peer | ms | {first.name} / peer | CPU ms | error | "
             "loads in, s |", "|---|---|---|---|---|---|"]
    for peer in peers:
        if peer.missing:
            lines.append(f"| {peer.name} | not run: {peer.missing} | | | | |")
            continue
        ratio = ("" if peer is first or first.missing else
                 ratio_text(paired.ratio(first.samples, peer.samples)))
        version = peer.loaded["version"]
        lines.append(
            f"| {peer.name}{' ' + version if version else ''} | "
            f"{statistics.median(peer.samples) / 1000:.2f} | {ratio} | "
            f"{statistics.median(peer.cpu_us) / 1000:.1f} | "
            f"{peer.loaded['error']:.1e} | {peer.loaded['seconds']:.1f} |")
    return lines


def bench(arguments, name, folder, threads):
    peers = start(arguments, name, folder, threads)
    try:
        load(peers)
        rounds = measure(peers, arguments.rounds, arguments.calls,
                         arguments.limit_s)
    finally:
        for peer in peers:
            peer.worker.close()
    judged = verdict(peers)
    share = statistics.mean([s for p in peers for s in p.shares] or [0])
    print(f"\n{name}, threads={threads}: medians of {rounds} rounds of "
          f"{arguments.calls} calls; other processes had {share:.1%} of the "
          "cores meanwhile\n")
    print("\n".join(table(peers) + [""] + judged), flush=True)
    return {"workload": name, "threads": threads, "rounds": rounds,
            "others": share,
            "peers": [{"name": p.name, "missing": p.missing,
                       "loaded": p.loaded, "samples_us": p.samples,
                       "cpu_us": p.cpu_us}
                      for p in peers]}, any("MISSED" in j for j in judged)


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--library", type=pathlib.Path,
                        help="another libminic_runtime.so than --bin's")
    parser.add_argument("--work", type=pathlib.Path,
                        default=pathlib.Path("/tmp/minic-cpu-peers"),
                        help="keeps models, about 3 GB each")
    parser.add_argument("--workloads", nargs="+", metavar="NAME",
                        choices=model_workloads.CPU_MODELS,
                        default=list(model_workloads.CPU_MODELS))
    parser.add_argument("--peers", nargs="+", choices=PEERS, metavar="NAME",
                        default=[p for p in PEERS if p != "torch.compile"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=5,
                        help="of each peer in a round")
    parser.add_argument("--limit-s", type=float, default=300,
                        help="no round begins later, for each table")
    parser.add_argument("--minic-option", action="append", default=[])
    parser.add_argument("--again", action="store_true",
                        help="compile what an earlier run left of minic's")
    parser.add_argument("--ahead-only", action="store_true",
                        help="make what peers load, and measure nothing")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.precision == "bf16":
        arguments.peers = [p for p in arguments.peers
                           if p.startswith(("minic", "OpenVINO"))]
    results, missed = [], False
    for name in arguments.workloads:
        folder = make_ahead(arguments, name)
        if arguments.ahead_only:
            continue
        for threads in arguments.threads:
            result, over = bench(arguments, name, folder, threads)
            results.append(result)
            missed |= over
    print(f"\n{processor()}, {os.cpu_count()} cores, Linux "
          f"{platform.release()}, {arguments.precision}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
