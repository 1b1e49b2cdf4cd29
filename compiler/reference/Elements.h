// SPDX-License-Identifier: Apache-2.0
//
// Elements: single elements of RowTensors by their index.

#ifndef MINIC_COMPILER_REFERENCE_ELEMENTS_H
#define MINIC_COMPILER_REFERENCE_ELEMENTS_H

#include "compiler/reference/RowTensor.h"
#include "compiler/reference/ScalarMeaning.h"

namespace minic::reference {

using Index = llvm::SmallVector<int64_t>;

/// The row-major index in `shape`, and back.
int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);
Index delinearize(int64_t linear, llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with the linear and the multi-dimensional index of each
/// element of the rows of `result`.
template <typename Visit> void forEachElement(RowTensor &result, Visit visit) {
  for (int64_t row : result.rows()) {
    for (int64_t column = 0; column < result.length(); ++column) {
      int64_t linear = row * result.length() + column;
      visit(linear,
            llvm::ArrayRef(delinearize(linear, result.type().getShape())));
    }
  }
}

/// One element with all that is known of it.
struct Element {
  double value = 0, error = 0, spread = 0;
};

/// Reads single elements of rows that are there, in any order.
class ScatteredReader {
public:
  explicit ScatteredReader(const RowTensor &tensor) : tensor_(tensor) {}

  /// The element as a kernel may see it (see asOperand).
  Element at(int64_t index) const;
  bool isExact() const { return tensor_.isExact(); }

private:
  const RowTensor &tensor_;
};

/// Writes single elements; those of rows that nobody asked for are dropped.
class ElementWriter {
public:
  explicit ElementWriter(RowTensor &result);

  bool wants(int64_t index) const;
  void put(int64_t index, const Element &element);
  /// A computed value: `carried` from the operands, `rounding` of its own, and
  /// what storing it in the result's dtype adds.
  void putComputed(int64_t index, Meaning meaning);

private:
  RowTensor &result_;
  llvm::BitVector wanted_;
};

/// A tensor's elements along `axis` are `inner` apart; index (o, j, i) is
/// element (o * extent + j) * inner + i.
struct Lines {
  Lines(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t at(int64_t o, int64_t j, int64_t i) const {
    return (o * extent + j) * inner + i;
  }
  int64_t outer = 1, extent = 1, inner = 1;
};

/// The elements of one line.
std::vector<Element> readLine(const ScatteredReader &from, const Lines &lines,
                              int64_t o, int64_t i);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_ELEMENTS_H
