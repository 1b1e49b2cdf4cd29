# SPDX-License-Identifier: Apache-2.0
"""What each peer does in its process. `prepare` imports; `compile` may take
long and may measure on the GPU; `load` is short. Afterwards there are

  loops      back_to_back(n), synchronized(n), host_cost(n)
  capture    enqueues one call that a CUDA graph can capture, or None
  output()   the result as minic's: dense, NHWC
"""

import importlib.util
import subprocess
import time

import gpu_lock
import timing
import workloads

UNLOCKED = "autotuned without the GPU lock"
#: Modes that replay CUDA graphs of their own.
REPLAYS = ("max-autotune", "reduce-overhead")


class Kind:
    has_output = True
    capture = None
    loops = None
    note = ""

    def __init__(self, session, mode=""):
        self.session, self.mode = session, mode

    @property
    def torch(self):
        return self.session.torch

    def prepare(self):
        pass

    def compile(self):
        pass

    def wait(self, result):
        self.torch.cuda.current_stream().synchronize()

    def lock(self):
        """One process at a time has Inductor measure from here on."""
        lock = gpu_lock.GpuLock(self.session.arguments.work / "gpu.lock")
        gpu_lock.guard_inductor(lock)
        return lock

    def runner(self):
        """runner.cpp, which was built before (build_runner.py)."""
        spec = importlib.util.spec_from_file_location(
            "minic_peers_runner", self.session.arguments.runner)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def as_minic(self, y):
        return workloads.torch_output(self.session.workload, y,
                                      self.torch).clone()


class Torch(Kind):
    """Eager, or torch.compile in `mode`."""

    def prepare(self):
        if self.mode:
            import torch._dynamo  # noqa: F401
            import torch._inductor.compile_fx  # noqa: F401

    def compile(self):
        """What is to be said of it, or ""."""
        lock = self.lock() if self.session.arguments.locked else None
        self.session.on_gpu()
        if self.mode:
            self.mark_states()
        self.function = (self.torch.compile(self.session.module,
                                            mode=self.mode)
                         if self.mode else self.session.module)
        for _ in range(5):
            self.call()
        self.torch.cuda.synchronize()
        return UNLOCKED if lock and not lock.taken else ""

    def mark_states(self):
        """A graph is not captured around a changed input that may move."""
        session = self.session
        for name, x in zip(session.workload.input_names, session.inputs):
            if "_cache" in name:
                self.torch._dynamo.mark_static_address(x)

    def call(self):
        return self.function(*self.session.views)

    def load(self):
        if not self.mode:
            self.compile()
        self.loops = timing.PythonLoops(self.call, self.wait)
        if self.mode not in REPLAYS:
            self.capture = self.call

    def output(self):
        return self.as_minic(self.call())


class Captured(Kind):
    """A CUDA graph around eager's kernels, made by hand."""

    def eager(self):
        self.y = self.session.module(*self.session.views)

    def load(self):
        self.graph, self.stream = timing.record(self.torch, self.eager, 1)
        self.static = self.y
        self.capture = self.eager
        self.loops = (self.runner().CapturedGraph(self.graph)
                      if self.mode == "C++" else
                      timing.PythonLoops(self.graph.replay, self.wait))

    def output(self):
        self.static.fill_(float("nan"))
        self.graph.replay()
        self.torch.cuda.synchronize()
        return self.as_minic(self.static)


class AotInductor(Kind):
    """A package, run by its C++ runner. Who compiles it (ahead.py) is another
    process than who runs it."""
    note = "single-threaded mode"

    @property
    def package(self):
        return str(self.session.folder / "model.pt2")

    def compile(self):
        """What is to be said of it, or ""."""
        import torch._inductor
        session = self.session
        lock = self.lock()
        with lock:
            session.on_gpu()
        before = lock.taken
        torch._inductor.aoti_compile_and_package(
            torch.export.export(session.module, tuple(session.views)),
            package_path=self.package,
            inductor_configs={"max_autotune": True})
        return "" if lock.taken > before else UNLOCKED

    def load(self):
        self.loops = self.runner().AotInductor(self.package,
                                               self.session.views)
        self.loops.call()
        self.capture = self.loops.call

    def output(self):
        self.loops.call()
        self.torch.cuda.synchronize()
        return self.as_minic(self.loops.output())


class Xla(Kind):
    def prepare(self):
        import jax
        self.jax = jax

    def compile(self):
        session, jax = self.session, self.jax
        session.on_gpu()
        tensors = {k: jax.dlpack.from_dlpack(v.contiguous())
                   for k, v in session.tensors.items()}
        self.x = jax.dlpack.from_dlpack(session.inputs[0])
        self.function = workloads.jax_function(session.workload, tensors, jax)
        for _ in range(3):
            self.call().block_until_ready()

    def call(self):
        return self.function(self.x)

    def wait(self, result):
        result.block_until_ready()

    def load(self):
        self.loops = timing.PythonLoops(self.call, self.wait)

    def output(self):
        y = self.call().block_until_ready()
        return self.torch.from_dlpack(y).clone()


class Minic(Kind):
    """The compiler as a user runs it, then the C API in this process."""

    def compile(self):
        """With a database of its own: cold, then warm."""
        session, folder = self.session, self.session.folder
        root = session.arguments.root
        self.artifact = folder / f"{self.mode}.minic"
        seconds = []
        for run in ("cold", "warm") if self.mode != "default" else ("cold",):
            start = time.perf_counter()
            done = subprocess.run(
                [root / "bin/minic", "--target=cuda", f"--mode={self.mode}",
                 f"--tune-db={folder / f'{self.mode}.db'}",
                 f"--tune-report={folder / f'{self.mode}.{run}.json'}",
                 "--log=autotuning,graphs,perf-hints", "-o", self.artifact,
                 f"--function={session.workload.function}",
                 *session.arguments.minic_option, folder / "model.mlir"],
                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            seconds.append(time.perf_counter() - start)
            (folder / f"{self.mode}.{run}.log").write_text(done.stdout)
            if done.returncode != 0:
                lines = done.stdout.strip().splitlines() or ["?"]
                raise RuntimeError(f"minic: {lines[-1]}")
        self.note = "compiled in " + ", ".join(f"{s:.2f} s" for s in seconds)

    def load(self):
        session = self.session
        dtypes = {"f32": self.torch.float32, "bf16": self.torch.bfloat16,
                  "f16": self.torch.float16}
        outputs = [self.torch.full(dims, float("nan"), dtype=dtypes[dtype],
                                   device="cuda")
                   for dims, dtype in session.workload.outputs]
        for output, updated in session.workload.in_place.items():
            outputs[output] = session.inputs[updated]
        self.y = outputs[0]
        self.loops = self.runner().Minic(
            str(session.arguments.root / "lib/libminic_runtime.so"),
            str(self.artifact), session.workload.function, session.inputs,
            outputs)
        self.call()
        self.torch.cuda.synchronize()
        self.loops.back_to_back(8)  # an idle stream, then a busy one
        self.note += "; " + self.loops.how()
        self.capture = self.call

    def call(self):
        """On the current stream, which is another one in a capture."""
        self.loops.on_stream()
        self.loops.call()

    def output(self):
        self.y.fill_(float("nan"))
        self.torch.cuda.synchronize()
        self.call()
        self.torch.cuda.synchronize()
        return self.y.clone()


class Probe(Kind):
    """Reads the weights and does nothing with them."""
    has_output = False

    def load(self):
        weights = [v for v in self.session.tensors.values() if v.dim() > 1]
        self.loops = self.runner().ReadProbe(weights)
        self.capture = self.loops.call


def make(name, session):
    """The peer that peers.PEERS calls `name`."""
    first, _, mode = name.partition(" ")
    kind = {"minic": Minic, "XLA": Xla, "AOTInductor": AotInductor,
            "torch.compile": Torch, "captured": Captured,
            "read-only": Probe}.get(first)
    if first == "torch":
        return Torch(session)
    if kind is Captured:
        return kind(session, "C++" if name.endswith("(C++)") else "")
    return kind(session, mode)
