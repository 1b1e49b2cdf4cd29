# SPDX-License-Identifier: Apache-2.0
"""Cases of quantized_tests.py: to bytes and back, and products of bytes."""

import itertools

import numpy
from onnx import TensorProto

from contrib_cases import Case

RANDOM = numpy.random.default_rng(11)
BYTES = (numpy.int8, numpy.uint8)
# What is known when minic compiles: nothing, or a scale and a zero point.
KNOWN = ([], [1, 2])


def random(*dims, scale=1.0):
    return single(scale * RANDOM.standard_normal(dims))


def scales(*dims):
    return single(RANDOM.uniform(0.01, 0.1, dims))


def bytes_of(dtype, *dims):
    limits = numpy.iinfo(dtype)
    return numpy.asarray(
        RANDOM.integers(limits.min, limits.max + 1, dims)).astype(dtype)


def single(x):
    return numpy.asarray(x).astype(numpy.float32)


def int8(x):
    return numpy.array(x, numpy.int8)


def uint8(x):
    return numpy.array(x, numpy.uint8)


def standard(name, op, inputs, outputs, opset=13, **options):
    return Case(name, op, inputs, outputs, domain="", opset=opset, **options)


# --- To bytes and back

def along(parameter, x, axis):
    """One number, or a vector as it broadcasts along the axis of x."""
    if parameter.size == 1:
        return parameter
    dims = [1] * x.ndim
    dims[axis] = -1
    return parameter.reshape(dims)


def to_bytes(x, zero, dtype):
    """Halves become even before the zero point is added, not after."""
    limits = numpy.iinfo(dtype)
    return numpy.clip(numpy.rint(x) + zero.astype(int),
                      limits.min, limits.max).astype(dtype)


def quantized(x, scale, zero, axis=1):
    """Divided in float32, whatever the dtypes."""
    ratio = single(x) / along(single(scale), x, axis)
    return to_bytes(ratio, along(zero, x, axis), zero.dtype)


def quantize_case(name, x, scale, zero, opset=13, axis=None, weights=()):
    return standard(name, "QuantizeLinear", [x, scale, zero],
                    [quantized(x, scale, zero, 1 if axis is None else axis)],
                    opset, weights=weights,
                    **({} if axis is None else {"axis": axis}))


def quantize():
    # Halves between bytes, and what is beyond the first and the last byte.
    halves = single(numpy.arange(-720, 720)).reshape(6, -1) / 8
    quarter = single(0.25)
    for zero in (uint8(131), int8(-3), uint8(0), int8(0)):
        for known in KNOWN:
            yield quantize_case(f"quantize_{zero.dtype}_{zero}_{len(known)}",
                                halves, quarter, zero, weights=known)
    yield quantize_case("quantize_opset_10", halves, quarter, uint8(7), 10)
    yield standard("quantize_no_zero", "QuantizeLinear", [halves, quarter],
                   [quantized(halves, quarter, uint8(0))])
    yield standard("quantize_output_dtype", "QuantizeLinear",
                   [halves, quarter], [quantized(halves, quarter, int8(0))],
                   21, output_dtype=TensorProto.INT8)
    yield quantize_case("quantize_vector", random(9, scale=3), scales(1),
                        uint8([100]))
    x = random(2, 5, 3, 4, scale=4)
    for axis, dtype in ((None, numpy.uint8), (0, numpy.int8),
                        (-1, numpy.int8)):
        size = x.shape[1 if axis is None else axis]
        for known in KNOWN:
            yield quantize_case(f"quantize_axis_{axis}_{len(known)}", x,
                                scales(size), bytes_of(dtype, size), axis=axis,
                                weights=known)
    yield quantize_case("quantize_float16", x.astype(numpy.float16),
                        scales(5).astype(numpy.float16),
                        bytes_of(numpy.uint8, 5), 21, weights=[1, 2])
    yield quantize_case(
        "quantize_int32",
        RANDOM.integers(-400, 400, (4, 6)).astype(numpy.int32), single(2),
        int8(1))


def numbers(x, scale, zero, axis=1):
    difference = x.astype(int) - along(zero, x, axis)
    return single(difference) * along(single(scale), x, axis)


def dequantize():
    for dtype, known in itertools.product(BYTES, KNOWN):
        x, kind = bytes_of(dtype, 3, 5, 4), dtype.__name__
        for axis in (None, 0, -1):
            scale = scales(x.shape[1 if axis is None else axis])
            zero = bytes_of(dtype, *scale.shape)
            yield standard(
                f"dequantize_{kind}_axis_{axis}_{len(known)}",
                "DequantizeLinear", [x, scale, zero],
                [numbers(x, scale, zero, 1 if axis is None else axis)],
                weights=known, **({} if axis is None else {"axis": axis}))
        scale, zero = scales(), bytes_of(dtype)
        yield standard(f"dequantize_{kind}_{len(known)}", "DequantizeLinear",
                       [x, scale, zero], [numbers(x, scale, zero)], 10,
                       weights=known)
    yield standard("dequantize_no_zero", "DequantizeLinear", [x, scale],
                   [numbers(x, scale, uint8(0))])
    whole = RANDOM.integers(-9000, 9000, (4, 6)).astype(numpy.int32)
    scale, zero = scales(6), numpy.array(0, numpy.int32)
    yield standard("dequantize_int32", "DequantizeLinear", [whole, scale],
                   [numbers(whole, scale, zero)], axis=-1)
    yield standard("dequantize_int32_zero", "DequantizeLinear",
                   [whole, scale[:1], zero], [numbers(whole, scale[:1], zero)])
    half = scales(5).astype(numpy.float16)
    zero = bytes_of(numpy.uint8, 5)
    result = numbers(x, half, zero)
    yield standard("dequantize_float16", "DequantizeLinear", [x, half, zero],
                   [result.astype(numpy.float16)], 21, weights=[1])
    yield standard("dequantize_output_dtype", "DequantizeLinear",
                   [x, half, zero], [result], 23,
                   output_dtype=TensorProto.FLOAT)


def by_range(x):
    """x as uint8, its scale and its zero point."""
    low, high = min(x.min(), single(0)), max(x.max(), single(0))
    scale = single((high - low) / single(255)) if high > low else single(1)
    zero = to_bytes(-low / scale, uint8(0), numpy.uint8)
    return to_bytes(x / scale, zero, numpy.uint8), scale, zero


def quantize_by_range():
    x = random(3, 4, 5)
    for name, values in (("both", x), ("above", abs(x) + 1),
                         ("below", -abs(x) - 1), ("zeros", 0 * abs(x)),
                         ("scalar", single(-2.5))):
        yield standard(f"dynamic_{name}", "DynamicQuantizeLinear", [values],
                       list(by_range(values)))


# --- Products

def integer_product(a, b, a_zero=0, b_zero=0):
    """Zero points as they broadcast, but for a vector of those of rows."""
    a_zero, b_zero = numpy.asarray(a_zero), numpy.asarray(b_zero)
    if a_zero.ndim == 1:
        a_zero = a_zero[:, None]
    return ((a.astype(int) - a_zero) @ (b.astype(int) - b_zero)).astype(
        numpy.int32)


def integer_products():
    def case(name, *operands, weights=()):
        values = [0 if x is None else x for x in operands]
        return standard(f"integer_{name}", "MatMulInteger", operands,
                        [integer_product(*values)], weights=weights)

    for left, right in itertools.product(BYTES, BYTES):
        name = f"{left.__name__}_{right.__name__}"
        a, b = bytes_of(left, 7, 13), bytes_of(right, 13, 9)
        zeros = [bytes_of(left), bytes_of(right)]
        yield case(name, a, b)
        yield case(f"{name}_zeros", a, b, *zeros)
        yield case(f"{name}_weight", a, b, *zeros, weights=[1, 2, 3])
        yield case(f"{name}_columns", a, b, zeros[0], bytes_of(right, 9))
        yield case(f"{name}_rows", a, b, bytes_of(left, 7), bytes_of(right, 9),
                   weights=[1])
        # More bytes than are computed with when a model is read.
        wide = bytes_of(right, 300, 40)
        yield case(f"{name}_large", bytes_of(left, 5, 300), wide, *zeros,
                   weights=[1])
    # The middle of uint8 is 0 of int8, and leaves nothing to take away.
    yield case("middle", uint8([[0, 128, 255]]), bytes_of(numpy.int8, 3, 4),
               uint8(128), int8(0), weights=[2, 3])
    yield case("extremes", numpy.full((2, 500), 255, numpy.uint8),
               numpy.full((500, 3), -128, numpy.int8), uint8(0), int8(127))
    a, b = bytes_of(numpy.uint8, 2, 3, 4, 6), bytes_of(numpy.int8, 3, 6, 5)
    yield case("batch", a, b, uint8(100), int8(-7))
    yield case("batch_lines", a, b, bytes_of(numpy.uint8, 2, 3, 4, 1),
               bytes_of(numpy.int8, 3, 1, 5))
    yield case("batch_weight", a, b, uint8(100), bytes_of(numpy.int8, 3, 1, 5),
               weights=[1, 3])
    row, column = bytes_of(numpy.uint8, 6), bytes_of(numpy.uint8, 6)
    yield case("row", row, bytes_of(numpy.int8, 6, 5), uint8(9))
    yield case("column", a, column, uint8([9]), uint8(11))
    yield case("vectors", row, column, uint8(9), uint8(11))


def linear_products():
    """QLinearMatMul."""
    def case(name, a, b, y, opset=10, weights=()):
        """Operands are elements, scale and zero point; y is without the first."""
        per_row = [single(p)[:, None] if p.ndim == 1 else single(p)
                   for p in (a[1], y[0], y[1])]
        factor = per_row[0] * single(b[1]) / per_row[1]
        real = single(integer_product(a[0], b[0], a[2], b[2])) * factor
        return standard(f"linear_{name}", "QLinearMatMul", [*a, *b, *y],
                        [to_bytes(real, per_row[2], y[1].dtype)], opset,
                        weights=weights)

    for left, right, to in itertools.product(BYTES, BYTES, BYTES):
        name = f"{left.__name__}_{right.__name__}_{to.__name__}"
        a = [bytes_of(left, 2, 7, 13), scales(), bytes_of(left)]
        b = [bytes_of(right, 13, 9), scales(), bytes_of(right)]
        yield case(name, a, b, [single(5), bytes_of(to)],
                   weights=range(1, 8))
        yield case(f"{name}_columns", a,
                   [b[0], scales(9), bytes_of(right, 9)],
                   [single(5), bytes_of(to)])
    yield case("rows", [a[0][0], scales(7), bytes_of(left, 7)], b,
               [scales(7) * 90, bytes_of(to, 7)])
    halves = [x.astype(numpy.float16) if x.dtype == numpy.float32 else x
              for x in (*a, *b, single(5), bytes_of(to))]
    yield case("float16", halves[:3], halves[3:6], halves[6:], 21)


def convolution(x, filter_, pads, strides, group):
    """Of integers, [N, C, H, W]; pads before and after each dimension."""
    x = numpy.pad(x.astype(numpy.int64), ((0, 0), (0, 0), *pads))
    (count, per_group, height, width), n = filter_.shape, len(x)
    lines = (x.shape[2] - height) // strides[0] + 1
    columns = (x.shape[3] - width) // strides[1] + 1
    result = numpy.zeros((n, count, lines, columns), numpy.int64)
    for k, (i, j) in itertools.product(
            range(count), itertools.product(range(lines), range(columns))):
        channel = k // (count // group) * per_group
        row, column = i * strides[0], j * strides[1]
        result[:, k, i, j] = (
            x[:, channel:channel + per_group, row:row + height,
              column:column + width] * filter_[k].astype(numpy.int64)
        ).sum((1, 2, 3))
    return result


def convolutions():
    """QLinearConv."""
    def case(name, x, filter_, y, bias=None, pads=((0, 0), (0, 0)),
             strides=(1, 1), group=1, **options):
        """Operands are elements, scale and zero point; y is without the first."""
        shift = filter_[2].reshape(-1, 1, 1, 1).astype(numpy.int64)
        sums = convolution(x[0].astype(numpy.int64) - int(x[2]),
                           filter_[0].astype(numpy.int64) - shift, pads,
                           strides, group)
        if bias is not None:
            sums = sums + bias.reshape(-1, 1, 1)
        factor = x[1] * filter_[1].reshape(-1, 1, 1) / y[0]
        (top, bottom), (left, right) = pads
        return standard(f"conv_{name}", "QLinearConv",
                        [*x, *filter_, *y] + ([] if bias is None else [bias]),
                        [to_bytes(single(sums) * factor, y[1], y[1].dtype)],
                        10, pads=[top, left, bottom, right],
                        strides=list(strides), group=group, **options)

    for left, right, to in itertools.product(BYTES, BYTES, BYTES):
        x = [bytes_of(left, 2, 4, 7, 6), scales(), bytes_of(left)]
        y = [single(9), bytes_of(to)]
        yield case(f"{left.__name__}_{right.__name__}_{to.__name__}", x,
                   [bytes_of(right, 6, 4, 3, 3), scales(), bytes_of(right)],
                   y, weights=range(1, 8))
        yield case(f"{left.__name__}_{right.__name__}_{to.__name__}_filters", x,
                   [bytes_of(right, 6, 2, 3, 2), scales(6),
                    bytes_of(right, 6)], y,
                   RANDOM.integers(-900, 900, 6).astype(numpy.int32),
                   ((1, 2), (0, 1)), (2, 1), 2)


def real_products():
    """ONNX Runtime's."""
    for left, right in itertools.product(BYTES, BYTES):
        name = f"{left.__name__}_{right.__name__}"
        a, b = bytes_of(left, 2, 7, 13), bytes_of(right, 13, 9)
        a_scale, b_scale, bias = scales(), scales(9), random(9)
        zeros = [bytes_of(left), bytes_of(right, 9)]
        factor = a_scale * b_scale
        plain = single(integer_product(a, b)) * factor
        yield Case(f"to_float_{name}", "MatMulIntegerToFloat",
                   [a, b, a_scale, b_scale], [plain])
        yield Case(f"to_float_{name}_bias", "MatMulIntegerToFloat",
                   [a, b, a_scale, b_scale, None, None, bias], [plain + bias],
                   weights=[1, 3, 6])
        shifted = single(integer_product(a, b, *zeros)) * factor
        yield Case(f"to_float_{name}_zeros", "MatMulIntegerToFloat",
                   [a, b, a_scale, b_scale, *zeros, bias], [shifted + bias],
                   weights=[1, 3, 5, 6])
    for right, known in itertools.product(BYTES, ([], [1, 2, 3, 4])):
        name = f"dynamic_matmul_{right.__name__}_{len(known)}"
        x, b = random(2, 7, 13), bytes_of(right, 13, 9)
        b_scale, b_zero, bias = scales(9), bytes_of(right, 9), random(9)
        a, a_scale, a_zero = by_range(x)
        factor = a_scale * b_scale
        real = single(integer_product(a, b, a_zero, b_zero)) * factor
        yield Case(name, "DynamicQuantizeMatMul",
                   [x, b, b_scale, b_zero, bias], [real + bias], weights=known)
        real = single(integer_product(a, b, a_zero)) * factor[0]
        yield Case(f"{name}_plain", "DynamicQuantizeMatMul",
                   [x, b, b_scale[:1]], [real], weights=known[:2])


def cases():
    return [*quantize(), *dequantize(), *quantize_by_range(),
            *integer_products(), *linear_products(), *convolutions(),
            *real_products()]
