// SPDX-License-Identifier: Apache-2.0
//
// Accumulator: what a reduction makes of its elements, and how far a kernel may
// be off.

#ifndef MINIC_COMPILER_REFERENCE_ACCUMULATOR_H
#define MINIC_COMPILER_REFERENCE_ACCUMULATOR_H

#include "compiler/reference/ElementReader.h"
#include "dialects/graph/Graph.h"

namespace minic::reference {

/// The elements of one result, taken in one by one.
class Accumulator {
public:
  explicit Accumulator(bool isFloat) : isFloat_(isFloat) {}

  void add(const ElementReader::Element &element);

  /// The result as stored in `dtype`, and its spread. A mean is divided by
  /// `divisor`, or by the number of elements.
  std::pair<Meaning, double> finish(graph::ReduceKind kind, mlir::Type dtype,
                                    std::optional<double> divisor = {}) const;

private:
  /// The greatest of intervals.
  struct Extreme {
    double value = -HUGE_VAL, low = -HUGE_VAL, high = -HUGE_VAL;
    void add(double x, double error) {
      value = std::max(value, x);
      low = std::max(low, x - error);
      high = std::max(high, x + error);
    }
  };

  std::pair<Meaning, double> finishInteger(graph::ReduceKind kind,
                                           mlir::Type dtype) const;
  std::pair<Meaning, double> finishSum(std::optional<double> divisor,
                                       mlir::Type dtype) const;
  std::pair<Meaning, double> finishExtreme(const Extreme &extreme, int sign,
                                           mlir::Type dtype) const;
  std::pair<Meaning, double> finishProduct(mlir::Type dtype) const;

  bool isFloat_;
  uint64_t wholeSum_ = 0, wholeProduct_ = 1; // of integers, as they wrap
  double count_ = 0;
  bool hasNan_ = false, hasUnknown_ = false;
  bool hasPositive_ = false, hasNegative_ = false, hasZero_ = false;
  double sum_ = 0, absolute_ = 0, errors_ = 0, squares_ = 0;
  double product_ = 1, productBound_ = 1;
  /// Of the elements beyond 1 and those below 1.
  double largestPartial_ = 1, smallestPartial_ = 1;
  double spreadPerError_ = 1;
  Extreme greatest_, least_;
};

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_ACCUMULATOR_H
