// SPDX-License-Identifier: Apache-2.0
//
// Sums over the elements of the given rows.

#include "runtime/measure/RootMeanSquare.h"

#include "runtime/measure/ElementReader.h"

#include <cmath>

namespace minic::runtime {

RootMeanSquare rootMeanSquare(const ExpectedOutput &expected,
                              const void *data) {
  double values = 0, errors = 0, tolerances = 0;
  int64_t row = rowElements(expected.dims);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double want = expected.values[i], tolerance = expected.tolerances[i];
    if (!std::isfinite(want)) {
      continue;
    }
    int64_t given = int64_t(i) / row;
    int64_t element =
        (expected.rows.empty() ? given : expected.rows[given]) * row +
        int64_t(i) % row;
    double error = readElement(data, expected.dtype, element) - want;
    values += want * want;
    errors += error * error;
    tolerances += tolerance * tolerance;
  }
  auto relative = [&](double squares) {
    return squares > 0 ? std::sqrt(squares / values) : 0;
  };
  return {relative(errors), relative(tolerances)};
}

} // namespace minic::runtime
