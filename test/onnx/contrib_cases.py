# SPDX-License-Identifier: Apache-2.0
"""Cases of contrib_tests.py: activations, norms, embeddings, products."""

import math

import numpy
from onnx import helper, numpy_helper

RANDOM = numpy.random.default_rng(7)


class Case:
    """One node; `weights` are the numbers of operands that are initializers."""

    def __init__(self, name, op, inputs, outputs, domain="com.microsoft",
                 opset=17, weights=(), **attributes):
        self.name, self.opset = name, opset
        self.rtol, self.atol, self.frozen = 1e-5, 1e-5, set()
        arrays = {f"i{i}": x for i, x in enumerate(inputs) if x is not None}
        results = {f"o{i}": x for i, x in enumerate(outputs) if x is not None}
        constants = [f"i{i}" for i in weights]
        self.inputs = {k: x for k, x in arrays.items() if k not in constants}
        self.outputs = list(results.values())
        node = helper.make_node(
            op, named("i", inputs), named("o", outputs), domain=domain,
            **attributes)
        self.model = helper.make_model(
            helper.make_graph(
                [node], name, [info(*entry) for entry in self.inputs.items()],
                [info(*entry) for entry in results.items()],
                [numpy_helper.from_array(arrays[k], k) for k in constants]),
            opset_imports=[helper.make_opsetid("", opset),
                           helper.make_opsetid("com.microsoft", 1)],
            ir_version=9)

    def ops(self):
        return {node.op_type for node in self.model.graph.node}


def named(prefix, arrays):
    return [f"{prefix}{i}" if x is not None else ""
            for i, x in enumerate(arrays)]


def info(name, array):
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def random(*dims, scale=1.0):
    return (scale * RANDOM.standard_normal(dims)).astype(numpy.float32)


def integers(below, *dims):
    return RANDOM.integers(0, below, dims).astype(numpy.int32)


def single(x):
    return numpy.asarray(x).astype(numpy.float32)


def gelu(x):
    x = x.astype(float)
    return single(x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))) / 2)


def tanh_gelu(x):
    x = x.astype(float)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return single(x * (1 + numpy.tanh(inner)) / 2)


def activations():
    x, bias = random(3, 5, 7, scale=2), random(7)
    yield Case("gelu", "Gelu", [x], [gelu(x)])
    yield Case("bias_gelu", "BiasGelu", [x, bias], [gelu(x + bias)],
               weights=[1])
    yield Case("fast_gelu", "FastGelu", [x], [tanh_gelu(x)])
    yield Case("fast_gelu_bias", "FastGelu", [x, bias],
               [tanh_gelu(x + bias)], weights=[1])
    for name, alpha in (("quick_gelu", 1.702), ("quick_gelu_alpha", -0.5)):
        wide = x.astype(float)
        yield Case(name, "QuickGelu", [x],
                   [single(wide / (1 + numpy.exp(-alpha * wide)))], alpha=alpha)


def layer_norm(x, scale, bias=0.0, epsilon=1e-12, axis=-1):
    axes = tuple(range(axis % x.ndim, x.ndim))
    x = x.astype(float)
    x -= x.mean(axes, keepdims=True)
    x /= numpy.sqrt((x**2).mean(axes, keepdims=True) + epsilon)
    return single(x * scale + bias)


def rms_norm(x, scale, epsilon=1e-12):
    x = x.astype(float)
    x /= numpy.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
    return single(x * scale)


def norms():
    x, skip = random(2, 5, 12), random(2, 5, 12)
    scale, beta, bias = random(12), random(12), random(12)
    yield Case("old_layer_norm", "LayerNormalization", [x, scale, beta],
               [layer_norm(x, scale, beta, 1e-3)], domain="", opset=14,
               weights=[1, 2], epsilon=1e-3)
    # Parameters that vary outside of the normalised dimensions, or not in all of
    # these.
    for name, rows, shift in (
            ("whole", random(2, 5, 12), random(5, 1)),
            ("row", random(5, 12), beta), ("column", random(5, 1), None),
            ("batch", random(2, 1, 1), random(1, 1, 12)),
            ("one", random(1), random(1))):
        yield Case(f"layer_norm_{name}", "LayerNormalization",
                   [x, rows] + ([] if shift is None else [shift]),
                   [layer_norm(x, rows, 0 if shift is None else shift, 1e-5)],
                   domain="", weights=[1], epsilon=1e-5)
        yield Case(f"rms_norm_{name}", "RMSNormalization", [x, rows],
                   [rms_norm(x, rows, 1e-5)], domain="", opset=23, weights=[1],
                   epsilon=1e-5)
    yield Case("simplified", "SimplifiedLayerNormalization", [x, scale],
               [rms_norm(x, scale, 1e-5)], domain="", weights=[1])
    yield Case("skip", "SkipLayerNormalization", [x, skip, scale, beta],
               [layer_norm(x + skip, scale, beta)], weights=[2, 3])
    total = x + skip + bias
    yield Case("skip_sum", "SkipLayerNormalization",
               [x, skip, scale, beta, bias],
               [layer_norm(total, scale, beta, 1e-5), None, None, total],
               weights=[2, 3, 4], epsilon=1e-5)
    yield Case("skip_broadcast", "SkipLayerNormalization",
               [x, skip[:1], scale], [layer_norm(x + skip[:1], scale)],
               weights=[2])
    yield Case("skip_rms", "SkipSimplifiedLayerNormalization",
               [x, skip, scale],
               [rms_norm(x + skip, scale, 1e-6), None, None, x + skip],
               weights=[2], epsilon=1e-6)
    yield Case("skip_rms_bias", "SkipSimplifiedLayerNormalization",
               [x, skip, scale, bias],
               [rms_norm(total, scale, 1e-6), None, None, total],
               weights=[2, 3], epsilon=1e-6)


def embeddings():
    words, positions, segments = random(11, 6), random(9, 6), random(2, 6)
    scale, beta = random(6), random(6)
    ids, kinds, places = integers(11, 2, 5), integers(2, 2, 5), integers(9, 2, 5)
    mask = (numpy.arange(5)[None] < [[5], [3]]).astype(numpy.int32)
    counts = mask.sum(1, dtype=numpy.int32)
    total = words[ids] + positions[:5]
    yield Case("embed", "EmbedLayerNormalization",
               [ids, kinds, words, positions, segments, scale, beta, mask],
               [layer_norm(total + segments[kinds], scale, beta), counts],
               weights=[2, 3, 4, 5, 6])
    yield Case("embed_no_segments", "EmbedLayerNormalization",
               [ids, None, words, positions, None, scale, beta],
               [layer_norm(total, scale, beta), numpy.zeros(2, numpy.int32)],
               weights=[2, 3, 5, 6])
    total = words[ids] + positions[places] + segments[kinds]
    yield Case("embed_positions", "EmbedLayerNormalization",
               [ids, kinds, words, positions, segments, scale, beta, mask,
                places],
               [layer_norm(total, scale, beta, 1e-5), counts, total],
               weights=[2, 3, 4, 5, 6], epsilon=1e-5)


def product(a, b):
    return single(a.astype(float) @ b.astype(float))


def products():
    x, y = random(2, 3, 4, 5), random(2, 3, 5, 7)
    yield Case("fused_matmul", "FusedMatMul", [x, y], [product(x, y)])
    w = random(7, 5)
    yield Case("fused_matmul_alpha", "FusedMatMul", [x, w],
               [product(0.25 * x, w.T)], weights=[1], alpha=0.25, transB=1)
    yield Case("fused_matmul_transposed", "FusedMatMul",
               [x.swapaxes(2, 3).copy(), y], [product(x, y)], transA=1)
    # The rows of x, 4, come first, then the batch.
    rows_first = x.transpose(2, 0, 1, 3).copy()
    yield Case("fused_matmul_batch", "FusedMatMul", [rows_first, y],
               [product(x, y)], transBatchA=1)
    yield Case("fused_matmul_batches", "FusedMatMul",
               [rows_first, y.transpose(2, 0, 1, 3).copy()], [product(x, y)],
               transBatchA=1, transBatchB=1)


def cases():
    return [*activations(), *norms(), *embeddings(), *products()]
