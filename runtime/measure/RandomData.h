// SPDX-License-Identifier: Apache-2.0
//
// RandomData: reproducible test data that the tuner and its workers make
// independently of each other.

#ifndef MINIC_RUNTIME_MEASURE_RANDOMDATA_H
#define MINIC_RUNTIME_MEASURE_RANDOMDATA_H

#include "runtime/base/Tensor.h"

namespace minic::runtime {

/// A bit of a seed: with it, data of floats begins with a NaN.
constexpr uint64_t withNan = uint64_t(1) << 63;

/// Fills `data` (dense, product of dims elements of dtype) from a generator
/// seeded with `seed` and `name`. Floats are uniform in [-1, 1], integers in
/// [-8, 8], i1 fair; the same on every machine. With `scaleByFanIn` floats of
/// rank 2 or more are divided by sqrt(last dim), as initialized weights are,
/// so that activations stay in the range where they are interesting.
///
/// With `values` integers are what these say: indices uniform in their range;
/// lengths in its upper half, so that timings are those of long ones; of a mask
/// the first half of each row or more, but for one element in eight.
void fillRandom(void *data, DType dtype, absl::Span<const int64_t> dims,
                uint64_t seed, const std::string &name,
                bool scaleByFanIn = false,
                const std::optional<OperandValues> &values = {});
/// The same for a tensor under its own name.
void fillRandom(void *data, const TensorSpec &spec, uint64_t seed);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_RANDOMDATA_H
