# SPDX-License-Identifier: Apache-2.0
"""minic beside its peers on one GPU: same weights, inputs and numerics, timed
in interleaved rounds, outputs compared with float64.

    python3 test/bench/peers/peers.py --workload NAME --root DIR --json OUT

Needs PyTorch with CUDA; peers that cannot run are listed as "not run" with the
reason. `--root` holds bin/ and lib/ of minic. Figures, in microseconds:

  back to back   a loop of calls, waited for once, per call
  one call       one call waited for, median
  device         calls unrolled in a CUDA graph, per call
  host           what one call that is not waited for costs its caller

Loops of peers marked C++ run in C++ (runner.cpp), others in Python, as their
users call them.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import torch

import workloads

HERE = pathlib.Path(__file__).resolve().parent
UNROLLED = 20


@dataclasses.dataclass
class Peer:
    name: str
    call: object = None          # Python: enqueues one call
    loops: object = None         # a Runnable of runner.cpp
    output: object = None        # () -> torch tensor as minic's
    capture: object = None       # enqueues one call that a graph can capture
    wait: object = lambda result: torch.cuda.synchronize()
    note: str = ""
    setup_s: float = 0.0
    samples: dict = dataclasses.field(default_factory=dict)

    def back_to_back(self, n):
        if self.loops:
            return self.loops.back_to_back(n)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(n):
            result = self.call()
        self.wait(result)
        return (time.perf_counter() - start) / n * 1e6

    def one_call(self, n):
        if self.loops:
            return self.loops.synchronized(n)
        samples = []
        torch.cuda.synchronize()
        for _ in range(n):
            start = time.perf_counter()
            result = self.call()
            self.wait(result)
            samples.append((time.perf_counter() - start) * 1e6)
        return statistics.median(samples)

    def host(self, n):
        return self.loops.host_cost(n) if self.loops else None


def record(function, count=UNROLLED):
    """A CUDA graph of `count` calls on a stream of its own."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            function()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            function()
    return graph


def replay_us(graph, count=UNROLLED):
    """Device time of one of the `count` calls of a graph."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1000 / count


class Bench:
    def __init__(self, workload, arguments):
        self.workload = workload
        self.arguments = arguments
        self.folder = arguments.work / workload.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.peers, self.missing = [], {}
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        host = workloads.weights(workload, torch)
        from safetensors.torch import save_file
        save_file(host, self.folder / "model.safetensors")
        (self.folder / "model.mlir").write_text(
            workloads.minic_model(workload))
        self.tensors = {k: v.cuda() for k, v in host.items()}
        generator = torch.Generator().manual_seed(1)
        dtype = workloads.torch_dtype(workload, torch)
        self.x = (torch.rand(*workload.input, generator=generator) * 2 - 1).to(
            dtype).cuda()
        self.module = workloads.torch_module(workload, self.tensors, torch)
        exact = workloads.torch_module(
            workload, {k: v.double() for k, v in self.tensors.items()}, torch)
        with torch.no_grad():
            self.expected = workloads.torch_output(workload, exact(
                workloads.torch_input(workload, self.x.double(), torch)), torch)
        del exact
        torch.cuda.empty_cache()

    # --- peers ---------------------------------------------------------------

    def attempt(self, name, make):
        if self.arguments.peers and not any(
                wanted in name for wanted in self.arguments.peers):
            self.missing[name] = "left out"
            return
        start = time.perf_counter()
        try:
            peer = make()
            error = self.error(peer)
        except Exception as exception:  # a peer that fails is a row, not an end
            self.missing[name] = f"{type(exception).__name__}: " + str(
                exception).strip().splitlines()[0][:200] if str(
                exception).strip() else type(exception).__name__
            print(f"not run: {name}: {self.missing[name]}", flush=True)
            return
        peer.name = name
        peer.setup_s = time.perf_counter() - start
        peer.samples["error"] = error
        self.peers.append(peer)
        print(f"ready: {name} in {peer.setup_s:.1f} s, error {error:.2e}",
              flush=True)

    def error(self, peer):
        """|output - expected| / |expected| in float64."""
        got = peer.output().double()
        if got.shape != self.expected.shape:
            raise ValueError(f"shape {tuple(got.shape)}")
        error = float((got - self.expected).norm() / self.expected.norm())
        limit = 1e-2 if self.workload.dtype == "bf16" else 1e-5
        if not error <= limit:
            raise ValueError(f"wrong: error {error:.2e}, at most {limit}")
        return error

    def torch_peer(self, function, note="", graphs=True):
        x = workloads.torch_input(self.workload, self.x, torch)

        def call():
            return function(x)
        for _ in range(5):
            result = call()
        torch.cuda.synchronize()
        return Peer("", call=call, note=note,
                    output=lambda: workloads.torch_output(
                        self.workload, call(), torch).clone(),
                    capture=call if graphs else None)

    def compiled(self, mode):
        torch._dynamo.reset()
        return self.torch_peer(
            torch.compile(self.module, mode=mode),
            graphs=mode != "max-autotune")

    def captured(self, in_cpp):
        x = workloads.torch_input(self.workload, self.x, torch)
        holder = {}

        def call():
            holder["y"] = self.module(x)
        graph = record(call, 1)
        peer = Peer("", call=graph.replay,
                    output=lambda: (graph.replay(), torch.cuda.synchronize(),
                                    workloads.torch_output(
                                        self.workload, holder["y"],
                                        torch).clone())[-1],
                    capture=call)
        if in_cpp:
            peer.loops = self.runner.CapturedGraph(graph)
        return peer

    def compile_aot(self, x):
        """The package, compiled once."""
        package = str(self.folder / "model.pt2")
        torch._dynamo.reset()
        torch._inductor.aoti_compile_and_package(
            torch.export.export(self.module, (x,)), package_path=package,
            inductor_configs={"max_autotune": True})
        return package

    def run_aot_in_cpp(self, x, package):
        loops = self.runner.AotInductor(package, x)
        loops.call()

        def output():
            loops.call()
            torch.cuda.synchronize()
            return workloads.torch_output(self.workload, loops.output(), torch)
        return Peer("", loops=loops, output=output, capture=loops.call)

    def aot_inductor(self):
        # A crash of the C++ runner must not end the benchmark: another process
        # compiles the package and tries first.
        x = workloads.torch_input(self.workload, self.x, torch)
        tried = subprocess.run([sys.executable, __file__, *sys.argv[1:],
                                "--try-aot"], capture_output=True, text=True)
        if tried.returncode != 0:
            raise RuntimeError(
                f"its C++ runner ended with status {tried.returncode}: "
                + (tried.stderr.strip().splitlines() or ["?"])[-1])
        return self.run_aot_in_cpp(x, str(self.folder / "model.pt2"))

    def xla(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        tensors = {k: jax.dlpack.from_dlpack(v.contiguous())
                   for k, v in self.tensors.items()}
        x = jax.dlpack.from_dlpack(self.x)
        function = workloads.jax_function(self.workload, tensors, jax)
        for _ in range(3):
            function(x).block_until_ready()
        return Peer("", call=lambda: function(x),
                    wait=lambda y: y.block_until_ready(),
                    output=lambda: torch.from_dlpack(
                        function(x).block_until_ready()).clone())

    def compile_minic(self, mode):
        """Compiles here; returns the artifact. Cold: a database of its own."""
        artifact = self.folder / f"{mode}.minic"
        log = []
        for run in ("cold", "warm"):
            start = time.perf_counter()
            done = subprocess.run(
                [self.arguments.root / "bin/minic", "--target=cuda",
                 f"--mode={mode}", f"--tune-db={self.folder / 'tuning.db'}",
                 f"--tune-report={self.folder / f'{mode}.{run}.json'}",
                 "--log=autotuning,graphs,perf-hints", "-o", artifact,
                 *self.arguments.minic_option, self.folder / "model.mlir"],
                text=True, capture_output=True)
            elapsed = time.perf_counter() - start
            if done.returncode != 0:
                raise RuntimeError("minic: " + (done.stderr.strip().splitlines()
                                                or ["?"])[-1])
            log.append(elapsed)
            text = done.stdout + done.stderr
            (self.folder / f"{mode}.{run}.log").write_text(text)
            if run == "cold" and mode == "max-autotune":
                print(text, flush=True)
            if mode == "default":
                break
        return artifact, log

    def minic(self, mode):
        artifact, log = self.compile_minic(mode)
        y = torch.full(self.expected.shape, float("nan"), dtype=self.x.dtype,
                       device="cuda")
        loops = self.runner.Minic(
            str(self.arguments.root / "lib/libminic_runtime.so.0"),
            str(artifact), self.x, y)

        def output():
            y.fill_(float("nan"))
            torch.cuda.synchronize()
            loops.on_stream()
            loops.call()
            torch.cuda.synchronize()
            return y.clone()

        def capture():
            loops.on_stream()
            loops.call()
        note = "compiled in " + ", ".join(f"{t:.2f} s" for t in log)
        return Peer("", loops=loops, output=output, capture=capture, note=note)

    def probe(self):
        weights = [v for v in self.tensors.values() if v.dim() > 1]
        loops = self.runner.ReadProbe(weights)
        return Peer("", loops=loops, output=lambda: self.expected,
                    capture=loops.call)

    # --- measuring -----------------------------------------------------------

    def build_runner(self):
        from torch.utils.cpp_extension import load
        os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0")
        build = self.arguments.work / "runner"
        build.mkdir(parents=True, exist_ok=True)
        self.runner = load(
            "minic_peers_runner", [str(HERE / "runner.cpp"),
                                   str(HERE / "probe.cu")],
            extra_include_paths=[str(self.arguments.root / "include")],
            build_directory=str(build), extra_cflags=["-O2"])

    def prepare(self):
        start = time.perf_counter()
        self.build_runner()
        print(f"runner built in {time.perf_counter() - start:.1f} s",
              flush=True)
        with torch.no_grad():
            self.attempt("minic default", lambda: self.minic("default"))
            self.attempt("minic max-autotune",
                         lambda: self.minic("max-autotune"))
            self.attempt("torch eager", lambda: self.torch_peer(self.module))
            for mode in ("default", "max-autotune",
                         "max-autotune-no-cudagraphs"):
                self.attempt(f"torch.compile {mode}",
                             lambda: self.compiled(mode))
            self.attempt("AOTInductor", self.aot_inductor)
            self.attempt("XLA (JAX)", self.xla)
            self.attempt("captured graph", lambda: self.captured(False))
            self.attempt("captured graph (C++)", lambda: self.captured(True))
            if self.workload.probe:
                self.attempt("read-only probe", self.probe)

    def measure(self):
        graphs = {}
        with torch.no_grad():
            for peer in self.peers:
                if peer.capture:
                    try:
                        graphs[peer.name] = record(peer.capture)
                    except Exception as exception:
                        peer.note += f" (not captured: {exception})"[:160]
                        torch.cuda.synchronize()
            for peer in self.peers:  # the clock is up before the first sample
                peer.back_to_back(200)
            order = random.Random(0)
            for _ in range(self.arguments.rounds):
                for peer in order.sample(self.peers, len(self.peers)):
                    def add(what, value):
                        if value is not None:
                            peer.samples.setdefault(what, []).append(value)
                    add("back_to_back", peer.back_to_back(200))
                    add("one_call", peer.one_call(50))
                    add("host", peer.host(50))
                    if peer.name in graphs:
                        add("device", replay_us(graphs[peer.name]))

    def report(self):
        kinds = ("back_to_back", "one_call", "device", "host")
        print(f"\n{self.workload.name} on {torch.cuda.get_device_name()}, us, "
              f"medians of {self.arguments.rounds} interleaved rounds")
        print(f"{'':32}{'back to back':>14}{'one call':>10}{'device':>9}"
              f"{'host':>8}{'error':>10}")
        rows = []
        for peer in self.peers:
            row = {"name": peer.name, "note": peer.note,
                   "setup_s": peer.setup_s, "error": peer.samples["error"]}
            for kind in kinds:
                values = peer.samples.get(kind)
                row[kind] = statistics.median(values) if values else None
                row[kind + "_samples"] = values
            cells = ["-" if row[k] is None else f"{row[k]:.2f}" for k in kinds]
            print(f"{peer.name:32}{cells[0]:>14}{cells[1]:>10}{cells[2]:>9}"
                  f"{cells[3]:>8}{row['error']:>10.1e}  {peer.note}")
            rows.append(row)
        for name, why in self.missing.items():
            print(f"{name:32}not run: {why}")
        print(flush=True)
        return {"workload": self.workload.name,
                "device": torch.cuda.get_device_name(),
                "torch": torch.__version__, "cuda": torch.version.cuda,
                "rows": rows, "not_run": self.missing}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workload", choices=sorted(workloads.WORKLOADS),
                        required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True,
                        help="folder with minic's bin/, lib/ and include/")
    parser.add_argument("--work", type=pathlib.Path,
                        default=pathlib.Path("/tmp/minic-peers"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", nargs="*", default=[],
                        help="only peers whose name contains one of these")
    parser.add_argument("--try-aot", action="store_true",
                        help=argparse.SUPPRESS)
    parser.add_argument("--minic-option", action="append", default=[])
    arguments = parser.parse_args()
    bench = Bench(workloads.WORKLOADS[arguments.workload], arguments)
    if arguments.try_aot:
        bench.build_runner()
        x = workloads.torch_input(bench.workload, bench.x, torch)
        with torch.no_grad():
            bench.error(bench.run_aot_in_cpp(x, bench.compile_aot(x)))
        return 0
    # A stream of its own, as a service has; the legacy default stream would
    # wait for every other one.
    with torch.cuda.stream(torch.cuda.Stream()):
        bench.prepare()
        bench.measure()
    result = bench.report()
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1))
    failed = [n for n in bench.missing if n.startswith("minic")]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
