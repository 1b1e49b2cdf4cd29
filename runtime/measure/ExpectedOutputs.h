// SPDX-License-Identifier: Apache-2.0
//
// ExpectedOutputs: what the float64 reference says, element by element, as a
// file between the compiler (which writes it) and whoever verifies a run.

#ifndef MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTS_H
#define MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTS_H

#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

namespace minic::runtime {

/// Reference values of some rows of one output. A row is all elements that
/// share every index but the last; row r covers elements [r * rowElements,
/// (r + 1) * rowElements). A scalar has one row of one element.
struct ExpectedOutput {
  std::string name;
  DType dtype;
  std::vector<int64_t> dims;
  /// Rows that are given, ascending; all of them where `rows` is empty and
  /// the output is not.
  std::vector<int64_t> rows;
  /// Values and absolute tolerances of the given rows, row-major. A NaN value
  /// must be met by NaN; an infinite tolerance accepts anything.
  std::vector<double> values;
  std::vector<double> tolerances;
  /// Alternative values accepted too (the other branch of a compare or select
  /// within its margin); empty, or parallel to `values` with NaN for none.
  std::vector<double> alternatives;
};

absl::Status writeExpectedOutputs(const std::string &path,
                                  const std::vector<ExpectedOutput> &outputs);
absl::StatusOr<std::vector<ExpectedOutput>>
readExpectedOutputs(const std::string &path);

/// How an output compares. `worst` is max over elements of |got - expected| /
/// tolerance: at most 1 is right.
struct Comparison {
  bool matches = true;
  double worst = 0;
  double maxAbsoluteError = 0;
  double maxRelativeError =
      0; // |got - expected| / max |expected| of the output
  std::string
      detail; // first mismatch: "output y[3, 17]: expected 1.5 ±1e-3, got nan"
};
Comparison compare(const ExpectedOutput &expected, const void *data);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTS_H
