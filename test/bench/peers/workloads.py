# SPDX-License-Identifier: Apache-2.0
"""The workloads of the peers benchmark: each as a PyTorch module, as a JAX
function and as a minic model, with what minic has to reach beside its peers.

A workload is a chain of layers. `Linear(n, k)` is x * transpose(w) + b, `Mm(k,
n)` x * w, `Conv(k, c, r)` a "same" convolution with bias in NHWC memory.
"""

import dataclasses

import model_workloads


@dataclasses.dataclass(frozen=True)
class Linear:
    n: int
    k: int


@dataclasses.dataclass(frozen=True)
class Mm:
    k: int
    n: int


@dataclasses.dataclass(frozen=True)
class Conv:
    k: int
    c: int
    r: int


@dataclasses.dataclass(frozen=True)
class Pointwise:
    kind: str  # "relu", "gelu" (the erf form)


RELU, GELU = Pointwise("relu"), Pointwise("gelu")


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    dtype: str            # "f32", "bf16"
    input: tuple          # [M, K], or [N, H, W, C]
    layers: tuple
    #: (group of peers, figure): how many times as fast minic has to be as the
    #: best of the group. Groups are those of peers.PEERS.
    factors: dict = dataclasses.field(default_factory=dict, hash=False)
    #: Its share of time: large problems tune for longer.
    patience: float = 1.0
    function = "main"
    input_names = ("x",)
    in_place = {}
    wanted_us = None
    has_jax = True

    @property
    def outputs(self):
        """(dims, dtype) of each."""
        return [(output_dims(self), self.dtype)]

    @property
    def probe(self):
        """Memory-bound: compared with a kernel that only reads the weights."""
        return any(group == "probe" for group, _ in self.factors)


def mlp(m, k, hidden, n, dtype, factors):
    return Workload(f"mlp_{m}x{k}x{hidden}x{n}_{dtype}", dtype, (m, k),
                    (Linear(hidden, k), RELU, Linear(n, hidden)), factors)


#: No slower than any peer, back to back.
NO_SLOWER = {(group, "back_to_back"): 1.0
             for group in ("torch", "AOTInductor", "XLA", "captured graph")}
#: K = 3420 is no multiple of 8: weights are padded at compile time. What was
#: asked for is 2x of eager, torch.compile, XLA and the captured graph; of
#: AOTInductor, a peer besides, no more than elsewhere.
UNALIGNED = {key: 2.0 for key in NO_SLOWER} | {
    ("AOTInductor", "back_to_back"): 1.0, ("captured graph", "device"): 2.0}
#: Device time within 15 % of the probe's.
BY_MEMORY = NO_SLOWER | {("probe", "device"): 1 / 1.15}


WORKLOADS = {w.name: w for w in (
    mlp(256, 1024, 1024, 1024, "f32", {
        ("torch", "back_to_back"): 1.2, ("XLA", "back_to_back"): 1.2,
        ("captured graph", "back_to_back"): 1.0,
        ("captured graph", "one_call"): 1.0}),
    mlp(256, 1024, 1024, 1024, "bf16", {
        ("torch", "back_to_back"): 3.0, ("XLA", "back_to_back"): 3.0,
        ("captured graph", "back_to_back"): 1.2,
        ("captured graph", "one_call"): 1.1}),
    mlp(1, 4096, 11008, 4096, "bf16", BY_MEMORY),
    mlp(16, 4096, 11008, 4096, "bf16", BY_MEMORY),
    Workload("mm_560x3420x1280_bf16", "bf16", (560, 3420),
             (Mm(3420, 1280),), UNALIGNED),
    Workload("mm_2048x3420x1280_bf16", "bf16", (2048, 3420),
             (Mm(3420, 1280),), UNALIGNED),
    Workload("linear_gelu_2048x4096x16384_bf16", "bf16", (2048, 4096),
             (Linear(16384, 4096), GELU), NO_SLOWER, patience=1.6),
    Workload("conv3x3_256_14x14_b32_bf16", "bf16", (32, 14, 14, 256),
             (Conv(256, 256, 3), RELU), {("torch", "back_to_back"): 2.0}),
    Workload("conv1x1_64_256_56x56_b32_bf16", "bf16", (32, 56, 56, 64),
             (Conv(256, 64, 1), RELU), NO_SLOWER),
)}


#: Whole models, which "all" workloads are without.
MODELS = model_workloads.MODELS
KNOWN = WORKLOADS | MODELS


def weights(workload):
    """{"layer0.weight": (dims, scale), ...} in PyTorch's shapes, scaled so that
    values stay near one."""
    made = {}
    for i, layer in enumerate(workload.layers):
        if isinstance(layer, Linear):
            dims = [layer.n, layer.k]
        elif isinstance(layer, Mm):
            dims = [layer.k, layer.n]
        elif isinstance(layer, Conv):
            dims = [layer.k, layer.c, layer.r, layer.r]
        else:
            continue
        summed = layer.k if not isinstance(layer, Conv) else (
            layer.c * layer.r * layer.r)
        made[f"layer{i}.weight"] = dims, (3 / summed) ** 0.5
        if not isinstance(layer, Mm):
            made[f"layer{i}.bias"] = dims[:1], 0.5
    return made


def output_dims(workload):
    """Of the result as minic writes it."""
    last = [l for l in workload.layers if not isinstance(l, Pointwise)][-1]
    channels = last.k if isinstance(last, Conv) else last.n
    return (*workload.input[:-1], channels)


def torch_module(workload, tensors, torch):
    """An nn.Module over tensors on the GPU; convolutions in channels_last."""
    nn = torch.nn
    if workload.name in MODELS:
        return workload.torch_module(tensors)

    class MatMul(nn.Module):
        def __init__(self, weight):
            super().__init__()
            self.weight = nn.Parameter(weight, requires_grad=False)

        def forward(self, x):
            return torch.mm(x, self.weight)

    layers = []
    for i, layer in enumerate(workload.layers):
        if isinstance(layer, Linear):
            made = nn.Linear(layer.k, layer.n, device="meta")
        elif isinstance(layer, Conv):
            made = nn.Conv2d(layer.c, layer.k, layer.r, padding=layer.r // 2,
                             device="meta")
        elif isinstance(layer, Mm):
            layers.append(MatMul(tensors[f"layer{i}.weight"]))
            continue
        else:
            layers.append(nn.ReLU() if layer == RELU else nn.GELU())
            continue
        for what in ("weight", "bias"):
            value = tensors[f"layer{i}.{what}"]
            if value.dim() == 4:
                value = value.to(memory_format=torch.channels_last)
            setattr(made, what, nn.Parameter(value, requires_grad=False))
        layers.append(made)
    return nn.Sequential(*layers).eval()


def torch_input(workload, x, torch):
    """`x` as the module takes it: NHWC memory seen as NCHW."""
    if workload.name in MODELS:
        return x
    return x.permute(0, 3, 1, 2) if x.dim() == 4 else x


def torch_output(workload, y, torch):
    """The module's result as minic's: dense NHWC."""
    if workload.name in MODELS:
        return y.contiguous()
    return y.permute(0, 2, 3, 1).contiguous() if y.dim() == 4 else y


def jax_function(workload, tensors, jax):
    """f(x) jitted over JAX arrays; f32 products pinned to float32."""
    jnp, lax = jax.numpy, jax.lax
    precision = "highest" if workload.dtype == "f32" else None

    def apply(params, x):
        for i, layer in enumerate(workload.layers):
            if isinstance(layer, Linear):
                x = lax.dot_general(
                    x, params[f"layer{i}.weight"], (((1,), (1,)), ((), ())),
                    precision=precision) + params[f"layer{i}.bias"]
            elif isinstance(layer, Mm):
                x = jnp.dot(x, params[f"layer{i}.weight"], precision=precision)
            elif isinstance(layer, Conv):
                x = lax.conv_general_dilated(
                    x, params[f"layer{i}.weight"], (1, 1), "SAME",
                    dimension_numbers=("NHWC", "OIHW", "NHWC"),
                    precision=precision) + params[f"layer{i}.bias"]
            elif layer == RELU:
                x = jnp.maximum(x, 0)
            else:
                x = jax.nn.gelu(x, approximate=False)
        return x

    jitted = jax.jit(apply)
    return lambda x: jitted(tensors, x)


def minic_model(workload):
    """The model's text; the weights lie beside it in safetensors."""
    dtype = workload.dtype

    def tensor(dims):
        return f"tensor<{'x'.join(map(str, dims))}x{dtype}>"

    dims, value, body = tuple(workload.input), "%x", []

    def constant(i, what, shape):
        body.append(f'    %{what}{i} = graph.constant @"layer{i}.'
                    f'{"weight" if what == "w" else "bias"}" : {tensor(shape)}')

    for i, layer in enumerate(workload.layers):
        before = tensor(dims)
        if isinstance(layer, Linear):
            constant(i, "w", (layer.n, layer.k))
            constant(i, "b", (layer.n,))
            dims = (*dims[:-1], layer.n)
            body.append(
                f"    %{i} = graph.linear {value}, %w{i}, %b{i} : ({before}, "
                f"{tensor((layer.n, layer.k))}, {tensor((layer.n,))}) -> "
                f"{tensor(dims)}")
        elif isinstance(layer, Mm):
            constant(i, "w", (layer.k, layer.n))
            dims = (*dims[:-1], layer.n)
            body.append(f"    %{i} = graph.matmul {value}, %w{i} : ({before}, "
                        f"{tensor((layer.k, layer.n))}) -> {tensor(dims)}")
        elif isinstance(layer, Conv):
            shape = (layer.k, layer.c, layer.r, layer.r)
            pad = layer.r // 2
            constant(i, "w", shape)
            constant(i, "b", (layer.k,))
            dims = (*dims[:-1], layer.k)
            body.append(
                f"    %{i} = graph.conv2d {value}, %w{i}, %b{i} {{pads = "
                f"array<i64: {pad}, {pad}, {pad}, {pad}>, layout = \"nhwc\"}} "
                f": ({before}, {tensor(shape)}, {tensor((layer.k,))}) -> "
                f"{tensor(dims)}")
        else:
            body.append(f"    %{i} = graph.{layer.kind} {value} : {before}")
        value = f"%{i}"
    return "\n".join(
        [f"func.func @main(%x: {tensor(workload.input)}) -> {tensor(dims)} {{"]
        + body + [f"  return {value} : {tensor(dims)}", "}", ""])
