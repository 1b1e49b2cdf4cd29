// SPDX-License-Identifier: Apache-2.0
//
// Quantized: bytes that stand for numbers, and what quantizing and products of
// such bytes share.

#ifndef MINIC_COMPILER_IMPORT_ONNX_QUANTIZED_H
#define MINIC_COMPILER_IMPORT_ONNX_QUANTIZED_H

#include "compiler/import/onnx/Node.h"

namespace minic {

/// The numbers (bytes - zero) * scale. The bytes are int8 or uint8, and so is
/// their zero point, which is false for 0.
struct Quantized {
  Value bytes, scale, zero;
};

/// Whether it is int8 or uint8.
bool isByte(int dataType);

/// Whether x is integers that are known to be 0.
bool isKnownZero(Node &n, const Value &x);

/// A scale or a zero point as it broadcasts to a tensor of `rank` dimensions:
/// one number as a scalar, several along `axis`.
Value alongAxis(Node &n, const Value &parameter, int64_t rank, int64_t axis);

/// saturate(round(x) + zero) of a float32, halves to even; no zero for 0.
Value toBytes(Node &n, const Value &x, const Value &zero, int dataType);

/// x as uint8, by the scale and zero point that its range, which has 0 in it,
/// asks for.
Quantized quantizeByRange(Node &n, Value x);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_QUANTIZED_H
