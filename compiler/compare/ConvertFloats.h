// SPDX-License-Identifier: Apache-2.0
//
// convertFloats: floats of one dtype as those of another.

#ifndef MINIC_COMPILER_COMPARE_CONVERTFLOATS_H
#define MINIC_COMPILER_COMPARE_CONVERTFLOATS_H

#include "runtime/base/Tensor.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace minic {

/// Whether `dtype` (f32, bf16, f16) is one of floats.
bool isFloat(runtime::DType dtype);

/// `count` floats of dtype `from` rounded to the nearest of dtype `to`.
std::vector<char> convertFloats(const void *data, runtime::DType from,
                                int64_t count, runtime::DType to);

/// `count` float64 rounded to float32; data need not be aligned.
std::vector<char> narrowDoubles(const char *data, int64_t count);

/// What that takes off each of them, rounded to float32; 0 of what is not
/// finite.
std::vector<char> restOfDoubles(const char *data, int64_t count);

} // namespace minic

#endif // MINIC_COMPILER_COMPARE_CONVERTFLOATS_H
