// SPDX-License-Identifier: Apache-2.0
//
// SumOfProducts: matrix products of elements with errors, which contractions
// and convolutions are made of. Each factor decides what it reads.

#ifndef MINIC_COMPILER_REFERENCE_SUMOFPRODUCTS_H
#define MINIC_COMPILER_REFERENCE_SUMOFPRODUCTS_H

#include "compiler/reference/DotKernel.h"
#include "compiler/reference/RowTensor.h"
#include "compiler/reference/ScalarMeaning.h"

namespace minic::reference {

/// A matrix whose elements come from a tensor.
class Factor {
public:
  /// If `transposed`, readRun gives the matrix's columns.
  Factor(const RowTensor &tensor, bool transposed)
      : tensor_(tensor), transposed_(transposed) {}
  virtual ~Factor() = default;

  bool isExact() const { return tensor_.isExact(); }
  MatrixReader reader(Channel channel, bool squared = false) const;
  Bounded at(int64_t row, int64_t column) const;
  /// True for a zero that is no element of the tensor: implementations may
  /// leave its product out.
  virtual bool isPad(int64_t row, int64_t column) const { return false; }

protected:
  /// `count` elements of stored row `row`, from `column` on.
  virtual void readRun(Channel channel, int64_t row, int64_t column,
                       int64_t count, double *out) const = 0;
  /// The same of the tensor. An error is infinite where the element may have
  /// overflowed in memory.
  void readTensor(Channel channel, int64_t row, int64_t column, int64_t count,
                  double *out) const;

  const RowTensor &tensor_;
  bool transposed_;
};

/// Whether the module of `op` allows its f32 operands to be rounded to tf32.
bool isTf32(mlir::Operation *op);

/// lhs [m, k] times rhs [k, n], which must outlive it.
class SumOfProducts {
public:
  SumOfProducts(int64_t m, int64_t n, int64_t k, const Factor &lhs,
                const Factor &rhs, bool isTf32);

  /// Element [i, j] as stored in `dtype`, and its spread. `terms` of its
  /// products are not of pads. `bias` (null for none) is one more summand.
  std::pair<Meaning, double> element(int64_t i, int64_t j, double terms,
                                     const Bounded *bias, double biasSpread,
                                     mlir::Type dtype) const;

private:
  int64_t n_, k_;
  const Factor &lhs_, &rhs_;
  DotSums sums_;
  /// Sums over k of |error products|, |sum of error products| and the sum of
  /// squared spreads; zero where operands are exact.
  std::vector<double> hard_, common_, squares_;
};

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_SUMOFPRODUCTS_H
