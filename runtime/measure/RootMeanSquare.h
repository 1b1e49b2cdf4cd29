// SPDX-License-Identifier: Apache-2.0
//
// RootMeanSquare: how far an output is from the reference as a whole, which
// says something where the bounds of its elements have grown too wide to.

#ifndef MINIC_RUNTIME_MEASURE_ROOTMEANSQUARE_H
#define MINIC_RUNTIME_MEASURE_ROOTMEANSQUARE_H

#include "runtime/measure/ExpectedOutputs.h"

namespace minic::runtime {

/// Both of the root mean square of the expected values; elements that are
/// expected to be infinite or NaN take no part.
struct RootMeanSquare {
  double error = 0; // of got - expected
  double bound = 0; // of the tolerances

  /// A wrong output would hardly be found by its tolerances.
  bool isVacuous() const { return bound > 0.25; }
};

/// Of the given rows. `data` has the dims and dtype of `expected`.
RootMeanSquare rootMeanSquare(const ExpectedOutput &expected, const void *data);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_ROOTMEANSQUARE_H
