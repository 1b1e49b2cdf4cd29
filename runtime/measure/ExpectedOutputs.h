// SPDX-License-Identifier: Apache-2.0
//
// ExpectedOutputs: what the float64 reference says, element by element, as a
// file that the compiler writes and the verifier of a run reads.

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

/// Product of all dims but the last, and the last; 1 for a scalar.
int64_t rowCount(absl::Span<const int64_t> dims);
int64_t rowElements(absl::Span<const int64_t> dims);

/// Replaces the file whole or not at all.
absl::Status writeExpectedOutputs(const std::string &path,
                                  const std::vector<ExpectedOutput> &outputs);
/// NotFound or the like for the file itself, DataLoss for what is no whole file
/// of this format. What is returned is consistent.
absl::StatusOr<std::vector<ExpectedOutput>>
readExpectedOutputs(const std::string &path);

/// How an output compares. `worst` is max over elements of |got - expected| /
/// tolerance: at most 1 is right, infinite where no distance can be given (NaN
/// against a number).
struct Comparison {
  bool matches = true;
  double worst = 0;
  double maxAbsoluteError = 0;
  double maxRelativeError =
      0; // |got - expected| / max |expected| of the output
  std::string
      detail; // first mismatch: "output y[3, 17]: expected 1.5 ±1e-3, got nan"
  /// The first element of which `worst` is.
  struct Element {
    int64_t index = -1; // row-major; -1 where none is off
    double expected = 0, got = 0, error = 0, tolerance = 0;
  } worstElement;
};
/// Compares the given rows. `data` has the dims and dtype of `expected`. An
/// expected value whose margin reaches beyond the dtype's largest may be met by
/// infinity.
Comparison compare(const ExpectedOutput &expected, const void *data);

/// Compares the rows that `expected` does not give with a run that is trusted
/// because it met the rows that are given; by several threads where there are
/// many. The tolerance is 4 times the largest of a given element: the error of
/// any element is within its own bound, two runs are within twice that, and
/// rows not given may be twice as large. Where `expected` has alternatives, as
/// many elements may differ as the given rows make likely at the 95 % level
/// (the other branch of a compare).
Comparison compareWithTrusted(const ExpectedOutput &expected,
                              const void *trusted, const void *data);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTS_H
