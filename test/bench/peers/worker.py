# SPDX-License-Identifier: Apache-2.0
"""One peer in a process of its own: answers requests of peers.py, a line each.

  import    loads the framework
  compile   what may take long; may choose by measuring on the GPU; returns
            what is to be said of it
  load      first calls, comparison with float64, a graph of unrolled calls
  sample    one figure (timing.py)
"""

import argparse
import pathlib

import answering
import gpu_lock
import kinds
import timing
import workloads


class Session:
    """A peer and what it is measured on."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.workload = workloads.KNOWN[arguments.workload]
        self.folder = arguments.work / self.workload.name
        self.graph = None
        self.peer = kinds.make(arguments.peer, self)

    def do_import(self):
        import torch
        self.torch = torch
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        self.peer.prepare()

    def on_gpu(self):
        """Weights and input on the GPU, once. Calls go to a stream of their
        own, as a service has; the legacy default stream would wait for every
        other one."""
        if hasattr(self, "x"):
            return
        from safetensors.torch import load_file
        torch = self.torch
        torch.cuda.set_stream(torch.cuda.Stream())
        self.tensors = load_file(self.folder / "model.safetensors", "cuda")
        inputs = load_file(self.folder / "input.safetensors", "cuda")
        self.inputs = [inputs[name] for name in self.workload.input_names]
        self.module = workloads.torch_module(self.workload, self.tensors,
                                             torch)
        self.views = [workloads.torch_input(self.workload, x, torch)
                      for x in self.inputs]
        torch.cuda.synchronize()

    def do_compile(self):
        return self.peer.compile()

    def do_load(self):
        """What the peer has to say, and its error."""
        self.on_gpu()
        self.peer.load()
        self.torch.cuda.synchronize()
        error = self.error() if self.peer.has_output else None
        note = self.peer.note
        if self.peer.capture:
            try:
                self.graph, self.stream = timing.record(self.torch,
                                                        self.peer.capture)
            except Exception as exception:  # it has no device time, then
                note += f" (not captured: {answering.first_line(exception)})"
                self.torch.cuda.synchronize()
        return {"error": error, "note": note.strip(),
                "device": self.torch.cuda.get_device_name(),
                "torch": self.torch.__version__,
                "cuda": self.torch.version.cuda,
                "cudnn": self.torch.backends.cudnn.version()}

    def error(self):
        """|output - expected| / |expected| in float64."""
        torch = self.torch
        expected = self.expected()
        got = self.peer.output().double()
        torch.cuda.synchronize()
        if got.shape != expected.shape:
            raise ValueError(f"shape {tuple(got.shape)}, expected "
                             f"{tuple(expected.shape)}")
        error = float((got - expected).norm() / expected.norm())
        limit = self.limit(expected)
        if not error <= limit:
            raise ValueError(f"wrong: error {error:.2e}, at most {limit}")
        return error

    def expected(self):
        """In float64. The first peer that comes here computes it for all of the
        workload: weights of gigabytes would not fit in float64 for each."""
        torch, path = self.torch, self.folder / "expected.pt"
        with gpu_lock.GpuLock(self.folder / "expected.lock"):
            if not path.exists():
                exact = workloads.torch_module(
                    self.workload,
                    {k: wide(v) for k, v in self.tensors.items()}, torch)
                y = workloads.torch_output(
                    self.workload, exact(*map(wide, self.views)), torch)
                part = path.with_suffix(".part")
                torch.save(y.cpu(), part)
                part.replace(path)
                del exact, y
                torch.cuda.empty_cache()
            return torch.load(path).cuda()

    def limit(self, expected):
        """Of the error; a whole model's grows with its depth, and may be 1.5
        times that of eager execution."""
        if self.workload.name not in workloads.MODELS:
            return 1e-2 if self.workload.dtype == "bf16" else 1e-5
        eager = self.module(*self.views).double()
        return 1.5 * float((eager - expected).norm() / expected.norm())

    def do_sample(self, kind, n):
        return timing.sample(self.torch, self.peer.loops, self.graph, kind, n)


def wide(x):
    return x.double() if x.is_floating_point() else x


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--runner", type=pathlib.Path, required=True)
    parser.add_argument("--minic-option", action="append", default=[])
    parser.add_argument("--locked", action="store_true",
                        help="others compile side by side")
    answering.answer_requests(Session(parser.parse_args()))


if __name__ == "__main__":
    main()
