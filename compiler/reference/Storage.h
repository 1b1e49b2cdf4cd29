// SPDX-License-Identifier: Apache-2.0
//
// Storage: what storing a float in a dtype does to it.

#ifndef MINIC_COMPILER_REFERENCE_STORAGE_H
#define MINIC_COMPILER_REFERENCE_STORAGE_H

#include "mlir/IR/Types.h"

namespace minic::reference {

struct FloatFormat {
  int precision;         // significant bits, the hidden one included
  int smallestExponent;  // of the smallest subnormal
  double largest;        // finite one
  double overflow;       // magnitudes from here on round to infinity
  double smallestNormal; // below, roundings are absolute or flush to zero
  double roundoff() const;
};

/// The format of f32, bf16 or f16.
FloatFormat getFloatFormat(mlir::Type dtype);

/// `value` rounded to nearest even in float `dtype`.
double roundToDtype(double value, mlir::Type dtype);

/// How far rounding a value of up to `magnitude` to `dtype` may move it; 0 for
/// a magnitude of 0.
double storageError(double magnitude, mlir::Type dtype);

/// `value` wrapped to the integers of `dtype` in two's complement; i1 is 0, 1.
int64_t wrapToDtype(int64_t value, mlir::Type dtype);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_STORAGE_H
